"""The reported order: the one order of a topic that every file, page and answer reads.

It names every document, with a score, ties where ties are believed, and how far the document has
come: settled, judged but open, or never judged. It is a function of the answers alone: neither the
order of import nor the ids decide anything but the sequence in which equals are listed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state.rank_bounds import Standing
from nextpair.selectors.state.status import Status as Status

DIGITS = 9
"""Digits, of the range of all scores, to which scores must agree to be called equal: sums of the
same numbers in another sequence differ behind these."""


@dataclass(frozen=True)
class ReportedOrder:
    """What is reported of a topic's documents, by their positions.

    Parameters
    ----------
    rating
        What the scores are: `order`, a rating or one of the design's aggregations.
    estimates
        A score for every document, larger is better; for unjudged ones what the model expects.
    errors
        The standard error of each score, NaN where there is none.
    status
        How far each document has come.
    has_classes
        Whether documents with equal scores are a class that the model believes in. The score is
        then the number of classes that are worse.
    ranks
        The best and the worst rank that each document can still have.
    """

    ids: tuple[str, ...]
    rating: str
    estimates: NDArray[np.float64]
    errors: NDArray[np.float64]
    status: tuple[Status, ...]
    has_classes: bool
    ranks: Standing

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Which documents have been judged."""
        return np.array([one is not Status.UNJUDGED for one in self.status], dtype=np.bool_)

    @cached_property
    def settled(self) -> int:
        """How many documents are settled."""
        return sum(one is Status.SETTLED for one in self.status)

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
        """The place of each document's group of equals, 1 for the best; 0 where it is unjudged."""
        found = np.zeros(len(self.ids), dtype=np.int64)
        places = np.flatnonzero(np.isfinite(self.scores))
        if len(places):
            distinct, inverse = np.unique(-_rounded(self.scores[places]), return_inverse=True)
            found[places] = inverse.reshape(-1) + 1
            assert len(distinct) == found.max()
        return found

    @cached_property
    def classes(self) -> list[tuple[str, ...]]:
        """The judged documents in groups of equals, best first, each in the order of the ids."""
        groups: list[list[str]] = [[] for _ in range(int(self.levels.max(initial=0)))]
        for name, level in zip(self.ids, self.levels.tolist(), strict=True):
            if level:
                groups[level - 1].append(name)
        return [tuple(sorted(names)) for names in groups]

    @cached_property
    def best_first(self) -> list[int]:
        """All positions: judged documents best first, then the others; equals by their ids."""
        last = int(self.levels.max(initial=0)) + 1
        return sorted(
            range(len(self.ids)), key=lambda place: (self.levels[place] or last, self.ids[place])
        )

    def scored(self) -> Mapping[str, float]:
        """Return the score of every document that has one."""
        return {
            name: float(score)
            for name, score in zip(self.ids, self.scores.tolist(), strict=True)
            if np.isfinite(score)
        }


def _rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round scores, so that equal ones are equal whatever sequence they were added up in."""
    scale = float(np.ptp(scores)) or 1.0
    rounded: NDArray[np.float64] = np.round((scores - scores.min()) / scale, DIGITS)
    return rounded


def count_worse(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each document, how many distinct scores are lower than its own.

    >>> count_worse(np.array([3.0, -1.0, 3.0, 0.5])).tolist()
    [2.0, 0.0, 2.0, 1.0]
    """
    if not len(scores):
        return scores.copy()
    _, inverse = np.unique(_rounded(scores), return_inverse=True)
    return inverse.reshape(-1).astype(np.float64)


def bounds_from(wins: Sequence[int], losses: Sequence[int], known_pairs: int = 0) -> Standing:
    """Return the ranks that documents can have who are known to beat and to lose to so many."""
    size = len(wins)
    best = 1 + np.asarray(losses, dtype=np.int64)
    return Standing(best, size - np.asarray(wins, dtype=np.int64), known_pairs)


def statuses(judged: NDArray[np.bool_], settled: NDArray[np.bool_]) -> tuple[Status, ...]:
    """Say how far each document has come."""
    return tuple(
        Status.UNJUDGED if not asked else Status.SETTLED if sure else Status.OPEN
        for asked, sure in zip(judged.tolist(), settled.tolist(), strict=True)
    )
