"""The tie-probability matrix of Merge-Tie-Judge (Hui and Berberich, ICTIR 2017).

P[i, j] is the tie probability of classes i and j. When two classes merge, their rows are added,

    P[i+j, k] = P[i, k] + P[j, k],

on purpose without a cap, so that large classes are compared first. Every pair belongs to the row of
the class that was merged last of the two. Each row stores an upper bound on its largest entry and
the column where it was found. A bound is tightened lazily, when its row has the largest one, so the
largest entry costs a pass over N bounds and a few rows instead of a scan of N².
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Pair
from nextpair.selectors.state.order import Merge

Allowed = Callable[[int], int]
"""From a class to the classes it may be compared with, as a bit set."""

Draw = Callable[[], NDArray[np.float32]]
"""Returns the matrix of tie probabilities between documents."""

NO_CLASSES: Mapping[int, Sequence[int]] = MappingProxyType({})

NOTHING = np.float32(-1.0)
"""The bound of a row with no allowed entry."""

BATCH = 32
"""Rows searched before the threshold of the best candidates is raised."""


BLOCK = 128
"""Rows and columns copied together when a matrix is mirrored at its diagonal."""


class TieMatrix:
    """Tie probabilities between classes, and the largest of them.

    Parameters
    ----------
    draw
        Returns the probabilities between documents, which the matrix then owns. Drawing and merging
        are lazy: a topic that is only read needs neither.
    classes
        The documents of classes that are merged already, by label.
    """

    def __init__(self, draw: Draw, classes: Mapping[int, Sequence[int]] = NO_CLASSES) -> None:
        self._draw = draw
        self._classes = classes
        self._pending: list[Merge] = []
        self._initialised = False

    def merge(self, merge: Merge) -> None:
        """Add the row of the class that is gone to the row of the class that is kept."""
        self._pending.append(merge)

    def _apply_merges(self) -> None:
        if not self._initialised:
            self._initialise()
        for kept, gone in self._pending:
            self._merge_count += 1
            self._merged_at[kept] = self._merge_count
            total = self._p[kept]
            total += self._p[gone]
            self._p[:, kept] = total
            self._bounds[gone] = NOTHING
            # Infinite instead of searched for: most such rows are merged again before they matter.
            self._bounds[kept], self._argmax[kept] = np.inf, kept
        self._pending.clear()

    def _initialise(self) -> None:
        self._initialised = True
        self._p = self._draw()
        if self._classes:
            _sum_classes(self._p, self._classes)
        size = len(self._p)
        self._merged_at = np.arange(size)
        self._merge_count = size
        self._argmax = np.zeros(size, dtype=np.intp)
        self._bounds = np.full(size, NOTHING)
        for row in range(1, size):
            self._argmax[row] = self._p[row, :row].argmax()
            self._bounds[row] = self._p[row, self._argmax[row]]

    def largest_pair(self, unknown: Allowed, allowed: Allowed | None = None) -> Pair | None:
        """Return the pair with the largest tie probability, or None.

        Parameters
        ----------
        unknown
            The pairs whose relation is unknown. They may only shrink between calls, or be merged.
        allowed
            Those of them that may be asked at this moment; all when not given.
        """
        self._apply_merges()
        pair = self._search(self._bounds, self._argmax, unknown)
        if pair is None or allowed is None or allowed(pair[0]) >> pair[1] & 1:
            return pair
        return self._search(self._bounds.copy(), self._argmax.copy(), allowed)

    def candidates(self, allowed: Allowed, count: int) -> list[Pair]:
        """Return the `count` allowed pairs with the largest tie probabilities, largest first."""
        self._apply_merges()
        size = len(self._p)
        values, places = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.intp)
        threshold = NOTHING
        rows = np.argsort(-self._bounds, kind="stable")
        for batch in np.split(rows, range(BATCH, size, BATCH)):
            promising = [row for row in batch.tolist() if self._bounds[row] > threshold]
            if not promising:
                break
            entries = np.stack([self._entries(row, allowed(row)) for row in promising])
            large = np.flatnonzero(entries > threshold)
            row_of = np.array(promising)[large // size]
            values = np.concatenate([values, entries.ravel()[large]])
            places = np.concatenate([places, row_of * size + large % size])
            largest = np.argsort(-values, kind="stable")[:count]
            values, places = values[largest], places[largest]
            threshold = values[-1] if len(values) == count else NOTHING
        return [divmod(place, size) for place in places.tolist()]

    def _entries(self, row: int, columns: int) -> NDArray[np.float32]:
        own = bitset.mask(columns, len(self._p)) & (self._merged_at < self._merged_at[row])
        return np.where(own, self._p[row], NOTHING)

    def _search(
        self, bounds: NDArray[np.float32], argmax: NDArray[np.intp], allowed: Allowed
    ) -> Pair | None:
        while len(bounds):
            row = int(bounds.argmax())
            if bounds[row] <= NOTHING:
                break
            columns = allowed(row)
            if columns >> int(argmax[row]) & 1:
                return row, int(argmax[row])
            entries = self._entries(row, columns)
            argmax[row] = entries.argmax()
            bounds[row] = entries[argmax[row]]
        return None


def _sum_classes(p: NDArray[np.float32], classes: Mapping[int, Sequence[int]]) -> None:
    """Replace the probabilities between documents by those between classes, in place."""
    np.fill_diagonal(p, 0.0)
    for label, members in classes.items():
        p[label] = p[list(members)].sum(axis=0)
    for label, members in classes.items():
        p[:, label] = p[:, list(members)].sum(axis=1)
    gone = [place for label, members in classes.items() for place in members if place != label]
    p[gone] = NOTHING
    p[:, gone] = NOTHING


def random_ties(size: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw a symmetric matrix of uniform tie probabilities."""
    return _symmetric(rng.random((size, size), dtype=np.float32))


def exponential_ties(size: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw a symmetric matrix of tie weights from the exponential distribution.

    Its long tail lets several classes grow before the first one absorbs all others, and the class
    that does is more often the largest one, which costs the fewest judgments.
    """
    return _symmetric(rng.standard_exponential((size, size), dtype=np.float32))


def _symmetric(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mirror the upper triangle of a matrix in place, with 0 on the diagonal.

    Block by block: a whole transposed row touches as many pages of memory as it has entries.
    """
    size = len(matrix)
    for start in range(0, size, BLOCK):
        rows = slice(start, start + BLOCK)
        upper = np.triu(matrix[rows, rows], k=1)
        matrix[rows, rows] = upper + upper.T
        for other in range(start + BLOCK, size, BLOCK):
            columns = slice(other, other + BLOCK)
            matrix[columns, rows] = matrix[rows, columns].T
    return matrix
