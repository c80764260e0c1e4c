"""Anchors: what workers answered where the answer was known.

All other answers are weighed by each other, which leaves one doubt they cannot settle: whether
those who disagree are the ones who err, or the others. A question whose answer is known does.
"""

import copy

import numpy as np

from nextpair.selectors.inference.ordinal_classes.places import Array


class Anchors:
    """Counts of answers by what would have been right, for each worker who was asked so."""

    def __init__(self) -> None:
        self._counts: dict[int, Array] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def twin(self) -> "Anchors":
        """Return anchors to which others can be added."""
        twin = copy.copy(self)
        twin._counts = self._counts.copy()
        return twin

    def add(self, worker: int, truth: int, answer: int) -> None:
        """Count one more answer."""
        counts = np.zeros((3, 3))
        counts[truth, answer] = 1
        # Another array each time: twins share them.
        self._counts[worker] = self._counts.get(worker, 0) + counts

    def counts(self, workers: int) -> Array:
        """Return all counts, by worker, truth and answer."""
        counts = np.zeros((workers, 3, 3))
        for worker, own in self._counts.items():
            counts[worker] = own
        return counts

    def told(self, ordinary: Array, strange: Array) -> Array:
        """Return the log chance of the answers of the first workers, by type.

        Parameters
        ----------
        ordinary
            P(answer | relation) of an ordinary worker; who reverses answers so to the reverse.
        strange
            The same of each worker, were they a strange one.
        """
        counts = self.counts(max(len(strange), *(one + 1 for one in self._counts)))[: len(strange)]
        types = (np.log(ordinary), np.log(ordinary[::-1]), np.log(strange))
        chances: Array = np.stack([(counts * each).sum(axis=(1, 2)) for each in types])
        return chances
