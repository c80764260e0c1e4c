"""What is believed of all scores, as of the last answer: Gaussian, kept up to date by small steps.

The covariance of the last fit stays as it is. An answer takes from it the outer product of one
vector with itself; these vectors are kept beside it, so that a step takes as long as there are
documents, and trying what an open pair would teach copies no matrix. Beyond some thousand documents
the matrix is not worth its room: then documents are believed of one by one.
"""

import copy

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes.places import Array

FIRST_ROOM = 8


class Beliefs:
    """Means and variances of scores, and their covariance unless documents are too many.

    Parameters
    ----------
    covariance
        Of the last fit; None where documents are believed of one by one.
    """

    def __init__(self, means: Array, variances: Array, covariance: Array | None) -> None:
        self.means = means.copy()
        self.variances = variances.copy()
        self._covariance = covariance
        self._taken = np.zeros((FIRST_ROOM, len(means)))
        self._steps = 0

    def twin(self) -> "Beliefs":
        """Return beliefs that can go other ways than these."""
        twin = copy.copy(self)
        twin.means, twin.variances = self.means.copy(), self.variances.copy()
        twin._taken = self._taken[: self._steps].copy()
        return twin

    def difference(self, first: int, second: int) -> tuple[float, float]:
        """Return the mean and the variance of the difference of two scores."""
        variance = self.variances[first] + self.variances[second]
        variance -= 2 * self._shared(first, second)
        return float(self.means[first] - self.means[second]), max(float(variance), 1e-9)

    def _shared(self, first: int, second: int) -> float:
        if self._covariance is None:
            return 0.0
        taken = self._taken[: self._steps]
        return float(self._covariance[first, second] - taken[:, first] @ taken[:, second])

    def spreads(self, rows: NDArray[np.intp], columns: NDArray[np.intp] | None = None) -> Array:
        """Return the variances of differences between some documents and all, or some others.

        Parameters
        ----------
        columns
            The others, a row of them for each document.
        """
        if columns is not None:
            return self.variances[rows][:, None] + self.variances[columns]
        variances: Array = self.variances[rows][:, None] + self.variances
        if self._covariance is not None:
            taken = self._taken[: self._steps]
            shared = self._covariance[rows] - taken[:, rows].T @ taken
            variances -= 2 * shared
        return np.maximum(variances, 0.0, out=variances)

    def take(self, first: int, second: int, slope: float, curve: float) -> None:
        """Take a step: what an answer says of the difference of two scores."""
        if self._covariance is None:
            for document, sign in ((first, slope), (second, -slope)):
                variance = self.variances[document]
                self.means[document] += variance * sign
                self.variances[document] = variance - variance**2 * curve
            return
        taken = self._taken[: self._steps]
        moved = self._covariance[first] - self._covariance[second]
        moved -= (taken[:, first] - taken[:, second]) @ taken
        self.means += moved * slope
        moved *= np.sqrt(curve)
        self.variances -= moved**2
        self._keep(moved)

    def _keep(self, moved: Array) -> None:
        if self._steps == len(self._taken):
            larger = np.zeros((max(2 * self._steps, FIRST_ROOM), len(self.means)))
            larger[: self._steps] = self._taken
            self._taken = larger
        self._taken[self._steps] = moved
        self._steps += 1
