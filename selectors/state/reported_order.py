"""The reported order: the one order of a topic that every file, page and response shows.

It has every document with a score, ties where the model has classes, and a status: settled, judged
but open, or unjudged. It is a function of the answers alone: the order of import and the ids decide
nothing but the sequence in which equals are listed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state.rank_bounds import RankBounds
from nextpair.selectors.state.status import Status as Status

DIGITS = 9
"""Digits, relative to the range of all scores, to which equal scores agree: sums of the same
numbers in another sequence differ beyond these."""


@dataclass(frozen=True)
class ReportedOrder:
    """What is reported of a topic's documents, by position.

    Parameters
    ----------
    rating
        What the scores are: `order`, a rating or an aggregation of the design.
    estimates
        A score for every document, larger is better; for an unjudged one its expectation.
    standard_errors
        The standard error of each score, NaN where there is none.
    status
        The status of each document.
    has_classes
        Whether documents with equal scores are tied. The score is then the number of worse classes.
    ranks
        The ranks that each document can still have.
    """

    ids: tuple[str, ...]
    rating: str
    estimates: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    status: tuple[Status, ...]
    has_classes: bool
    ranks: RankBounds

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Which documents have been judged."""
        return np.array([status is not Status.UNJUDGED for status in self.status], dtype=np.bool_)

    @cached_property
    def settled(self) -> int:
        """How many documents are settled."""
        return sum(status is Status.SETTLED for status in self.status)

    @property
    def complete(self) -> bool:
        """Whether every document is settled."""
        return self.settled == len(self.ids)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The scores of judged documents, NaN for the others."""
        return np.where(self.judged, self.estimates, np.nan)

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """The number of each document's group of equals, 1 for the best; 0 if it is unjudged."""
        levels = np.zeros(len(self.ids), dtype=np.int64)
        places = np.flatnonzero(np.isfinite(self.scores))
        if len(places):
            distinct, inverse = np.unique(-_rounded(self.scores[places]), return_inverse=True)
            levels[places] = inverse.reshape(-1) + 1
            assert len(distinct) == levels.max()
        return levels

    @cached_property
    def classes(self) -> list[tuple[str, ...]]:
        """The judged documents in groups of equals, best first, each sorted by id."""
        groups: list[list[str]] = [[] for _ in range(int(self.levels.max(initial=0)))]
        for name, level in zip(self.ids, self.levels.tolist(), strict=True):
            if level:
                groups[level - 1].append(name)
        return [tuple(sorted(names)) for names in groups]

    @cached_property
    def best_first(self) -> list[int]:
        """All positions: judged documents best first, then the others; equals sorted by id."""
        last = int(self.levels.max(initial=0)) + 1
        return sorted(
            range(len(self.ids)), key=lambda place: (self.levels[place] or last, self.ids[place])
        )

    def scored(self) -> Mapping[str, float]:
        """Return the score of every judged document by id."""
        return {
            name: float(score)
            for name, score in zip(self.ids, self.scores.tolist(), strict=True)
            if np.isfinite(score)
        }


def _rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round scores, so that they do not depend on the sequence of their summands."""
    scale = float(np.ptp(scores)) or 1.0
    rounded: NDArray[np.float64] = np.round((scores - scores.min()) / scale, DIGITS)
    return rounded


def dense_ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the number of distinct lower scores of each score.

    >>> dense_ranks(np.array([3.0, -1.0, 3.0, 0.5])).tolist()
    [2.0, 0.0, 2.0, 1.0]
    """
    if not len(scores):
        return scores.copy()
    _, inverse = np.unique(_rounded(scores), return_inverse=True)
    return inverse.reshape(-1).astype(np.float64)


def statuses(judged: NDArray[np.bool_], settled: NDArray[np.bool_]) -> tuple[Status, ...]:
    """Return the status of each document."""
    return tuple(
        Status.UNJUDGED if not is_judged else Status.SETTLED if is_settled else Status.OPEN
        for is_judged, is_settled in zip(judged.tolist(), settled.tolist(), strict=True)
    )
