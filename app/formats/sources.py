"""Files as people have them, read together: topics, runs and documents become pools."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from nextpair.app.formats.documents import read_documents
from nextpair.app.formats.files import Source
from nextpair.app.formats.merged_pools import Names, merge_pools
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.quota import Quota
from nextpair.app.formats.run_pools import pool_runs
from nextpair.app.formats.trec import is_word
from nextpair.app.formats.trec_topics import read_topics
from nextpair.app.formats.upload_pools import check_pool
from nextpair.selectors.errors import BadInput

DEPTH = 100
"""How far down the runs, if nobody says."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Files that belong together.

    Parameters
    ----------
    topics
        TREC topics: SGML, XML, or two columns.
    runs
        TREC runs; what they rank highest is judged.
    documents
        JSON Lines or CSV.
    depth
        How far down the runs.
    topic
        The topic of documents that name none.
    """

    topics: Source | None = None
    runs: Sequence[Source] = ()
    documents: Sequence[Source] = ()
    depth: int = DEPTH
    topic: str | None = None


def read_sources(sources: Sources, quota: Quota | None = None) -> tuple[list[Pool], list[str]]:
    """Read everything; return pools that a service takes, and warnings."""
    quota = quota or Quota()
    pools, warnings = merge_pools(
        read_topics(sources.topics) if sources.topics else (),
        pool_runs(sources.runs, sources.depth, quota) if sources.runs else None,
        chain.from_iterable(read_documents(path, sources.topic) for path in sources.documents),
        quota,
    )
    if not pools:
        raise BadInput("; ".join(["there is nothing to import: no topic has documents", *warnings]))
    for pool in pools:
        check_pool(pool)
    return pools, [*warnings, *_unwritable(pools)]


def _unwritable(pools: Sequence[Pool]) -> Iterator[str]:
    """Warn of ids that some exports cannot hold, before anybody judges them."""
    topics, documents = Names("topic"), Names("document")
    for pool in pools:
        if not is_word(pool.topic):
            topics.add(repr(pool.topic))
        for document in pool.documents:
            if not is_word(document.id):
                documents.add(repr(document.id))
    what = "with white space in the id, so that qrels and runs cannot be exported"
    yield from topics.warn(what)
    yield from documents.warn(what)
