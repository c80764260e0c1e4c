"""Rank bounds: the best and the worst rank that each document can still have."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.order import Order


@dataclass(frozen=True, slots=True)
class RankBounds:
    """The possible ranks by document; a rank is one more than the number of better documents.

    Parameters
    ----------
    best, worst
        The ranks that are still possible; they are equal once a document is settled.
    known_pairs
        How many pairs of documents have a known relation.
    """

    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    known_pairs: int

    @property
    def settled(self) -> int:
        """How many documents have only one possible rank."""
        return int((self.best == self.worst).sum())


def rank_bounds(order: Order) -> RankBounds:
    """Return the ranks that an order leaves possible."""
    size = order.size
    labels = np.array([order.label(document) for document in range(size)], dtype=np.intp)
    sizes = np.bincount(labels, minlength=size).astype(np.int64)
    above = bitset.weighted_sums([order.above(label) for label in range(size)], sizes)[labels]
    below = bitset.weighted_sums([order.below(label) for label in range(size)], sizes)[labels]
    own = sizes[labels]
    known = int((above + below + own - 1).sum()) // 2
    return RankBounds(1 + above, size - below - own + 1, known)


def rank_bounds_from_counts(
    wins: Sequence[int], losses: Sequence[int], known_pairs: int = 0
) -> RankBounds:
    """Return the possible ranks of documents that are known to beat and to lose to so many."""
    size = len(wins)
    best = 1 + np.asarray(losses, dtype=np.int64)
    return RankBounds(best, size - np.asarray(wins, dtype=np.int64), known_pairs)
