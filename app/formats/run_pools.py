"""Depth-k pooling as in TREC: the union of the top documents of several runs."""

from collections.abc import Iterable, Mapping

from nextpair.app.formats.files import BadFile, FileSource
from nextpair.app.formats.pools import Pool, PoolDocument
from nextpair.app.formats.quota import ImportQuota
from nextpair.app.formats.trec import Ranks, read_run
from nextpair.selectors.errors import BadInput


def pool_runs(
    paths: Iterable[FileSource], depth: int, quota: ImportQuota | None = None
) -> list[Pool]:
    """Pool the documents within the first `depth` ranks of any run.

    Each run's tag is a feature: the document's rank in the run, also below the depth, and None
    where the run does not list it. `read_run` documents which ranks count.

    Topics are in the order in which the runs first name them. Documents are in the order of their
    ids, as in TREC: a document's position must not reveal its rank, nor depend on the order of the
    runs.
    """
    if depth < 1:
        raise BadInput(f"the depth of a pool must be at least 1, got {depth}")
    quota = quota or ImportQuota()
    runs: dict[str, Ranks] = {}
    for path in paths:
        tag, ranks = read_run(path)
        if tag in runs:
            raise BadFile(f"{path}: an earlier run has the tag {tag!r} too")
        runs[tag] = ranks
    topics = dict.fromkeys(topic for ranks in runs.values() for topic in ranks)
    return [_pool(topic, runs, depth, quota) for topic in topics]


def _pool(topic: str, runs: Mapping[str, Ranks], depth: int, quota: ImportQuota) -> Pool:
    ranks = {tag: run.get(topic, {}) for tag, run in runs.items()}
    pooled = {
        document for of_run in ranks.values() for document, rank in of_run.items() if rank <= depth
    }
    quota.add_documents(topic, len(pooled), len(pooled))
    quota.add_values(len(pooled) * len(runs))
    return Pool(
        topic,
        documents=[
            PoolDocument(
                document, features={tag: of_run.get(document) for tag, of_run in ranks.items()}
            )
            for document in sorted(pooled)
        ],
    )
