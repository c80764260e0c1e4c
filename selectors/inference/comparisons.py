"""Comparisons: the answers that posteriors rest on, in arrays that grow.

The outcome of a comparison is coded as 0, 1 or 2: the first document is better than, tied with or
worse than the second. Two minus an outcome is the outcome with the documents exchanged.
"""

import copy

import numpy as np
from scipy.sparse import csr_array

from nextpair.selectors.inference.numerics import Indices, Mask
from nextpair.selectors.state.judgments import Outcome

BETTER, TIE, WORSE = Outcome.BETTER.code, Outcome.TIE.code, Outcome.WORSE.code
Observation = tuple[int, int, int, str]
"""One comparison: its documents by their positions, the outcome, and the worker."""

INITIAL_CAPACITY = 64


class Comparisons:
    """Comparisons in the order in which they came, as columns.

    Documents and workers are numbers that whoever adds comparisons gives them.
    """

    def __init__(self) -> None:
        self._rows = np.zeros((4, INITIAL_CAPACITY), dtype=np.intp)
        self._size = 0
        # Appending single numbers to a list is much faster than writing them to an array.
        self._pending: list[tuple[int, int, int, int]] = []

    def __len__(self) -> int:
        return self._size + len(self._pending)

    def append(self, first: int, second: int, outcome: int, worker: int) -> None:
        """Add one comparison."""
        self._pending.append((first, second, outcome, worker))

    def prefix(self, count: int | None = None) -> "Comparisons":
        """Return the first comparisons, or all there are now; later ones are not added to it."""
        # A row is written only once, past the end of every prefix: prefixes can share the array.
        self._flush()
        prefix = copy.copy(self)
        prefix._pending = []
        prefix._size = self._size if count is None else count
        return prefix

    def reversed_by(self, workers: Mask) -> "Comparisons":
        """Return the same comparisons with the outcomes of some workers, by number, reversed."""
        changed = self.prefix()
        rows = self._flush().copy()
        rows[2] = np.where(workers[rows[3]], 2 - rows[2], rows[2])
        changed._rows = rows
        return changed

    @property
    def document_count(self) -> int:
        """How many documents are compared, if these are numbered as comparisons come."""
        return int(self._flush()[:2].max(initial=-1)) + 1

    def _flush(self) -> Indices:
        """Move pending comparisons into the array, and return all rows."""
        if self._pending:
            size = len(self)
            if size > self._rows.shape[1]:
                larger = np.zeros((4, max(size, 2 * self._rows.shape[1])), dtype=np.intp)
                larger[:, : self._size] = self._rows[:, : self._size]
                self._rows = larger
            self._rows[:, self._size : size] = np.array(self._pending, dtype=np.intp).T
            self._size = size
            self._pending.clear()
        return self._rows[:, : self._size]

    @property
    def first(self) -> Indices:
        """The first document of each comparison."""
        return self._flush()[0, :]

    @property
    def second(self) -> Indices:
        """The second document of each comparison."""
        return self._flush()[1, :]

    @property
    def outcome(self) -> Indices:
        """The outcome of each comparison."""
        return self._flush()[2, :]

    @property
    def worker(self) -> Indices:
        """The worker of each comparison."""
        return self._flush()[3, :]

    def incidence(self, documents: int) -> csr_array:
        """Return the matrix that sums, by document, values of the first and the second sides."""
        sides = np.concatenate([self.first, self.second])
        columns = np.arange(len(sides))
        return csr_array((np.ones(len(sides)), (sides, columns)), shape=(documents, len(sides)))
