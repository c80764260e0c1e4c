"""Merges topics, runs and documents into one pool per topic."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nextpair.app.formats.documents import LocatedDocument
from nextpair.app.formats.files import BadFile
from nextpair.app.formats.pools import Pool, PoolDocument
from nextpair.app.formats.quota import ImportQuota
from nextpair.app.truncation import shortened

MAX_NAMED = 5
"""The most ids that a warning names."""
DocumentsByTopic = dict[str, dict[str, PoolDocument]]
"""Topic, then id, to the document."""


@dataclass(slots=True)
class NamedCount:
    """A count of things, with the names of the first few, for a warning."""

    noun: str
    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        """Count one more."""
        self.count += 1
        if self.count <= MAX_NAMED:
            self.first.append(shortened(name))

    def warn(self, what: str) -> Iterator[str]:
        """Yield a warning, if the count is positive."""
        if self.count:
            plural = "" if self.count == 1 else "s"
            more = ", ..." if self.count > MAX_NAMED else ""
            yield f"{self.count:,} {self.noun}{plural} {what}: {', '.join(self.first)}{more}"


def merge_pools(
    topics: Iterable[Pool] = (),
    ranked: Iterable[Pool] | None = None,
    documents: Iterable[LocatedDocument] = (),
    quota: ImportQuota | None = None,
) -> tuple[list[Pool], list[str]]:
    """Merge what was read; return the pools that have documents, and warnings.

    All documents of a pool have the same features, None where a value is missing. The pools are in
    the order of `topics`, then those that `topics` does not have, with a warning. A document
    without text or HTML is not an error, since it may be judged by its URL, but causes a warning.

    Parameters
    ----------
    topics
        Titles, descriptions, narratives: what `read_topics` returns.
    ranked
        The documents to be judged, from `pool_runs`. Without it, all `documents` are judged.
    documents
        Texts, from `read_documents`. With `ranked`, a document that names no topic is used in every
        pool it is in, and one in no pool is left out, with a warning; without, each must name its
        topic.
    """
    quota = quota or ImportQuota()
    described = {pool.topic: pool for pool in topics}
    left_out = NamedCount("document")
    if ranked is None:
        members = _collect_by_topic(documents, quota)
    else:
        members = {
            pool.topic: {document.id: document for document in pool.documents} for pool in ranked
        }
        left_out = _fill_ranked(members, documents, quota)
    pools = [
        replace(
            described.get(topic, Pool(topic)),
            documents=_with_equal_features([*members[topic].values()], quota),
        )
        for topic in dict.fromkeys([*described, *members])
        if members.get(topic)
    ]
    return pools, [*_warnings(described, members, pools), *left_out.warn("in no pool, left out")]


def _collect_by_topic(documents: Iterable[LocatedDocument], quota: ImportQuota) -> DocumentsByTopic:
    members: DocumentsByTopic = {}
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


def _fill_ranked(
    members: DocumentsByTopic, documents: Iterable[LocatedDocument], quota: ImportQuota
) -> NamedCount:
    topics_by_document: dict[str, list[str]] = {}
    for topic, of_topic in members.items():
        for member in of_topic:
            topics_by_document.setdefault(member, []).append(topic)
    filled, left_out = set[tuple[str, str]](), NamedCount("document")
    for where, named, document in documents:
        topics = [
            topic for topic in topics_by_document.get(document.id, ()) if named in (None, topic)
        ]
        for topic in topics:
            if (topic, document.id) in filled:
                raise BadFile(f"{where}: topic {topic} has document {document.id} twice")
            filled.add((topic, document.id))
            ranks = members[topic][document.id].features
            quota.add_values(len(document.features))
            members[topic][document.id] = _with_ranks(where, document, ranks)
        if not topics:
            left_out.add(document.id)
    return left_out


def _with_ranks(
    where: str, document: PoolDocument, ranks: Mapping[str, float | None]
) -> PoolDocument:
    twice = sorted(document.features.keys() & ranks.keys())
    if twice:
        raise BadFile(f"{where}: the feature {twice[0]!r} is the tag of a run too")
    return replace(document, features={**ranks, **document.features})


def _with_equal_features(
    documents: Sequence[PoolDocument], quota: ImportQuota
) -> list[PoolDocument]:
    names = dict.fromkeys(name for document in documents for name in document.features)
    named = sum(len(document.features) for document in documents)
    quota.add_values(len(documents) * len(names) - named)
    return [
        replace(document, features={name: document.features.get(name) for name in names})
        for document in documents
    ]


def _warnings(
    described: Mapping[str, Pool], members: DocumentsByTopic, pools: Sequence[Pool]
) -> Iterator[str]:
    for pool in pools:
        yield from _warn_without_content(pool)
    empty, unknown = NamedCount("topic"), NamedCount("topic")
    for topic in dict.fromkeys([*described, *members]):
        if not members.get(topic):
            empty.add(topic)
        elif described and topic not in described:
            unknown.add(topic)
    yield from empty.warn("without documents, left out")
    yield from unknown.warn("not in the topics file, without a title")


def _warn_without_content(pool: Pool) -> Iterator[str]:
    bare, addressed = NamedCount("document"), 0
    for document in pool.documents:
        if not document.text and not document.html:
            bare.add(document.id)
            addressed += document.url is not None
    what = f"of {len(pool.documents):,} with neither text nor HTML ({addressed:,} with a URL)"
    for warning in bare.warn(what):
        yield f"topic {pool.topic}: {warning}"
