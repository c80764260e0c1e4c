"""Scores from all answers together: what a topic's answers come to under its study's design."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nextpair.app.designs.base import Design, Shape
from nextpair.app.errors import UnknownAggregation
from nextpair.selectors.aggregating import bradley_terry, log_ratio, means
from nextpair.selectors.aggregating.answers import Answers, collect
from nextpair.selectors.aggregating.dawid_skene import dawid_skene
from nextpair.selectors.aggregating.majority import majority
from nextpair.selectors.aggregating.rationales import filter_by_threshold, filter_top
from nextpair.selectors.topic.judgments import Outcome
from nextpair.storage.rows import JudgmentRow

Numbers = NDArray[np.float64]
_OUTCOMES = {Outcome.BETTER: 0, Outcome.WORSE: 1, Outcome.TIE: 2}


@dataclass(frozen=True)
class Said:
    """A topic's answers that count.

    Parameters
    ----------
    size
        How many documents the pool has.
    rows
        Judgments of the work itself, oldest first.
    """

    design: Design
    size: int
    rows: Sequence[JudgmentRow]

    @cached_property
    def final(self) -> list[JudgmentRow]:
        """The answers, each in the words of who reviewed it if someone has."""
        reviews = {row.subject: row for row in self.rows if row.subject is not None}
        return [reviews.get(row.number, row) for row in self.rows if row.subject is None]

    def read(self, row: JudgmentRow) -> Any:
        """Read an answer."""
        return self.design.read(row.answer, review=row.subject is not None)

    def values(self, rows: Sequence[JudgmentRow]) -> list[float]:
        """Put answers about single documents as numbers."""
        return [float(self.design.value(self.read(row)) or 0.0) for row in rows]

    def labelled(self, rows: Sequence[JudgmentRow]) -> Answers:
        """Put answers about single documents as labels."""
        levels = len(getattr(self.design, "levels", ()))
        labels = [int(value) for value in self.values(rows)]
        workers = self.workers(rows)
        shape = (self.size, max(workers, default=-1) + 1, levels)
        return collect(self.documents(rows), workers, labels, shape)

    def documents(self, rows: Sequence[JudgmentRow]) -> list[int]:
        """Return the document each answer is about."""
        return [row.first for row in rows]

    def workers(self, rows: Sequence[JudgmentRow]) -> list[int]:
        """Return who gave each answer, counted from 0."""
        places: dict[int, int] = {}
        return [places.setdefault(row.worker_id, len(places)) for row in rows]


def score(name: str, said: Said) -> Numbers:
    """Return a score for each document, NaN where nothing was said of it."""
    known = aggregations(said.design)
    if name not in known:
        raise UnknownAggregation(
            f"there is no rating {name!r} of this design's answers; there are {', '.join(known)}"
        )
    return _AGGREGATIONS[name](said)


def aggregations(design: Design) -> tuple[str, ...]:
    """List how the answers of a design become scores, its own way first."""
    if design.shape is Shape.SINGLE:
        return design.aggregations
    own = tuple(name for name in design.aggregations if name in _OF_PAIRS)
    return (*own, "worker-bradley-terry")


# -- one document at a time ---------------------------------------------------------------------


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
    answers = said.labelled(said.final)
    found = dawid_skene(answers).posteriors @ np.arange(answers.shape[2])
    asked = np.bincount(answers.items, minlength=said.size) > 0
    return np.where(asked, found, np.nan)


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


# -- pairs --------------------------------------------------------------------------------------


def _worker_bradley_terry(said: Said) -> Numbers:
    rows = [row for row in said.rows if row.outcome is not None]
    outcomes = [_OUTCOMES[Outcome(str(row.outcome))] for row in rows]
    firsts, seconds = [row.first for row in rows], [row.second for row in rows]
    answers = bradley_terry.compare(said.size, firsts, seconds, outcomes, said.workers(rows))
    return bradley_terry.rank(answers).scores


def _first_score(row: JudgmentRow) -> tuple[float, float]:
    """Return the numbers given to the first and the second document, whatever their sides."""
    left, right = float(row.answer["left_score"]), float(row.answer["right_score"])
    return (left, right) if _first_is_left(row) else (right, left)


def _first_is_left(row: JudgmentRow) -> bool:
    # The preference was told from the left, the outcome from the first document.
    return bool((row.answer["preference"] == "left") == (row.outcome == Outcome.BETTER))


def _preference_frequency(said: Said) -> Numbers:
    firsts, seconds = [row.first for row in said.rows], [row.second for row in said.rows]
    better = [row.outcome == Outcome.BETTER for row in said.rows]
    return means.preference_frequencies(firsts, seconds, better, said.size)


def _relevance_frequency(said: Said) -> Numbers:
    documents, relevant = [], []
    for row in said.rows:
        first_side = "left" if _first_is_left(row) else "right"
        for document, side in zip((row.first, row.second), _sides(first_side), strict=True):
            documents.append(document)
            relevant.append(row.answer["relevant"] in ("both", side))
    return means.frequencies(documents, relevant, said.size)


def _sides(first: str) -> tuple[str, str]:
    return ("left", "right") if first == "left" else ("right", "left")


def _log_ratio(said: Said) -> Numbers:
    numbers = [_first_score(row) for row in said.rows]
    return log_ratio.log_ratio(
        [row.first for row in said.rows],
        [row.second for row in said.rows],
        [one for one, _ in numbers],
        [other for _, other in numbers],
        said.size,
    ).scores


def _combined(said: Said) -> Numbers:
    parts = [_preference_frequency(said), _relevance_frequency(said), _log_ratio(said)]
    asked = ~np.isnan(parts[0])
    found = means.combine([np.where(asked, part, 0.0) for part in parts])
    return np.where(asked, found, np.nan)


_OF_PAIRS: dict[str, Callable[[Said], Numbers]] = {
    "combined": _combined,
    "preference-frequency": _preference_frequency,
    "relevance-frequency": _relevance_frequency,
    "log-ratio": _log_ratio,
    "worker-bradley-terry": _worker_bradley_terry,
}
_AGGREGATIONS: dict[str, Callable[[Said], Numbers]] = {
    **_OF_PAIRS,
    "mean": _mean,
    "median": _median,
    "geometric-mean": _geometric_mean,
    "magnitude": _magnitude,
    "majority": _majority,
    "dawid-skene": _dawid_skene,
    "threshold-majority": _filtered(filter_by_threshold),
    "top-majority": _filtered(filter_top),
}
