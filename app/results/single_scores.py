"""Scores of documents that were judged one at a time, aggregated from all answers."""

from collections.abc import Callable, Sequence

import numpy as np

from nextpair.app.results.answer_set import AnswerSet, Numbers, probabilities
from nextpair.selectors.aggregation import means
from nextpair.selectors.aggregation.majority import majority
from nextpair.selectors.aggregation.rationales import filter_by_threshold, filter_top
from nextpair.selectors.aggregation.responses import Responses
from nextpair.storage.rows import JudgmentRow


def _mean(answer_set: AnswerSet) -> Numbers:
    rows = answer_set.final
    return means.arithmetic_mean(
        answer_set.documents(rows), answer_set.values(rows), answer_set.size
    )


def _median(answer_set: AnswerSet) -> Numbers:
    values_of: list[list[float]] = [[] for _ in range(answer_set.size)]
    for document, value in zip(
        answer_set.documents(answer_set.final), answer_set.values(answer_set.final), strict=True
    ):
        values_of[document].append(value)
    return np.array([np.median(values) if values else np.nan for values in values_of])


def _geometric_mean(answer_set: AnswerSet) -> Numbers:
    rows = answer_set.final
    return means.geometric_mean(
        answer_set.documents(rows), answer_set.values(rows), answer_set.size
    )


def _magnitude(answer_set: AnswerSet) -> Numbers:
    rows = answer_set.final
    documents, workers = answer_set.documents(rows), answer_set.workers(rows)
    return means.magnitude_scores(documents, workers, answer_set.values(rows), answer_set.size)


def _majority(answer_set: AnswerSet) -> Numbers:
    return _most_voted(answer_set.labelled(answer_set.final))


def _most_voted(answers: Responses) -> Numbers:
    """Return the level with most votes; the mean of several where they tie."""
    votes = majority(answers)
    counts = votes.counts
    if not counts.shape[1]:
        return np.full(counts.shape[0], np.nan)
    best = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
    levels = np.arange(counts.shape[1])
    with np.errstate(invalid="ignore"):
        return np.asarray((best * levels).sum(axis=1) / best.sum(axis=1), dtype=np.float64)


def _dawid_skene(answer_set: AnswerSet) -> Numbers:
    rows = answer_set.final
    labels = [
        int(value) for value in answer_set.values(rows + [row for row, _ in answer_set.traps])
    ]
    known = [int(truth) for _, truth in answer_set.traps if isinstance(truth, float)]
    posterior = probabilities(
        answer_set, answer_set.documents(rows), labels, known, answer_set.size, answer_set.levels
    )
    asked = np.bincount(answer_set.documents(rows), minlength=answer_set.size) > 0
    return np.where(asked, posterior @ np.arange(answer_set.levels), np.nan)


def _filtered(keep: Callable[[Sequence[str]], list[int]]) -> Callable[[AnswerSet], Numbers]:
    def aggregate(answer_set: AnswerSet) -> Numbers:
        by_document: dict[int, list[JudgmentRow]] = {}
        for row in answer_set.final:
            by_document.setdefault(row.first, []).append(row)
        kept = [
            rows[place]
            for rows in by_document.values()
            for place in keep([str(row.answer.get("excerpt", "")) for row in rows])
        ]
        return _most_voted(answer_set.labelled(kept))

    return aggregate


AGGREGATIONS: dict[str, Callable[[AnswerSet], Numbers]] = {
    "mean": _mean,
    "median": _median,
    "geometric-mean": _geometric_mean,
    "magnitude": _magnitude,
    "majority": _majority,
    "dawid-skene": _dawid_skene,
    "threshold-majority": _filtered(filter_by_threshold),
    "top-majority": _filtered(filter_top),
}
