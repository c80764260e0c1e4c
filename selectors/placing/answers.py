"""The answers beliefs rest on, in arrays that grow."""

import copy

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

FIRST_ROOM = 64


class Answers:
    """Answers in the order in which they came.

    An answer is 0, 1 or 2: the first document is better than, tied with or worse than the second.
    """

    def __init__(self, documents: int) -> None:
        self._documents = documents
        self._rows = np.zeros((4, FIRST_ROOM), dtype=np.intp)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, first: int, second: int, answer: int, worker: int) -> None:
        """Keep one more."""
        if self._size == self._rows.shape[1]:
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)], axis=1)
        self._rows[:, self._size] = first, second, answer, worker
        self._size += 1

    def so_far(self) -> "Answers":
        """Return the answers there are now; what is added later is not among them."""
        # Rows are only ever written where nothing was: both can go on reading the same ones.
        return copy.copy(self)

    @property
    def first(self) -> NDArray[np.intp]:
        """The first documents."""
        return self._rows[0, : self._size]

    @property
    def second(self) -> NDArray[np.intp]:
        """The second documents."""
        return self._rows[1, : self._size]

    @property
    def answer(self) -> NDArray[np.intp]:
        """What was said."""
        return self._rows[2, : self._size]

    @property
    def worker(self) -> NDArray[np.intp]:
        """Who said it."""
        return self._rows[3, : self._size]

    def incidence(self) -> csr_array:
        """Return the matrix that adds up, by document, what the answers say of both sides."""
        documents = np.concatenate([self.first, self.second])
        columns = np.arange(len(documents))
        ones = np.ones(len(documents))
        return csr_array((ones, (documents, columns)), shape=(self._documents, len(documents)))
