"""The answers beliefs rest on, in arrays that grow."""

import copy

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

FIRST_ROOM = 64

Disputed = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Documents of two classes that may as well be one, if some others reverse than it seems."""


BETTER, TIED, WORSE = range(3)
"""How the first document of an answer compares with the second."""


class Answers:
    """Answers in the order in which they came.

    An answer is 0, 1 or 2: the first document is better than, tied with or worse than the second.
    """

    def __init__(self) -> None:
        self._rows = np.zeros((4, FIRST_ROOM), dtype=np.intp)
        self._size = 0
        # Single numbers go into a list much faster than into an array.
        self._new: list[tuple[int, int, int, int]] = []

    def __len__(self) -> int:
        return self._size + len(self._new)

    def add(self, first: int, second: int, answer: int, worker: int) -> None:
        """Keep one more."""
        self._new.append((first, second, answer, worker))

    def first_ones(self, count: int | None = None) -> "Answers":
        """Return the first answers, or all there are now; what is added later is not among them."""
        # Rows are only ever written where nothing was: both can go on reading the same ones.
        self._file()
        twin = copy.copy(self)
        twin._new = []
        twin._size = self._size if count is None else count
        return twin

    def turned(self, workers: NDArray[np.bool_]) -> "Answers":
        """Return the same answers, but those of some workers, marked by number, reversed."""
        twin = self.first_ones()
        rows = self._file().copy()
        rows[2] = np.where(workers[rows[3]], 2 - rows[2], rows[2])
        twin._rows = rows
        return twin

    @property
    def documents(self) -> int:
        """How many documents they are about, which are numbered as answers come to them."""
        return int(self._file()[:2].max(initial=-1)) + 1

    def _file(self) -> NDArray[np.intp]:
        """Put what is new into the rows, and return these."""
        if self._new:
            size = len(self)
            if size > self._rows.shape[1]:
                larger = np.zeros((4, max(size, 2 * self._rows.shape[1])), dtype=np.intp)
                larger[:, : self._size] = self._rows[:, : self._size]
                self._rows = larger
            self._rows[:, self._size : size] = np.array(self._new, dtype=np.intp).T
            self._size = size
            self._new.clear()
        return self._rows[:, : self._size]

    @property
    def first(self) -> NDArray[np.intp]:
        """The first documents."""
        return self._file()[0, :]

    @property
    def second(self) -> NDArray[np.intp]:
        """The second documents."""
        return self._file()[1, :]

    @property
    def answer(self) -> NDArray[np.intp]:
        """What was said."""
        return self._file()[2, :]

    @property
    def worker(self) -> NDArray[np.intp]:
        """Who said it."""
        return self._file()[3, :]

    def incidence(self, documents: int) -> csr_array:
        """Return the matrix that adds up, by document, what the answers say of both sides."""
        sides = np.concatenate([self.first, self.second])
        columns = np.arange(len(sides))
        return csr_array((np.ones(len(sides)), (sides, columns)), shape=(documents, len(sides)))
