"""Reads all files of an import: topics, runs and documents become pools."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from nextpair.app.formats.documents import read_documents
from nextpair.app.formats.files import FileSource
from nextpair.app.formats.merged_pools import NamedCount, merge_pools
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.quota import ImportQuota
from nextpair.app.formats.run_pools import pool_runs
from nextpair.app.formats.trec import is_word
from nextpair.app.formats.trec_topics import read_topics
from nextpair.app.formats.upload_pools import check_pool
from nextpair.app.schemas.imports import DEFAULT_DEPTH
from nextpair.selectors.errors import BadInput


@dataclass(frozen=True, slots=True)
class ImportSources:
    """The files and options of one import.

    Parameters
    ----------
    topics
        TREC topics: SGML, XML, or two columns.
    runs
        TREC runs; the documents they rank highest are judged.
    documents
        JSON Lines or CSV.
    depth
        The pooling depth.
    topic
        The topic of documents that name none.
    """

    topics: FileSource | None = None
    runs: Sequence[FileSource] = ()
    documents: Sequence[FileSource] = ()
    depth: int = DEFAULT_DEPTH
    topic: str | None = None


def read_sources(
    sources: ImportSources, quota: ImportQuota | None = None
) -> tuple[list[Pool], list[str]]:
    """Read all files; return pools that the service accepts, and warnings."""
    quota = quota or ImportQuota()
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
    """Warn of ids that TREC exports cannot hold, before anybody judges them."""
    topics, documents = NamedCount("topic"), NamedCount("document")
    for pool in pools:
        if not is_word(pool.topic):
            topics.add(repr(pool.topic))
        for document in pool.documents:
            if not is_word(document.id):
                documents.add(repr(document.id))
    what = "with white space in the id, so that qrels and runs cannot be exported"
    yield from topics.warn(what)
    yield from documents.warn(what)
