"""A topic's answers, as what makes scores of all of them together needs them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nextpair.app.designs.base import Design
from nextpair.selectors.aggregation.dawid_skene import dawid_skene
from nextpair.selectors.aggregation.responses import UNKNOWN, Answers, collect
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage.rows import JudgmentRow

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Said:
    """A topic's answers that count.

    Parameters
    ----------
    size
        How many documents the pool has.
    rows
        Judgments of the work itself, oldest first.
    traps
        Answers to questions whose answer is known, each with that: they say nothing of the pool,
        but what their workers' answers are worth.
    """

    design: Design
    size: int
    rows: Sequence[JudgmentRow]
    traps: Sequence[tuple[JudgmentRow, Outcome | float]] = ()

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
        labels = [int(value) for value in self.values(rows)]
        workers = self.workers(rows)
        shape = (self.size, max(workers, default=-1) + 1, self.levels)
        return collect(self.documents(rows), workers, labels, shape)

    @property
    def levels(self) -> int:
        """How many grades there are; 0 where the design has none."""
        return len(getattr(self.design, "levels", ()))

    def documents(self, rows: Sequence[JudgmentRow]) -> list[int]:
        """Return the document each answer is about."""
        return [row.first for row in rows]

    def workers(self, rows: Sequence[JudgmentRow]) -> list[int]:
        """Return who gave each answer, counted from 0."""
        places: dict[int, int] = {}
        return [places.setdefault(row.worker_id, len(places)) for row in rows]


def probabilities(
    said: Said,
    items: Sequence[int],
    labels: Sequence[int],
    known: Sequence[int],
    size: int,
    options: int,
    mirror: Sequence[int] | None = None,
) -> Numbers:
    """Return how probable each label of each item is; traps, each an item more, are anchors."""
    rows = [*said.final, *(row for row, _ in said.traps)]
    workers = said.workers(rows)
    places = [*items, *range(size, size + len(known))]
    shape = (size + len(known), max(workers, default=-1) + 1, options)
    truth = [*([UNKNOWN] * size), *known]
    found = dawid_skene(collect(places, workers, labels, shape), known=truth, mirror=mirror)
    return found.posteriors[:size]
