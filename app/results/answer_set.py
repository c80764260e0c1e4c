"""The answer set of a topic: the judgments that its scores are aggregated from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nextpair.app.designs.base import Design
from nextpair.selectors.aggregation.dawid_skene import dawid_skene
from nextpair.selectors.aggregation.responses import UNKNOWN, Responses, collect_responses
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage.rows import JudgmentRow

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class AnswerSet:
    """The judgments of a topic that count.

    Parameters
    ----------
    size
        How many documents the pool has.
    rows
        Judgments of the work itself, oldest first.
    traps
        Judgments of gold questions with their gold answers: evidence about the workers, and not
        about documents of the pool.
    """

    design: Design
    size: int
    rows: Sequence[JudgmentRow]
    traps: Sequence[tuple[JudgmentRow, Outcome | float]] = ()

    @cached_property
    def final(self) -> list[JudgmentRow]:
        """The answers; one that was reviewed is replaced by its review."""
        reviews = {row.subject: row for row in self.rows if row.subject is not None}
        return [reviews.get(row.number, row) for row in self.rows if row.subject is None]

    def read(self, row: JudgmentRow) -> Any:
        """Parse the content of an answer."""
        return self.design.read(row.answer, review=row.subject is not None)

    def values(self, rows: Sequence[JudgmentRow]) -> list[float]:
        """Return answers about single documents as numbers."""
        return [float(self.design.value(self.read(row)) or 0.0) for row in rows]

    def labelled(self, rows: Sequence[JudgmentRow]) -> Responses:
        """Return answers about single documents as labels."""
        labels = [int(value) for value in self.values(rows)]
        workers = self.workers(rows)
        shape = (self.size, max(workers, default=-1) + 1, self.levels)
        return collect_responses(self.documents(rows), workers, labels, shape)

    @property
    def levels(self) -> int:
        """How many grades there are; 0 where the design has none."""
        return len(getattr(self.design, "levels", ()))

    def documents(self, rows: Sequence[JudgmentRow]) -> list[int]:
        """Return the document each answer is about."""
        return [row.first for row in rows]

    def workers(self, rows: Sequence[JudgmentRow]) -> list[int]:
        """Return the index of the worker who gave each answer, counted from 0."""
        places: dict[int, int] = {}
        return [places.setdefault(row.worker_id, len(places)) for row in rows]


def probabilities(
    answer_set: AnswerSet,
    items: Sequence[int],
    labels: Sequence[int],
    known: Sequence[int],
    size: int,
    options: int,
    mirror: Sequence[int] | None = None,
) -> Numbers:
    """Return the posterior of each item's label by Dawid-Skene.

    Gold judgments are added as items whose label is observed.
    """
    rows = [*answer_set.final, *(row for row, _ in answer_set.traps)]
    workers = answer_set.workers(rows)
    places = [*items, *range(size, size + len(known))]
    shape = (size + len(known), max(workers, default=-1) + 1, options)
    truth = [*([UNKNOWN] * size), *known]
    result = dawid_skene(
        collect_responses(places, workers, labels, shape), gold=truth, mirror=mirror
    )
    return result.posteriors[:size]
