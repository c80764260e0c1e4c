"""One pool a topic, from what topics, runs and documents each say about it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nextpair.app.formats.documents import Found
from nextpair.app.formats.files import BadFile
from nextpair.app.formats.pools import Pool, PoolDocument
from nextpair.app.formats.quota import Quota
from nextpair.app.truncation import shortened

FEW = 5
"""How many ids a warning names."""
Members = dict[str, dict[str, PoolDocument]]
"""Topic, then id, to the document."""


@dataclass(slots=True)
class Names:
    """How many things there are, and what the first few are called."""

    noun: str
    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        """Count one more."""
        self.count += 1
        if self.count <= FEW:
            self.first.append(shortened(name))

    def warn(self, what: str) -> Iterator[str]:
        """Say so, if there are any."""
        if self.count:
            plural = "" if self.count == 1 else "s"
            more = ", ..." if self.count > FEW else ""
            yield f"{self.count:,} {self.noun}{plural} {what}: {', '.join(self.first)}{more}"


def merge_pools(
    topics: Iterable[Pool] = (),
    ranked: Iterable[Pool] | None = None,
    documents: Iterable[Found] = (),
    quota: Quota | None = None,
) -> tuple[list[Pool], list[str]]:
    """Merge what was read; return the pools that have documents, and warnings.

    All documents of a pool come with the same features, None where one is missing. The pools are in
    the order of `topics`, then those it does not know, with a warning. A document without text or
    HTML is no error, for it may be judged elsewhere, by its URL; the warnings say which they are.

    Parameters
    ----------
    topics
        Titles, descriptions, narratives: what `read_topics` returns.
    ranked
        What is to be judged, from `pool_runs`. Without it, all `documents` are.
    documents
        Texts, from `read_documents`. With `ranked`, one that names no topic serves every pool it
        is in, and one in no pool is left out, with a warning; without, each must name its topic.
    """
    quota = quota or Quota()
    described = {pool.topic: pool for pool in topics}
    left_out = Names("document")
    if ranked is None:
        members = _all(documents, quota)
    else:
        members = {pool.topic: {one.id: one for one in pool.documents} for pool in ranked}
        left_out = _fill(members, documents, quota)
    pools = [
        replace(
            described.get(topic, Pool(topic)), documents=_alike([*members[topic].values()], quota)
        )
        for topic in dict.fromkeys([*described, *members])
        if members.get(topic)
    ]
    return pools, [*_warnings(described, members, pools), *left_out.warn("in no pool, left out")]


def _all(documents: Iterable[Found], quota: Quota) -> Members:
    members: Members = {}
    for where, topic, document in documents:
        if topic is None:
            raise BadFile(
                f"{where}: document {document.id} names no topic, and none is named for the whole"
                " file"
            )
        of_topic = members.setdefault(topic, {})
        if document.id in of_topic:
            raise BadFile(f"{where}: topic {topic} has document {document.id} twice")
        quota.add_documents(topic, 1, len(of_topic) + 1)
        quota.add_values(len(document.features))
        of_topic[document.id] = document
    return members


def _fill(members: Members, documents: Iterable[Found], quota: Quota) -> Names:
    homes: dict[str, list[str]] = {}
    for topic, of_topic in members.items():
        for member in of_topic:
            homes.setdefault(member, []).append(topic)
    filled, left_out = set[tuple[str, str]](), Names("document")
    for where, named, document in documents:
        found = [topic for topic in homes.get(document.id, ()) if named in (None, topic)]
        for topic in found:
            if (topic, document.id) in filled:
                raise BadFile(f"{where}: topic {topic} has document {document.id} twice")
            filled.add((topic, document.id))
            ranks = members[topic][document.id].features
            quota.add_values(len(document.features))
            members[topic][document.id] = _with_ranks(where, document, ranks)
        if not found:
            left_out.add(document.id)
    return left_out


def _with_ranks(
    where: str, document: PoolDocument, ranks: Mapping[str, float | None]
) -> PoolDocument:
    twice = sorted(document.features.keys() & ranks.keys())
    if twice:
        raise BadFile(f"{where}: the feature {twice[0]!r} is the tag of a run too")
    return replace(document, features={**ranks, **document.features})


def _alike(documents: Sequence[PoolDocument], quota: Quota) -> list[PoolDocument]:
    names = dict.fromkeys(name for document in documents for name in document.features)
    named = sum(len(document.features) for document in documents)
    quota.add_values(len(documents) * len(names) - named)
    return [
        replace(document, features={name: document.features.get(name) for name in names})
        for document in documents
    ]


def _warnings(
    described: Mapping[str, Pool], members: Members, pools: Sequence[Pool]
) -> Iterator[str]:
    for pool in pools:
        yield from _bare(pool)
    empty, unknown = Names("topic"), Names("topic")
    for topic in dict.fromkeys([*described, *members]):
        if not members.get(topic):
            empty.add(topic)
        elif described and topic not in described:
            unknown.add(topic)
    yield from empty.warn("without documents, left out")
    yield from unknown.warn("not in the topics file, without a title")


def _bare(pool: Pool) -> Iterator[str]:
    bare, addressed = Names("document"), 0
    for document in pool.documents:
        if not document.text and not document.html:
            bare.add(document.id)
            addressed += document.url is not None
    what = f"of {len(pool.documents):,} with neither text nor HTML ({addressed:,} with a URL)"
    for warning in bare.warn(what):
        yield f"topic {pool.topic}: {warning}"
