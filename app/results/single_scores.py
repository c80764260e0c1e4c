"""Scores of documents that were judged one at a time."""

from collections.abc import Callable, Sequence

import numpy as np

from nextpair.app.results.answer_set import Numbers, Said, probabilities
from nextpair.selectors.aggregation import means
from nextpair.selectors.aggregation.majority import majority
from nextpair.selectors.aggregation.rationales import filter_by_threshold, filter_top
from nextpair.selectors.aggregation.responses import Answers
from nextpair.storage.rows import JudgmentRow


def _mean(said: Said) -> Numbers:
    rows = said.final
    return means.arithmetic_mean(said.documents(rows), said.values(rows), said.size)


def _median(said: Said) -> Numbers:
    given: list[list[float]] = [[] for _ in range(said.size)]
    for document, value in zip(said.documents(said.final), said.values(said.final), strict=True):
        given[document].append(value)
    return np.array([np.median(values) if values else np.nan for values in given])


def _geometric_mean(said: Said) -> Numbers:
    rows = said.final
    return means.geometric_mean(said.documents(rows), said.values(rows), said.size)


def _magnitude(said: Said) -> Numbers:
    rows = said.final
    documents, workers = said.documents(rows), said.workers(rows)
    return means.magnitude_scores(documents, workers, said.values(rows), said.size)


def _majority(said: Said) -> Numbers:
    return _most_voted(said.labelled(said.final))


def _most_voted(answers: Answers) -> Numbers:
    """Take the level with most votes; where several have, the mean of those."""
    found = majority(answers)
    counts = found.counts
    if not counts.shape[1]:
        return np.full(counts.shape[0], np.nan)
    best = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
    levels = np.arange(counts.shape[1])
    with np.errstate(invalid="ignore"):
        return np.asarray((best * levels).sum(axis=1) / best.sum(axis=1), dtype=np.float64)


def _dawid_skene(said: Said) -> Numbers:
    rows = said.final
    labels = [int(value) for value in said.values(rows + [row for row, _ in said.traps])]
    known = [int(truth) for _, truth in said.traps if isinstance(truth, float)]
    found = probabilities(said, said.documents(rows), labels, known, said.size, said.levels)
    asked = np.bincount(said.documents(rows), minlength=said.size) > 0
    return np.where(asked, found @ np.arange(said.levels), np.nan)


def _filtered(keep: Callable[[Sequence[str]], list[int]]) -> Callable[[Said], Numbers]:
    def aggregate(said: Said) -> Numbers:
        by_document: dict[int, list[JudgmentRow]] = {}
        for row in said.final:
            by_document.setdefault(row.first, []).append(row)
        kept = [
            rows[place]
            for rows in by_document.values()
            for place in keep([str(row.answer.get("excerpt", "")) for row in rows])
        ]
        return _most_voted(said.labelled(kept))

    return aggregate


AGGREGATIONS: dict[str, Callable[[Said], Numbers]] = {
    "mean": _mean,
    "median": _median,
    "geometric-mean": _geometric_mean,
    "magnitude": _magnitude,
    "majority": _majority,
    "dawid-skene": _dawid_skene,
    "threshold-majority": _filtered(filter_by_threshold),
    "top-majority": _filtered(filter_top),
}
