"""The tie-probability matrix of Merge-Tie-Judge (Hui and Berberich, ICTIR 2017).

P[i, j] says how likely classes i and j are to be tied. When two classes merge their rows add up,

    P[i+j, k] = P[i, k] + P[j, k],

on purpose without a cap, so that large classes are compared first. Every pair belongs to the row
of whichever of its two classes was merged last, and every row keeps an upper bound on its largest
entry and where it was found. A bound is tightened only when its row comes out on top, so the
largest entry costs a pass over N bounds and a few rows, not a scan of N².
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Pair
from nextpair.selectors.state.order import Merge

Allowed = Callable[[int], int]
"""For a class, the classes it may be compared with, as a bit set."""

Draw = Callable[[], NDArray[np.float32]]
"""Makes the matrix of tie probabilities between documents."""

NO_CLASSES: Mapping[int, Sequence[int]] = MappingProxyType({})

NOTHING = np.float32(-1.0)
"""The bound of a row with no allowed entry."""

BATCH = 32
"""Rows looked through before the best candidates so far set a new mark to reach."""


BLOCK = 128
"""Rows and columns copied together when a matrix is turned over its diagonal."""


class TieMatrix:
    """Tie probabilities between classes, and the largest of them.

    Parameters
    ----------
    draw
        Makes the probabilities between documents, which are then the matrix's own. Nothing is
        drawn or merged before it is looked for: who only reads what is known does not need it.
    classes
        Documents that are merged already, by the label of their class.
    """

    def __init__(self, draw: Draw, classes: Mapping[int, Sequence[int]] = NO_CLASSES) -> None:
        self._draw = draw
        self._classes = classes
        self._pending: list[Merge] = []
        self._begun = False

    def merge(self, merge: Merge) -> None:
        """Add the row of a class that was merged into another to the row of that other."""
        self._pending.append(merge)

    def _catch_up(self) -> None:
        if not self._begun:
            self._begin()
        for kept, gone in self._pending:
            self._merges += 1
            self._merged[kept] = self._merges
            total = self._p[kept]
            total += self._p[gone]
            self._p[:, kept] = total
            self._bound[gone] = NOTHING
            # Not looked for among rows of which most will be merged again.
            self._bound[kept], self._where[kept] = np.inf, kept
        self._pending.clear()

    def _begin(self) -> None:
        self._begun = True
        self._p = self._draw()
        if self._classes:
            _add_up(self._p, self._classes)
        size = len(self._p)
        self._merged = np.arange(size)
        self._merges = size
        self._where = np.zeros(size, dtype=np.intp)
        self._bound = np.full(size, NOTHING)
        for row in range(1, size):
            self._where[row] = self._p[row, :row].argmax()
            self._bound[row] = self._p[row, self._where[row]]

    def largest(self, unknown: Allowed, allowed: Allowed | None = None) -> Pair | None:
        """Return the pair with the largest tie probability, or None.

        Parameters
        ----------
        unknown
            What is still to be asked. It may only shrink from one call to the next, but for merges.
        allowed
            The part of it that may be asked at this moment; all of it when not given.
        """
        self._catch_up()
        found = self._search(self._bound, self._where, unknown)
        if found is None or allowed is None or allowed(found[0]) >> found[1] & 1:
            return found
        return self._search(self._bound.copy(), self._where.copy(), allowed)

    def candidates(self, allowed: Allowed, count: int) -> list[Pair]:
        """Return the `count` allowed pairs with the largest tie probabilities, largest first."""
        self._catch_up()
        size = len(self._p)
        values, places = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.intp)
        least = NOTHING
        rows = np.argsort(-self._bound, kind="stable")
        for batch in np.split(rows, range(BATCH, size, BATCH)):
            promising = [row for row in batch.tolist() if self._bound[row] > least]
            if not promising:
                break
            entries = np.stack([self._entries(row, allowed(row)) for row in promising])
            large = np.flatnonzero(entries > least)
            of_row = np.array(promising)[large // size]
            values = np.concatenate([values, entries.ravel()[large]])
            places = np.concatenate([places, of_row * size + large % size])
            largest = np.argsort(-values, kind="stable")[:count]
            values, places = values[largest], places[largest]
            least = values[-1] if len(values) == count else NOTHING
        return [divmod(place, size) for place in places.tolist()]

    def _entries(self, row: int, columns: int) -> NDArray[np.float32]:
        own = bitset.mask(columns, len(self._p)) & (self._merged < self._merged[row])
        return np.where(own, self._p[row], NOTHING)

    def _search(
        self, bound: NDArray[np.float32], where: NDArray[np.intp], allowed: Allowed
    ) -> Pair | None:
        while len(bound):
            row = int(bound.argmax())
            if bound[row] <= NOTHING:
                break
            columns = allowed(row)
            if columns >> int(where[row]) & 1:
                return row, int(where[row])
            entries = self._entries(row, columns)
            where[row] = entries.argmax()
            bound[row] = entries[where[row]]
        return None


def _add_up(p: NDArray[np.float32], classes: Mapping[int, Sequence[int]]) -> None:
    """Turn probabilities between documents into those between classes, in place."""
    np.fill_diagonal(p, 0.0)
    for label, members in classes.items():
        p[label] = p[list(members)].sum(axis=0)
    for label, members in classes.items():
        p[:, label] = p[:, list(members)].sum(axis=1)
    gone = [place for label, members in classes.items() for place in members if place != label]
    p[gone] = NOTHING
    p[:, gone] = NOTHING


def random_ties(size: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw a symmetric matrix of tie probabilities, each uniform between 0 and 1."""
    return _symmetric(rng.random((size, size), dtype=np.float32))


def exponential_ties(size: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw a symmetric matrix of tie weights from the exponential distribution.

    Its long tail lets several classes begin before the first can swallow all others, and the one
    that wins is more often the largest, which costs the fewest judgments.
    """
    return _symmetric(rng.standard_exponential((size, size), dtype=np.float32))


def _symmetric(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Make a matrix symmetric in place, from what stands above its diagonal; 0 on it.

    Block by block: a whole transposed row would touch as many pages of memory as it has entries.
    """
    size = len(matrix)
    for start in range(0, size, BLOCK):
        own = slice(start, start + BLOCK)
        upper = np.triu(matrix[own, own], k=1)
        matrix[own, own] = upper + upper.T
        for other in range(start + BLOCK, size, BLOCK):
            right = slice(other, other + BLOCK)
            matrix[right, own] = matrix[own, right].T
    return matrix
