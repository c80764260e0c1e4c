"""Gold responses: how workers answered questions with a known answer.

All other answers are weighed by each other, which leaves one question open that they cannot settle:
whether those who disagree are wrong, or the others. Gold questions settle it.
"""

import copy

import numpy as np

from nextpair.selectors.inference.numerics import Array


class GoldResponses:
    """Counts of outcomes by true relation, for each worker with gold questions."""

    def __init__(self) -> None:
        self._counts: dict[int, Array] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def copy(self) -> "GoldResponses":
        """Return responses that can be added to independently."""
        copied = copy.copy(self)
        copied._counts = self._counts.copy()
        return copied

    def add(self, worker: int, truth: int, outcome: int) -> None:
        """Count one response."""
        counts = np.zeros((3, 3))
        counts[truth, outcome] = 1
        # A new array each time, because copies share arrays.
        self._counts[worker] = self._counts.get(worker, 0) + counts

    def counts(self, workers: int) -> Array:
        """Return all counts, by worker, true relation and outcome."""
        counts = np.zeros((workers, 3, 3))
        for worker, own in self._counts.items():
            counts[worker] = own
        return counts

    def log_likelihood(self, ordinary: Array, idiosyncratic: Array) -> Array:
        """Return the log likelihood of the responses of the first workers, by worker type.

        Parameters
        ----------
        ordinary
            Confusion matrix of an ordinary worker; a reversing worker has its rows reversed.
        idiosyncratic
            Confusion matrix of each worker, were they idiosyncratic.
        """
        workers = len(idiosyncratic)
        counts = self.counts(max(workers, *(worker + 1 for worker in self._counts)))[:workers]
        of_types = (np.log(ordinary), np.log(ordinary[::-1]), np.log(idiosyncratic))
        likelihood: Array = np.stack([(counts * each).sum(axis=(1, 2)) for each in of_types])
        return likelihood
