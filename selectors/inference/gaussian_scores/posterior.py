"""The posterior over scores: Gaussian, updated by rank-one steps.

The covariance of the last fit stays as it is. An answer takes from it the outer product of one
vector with itself; these vectors are kept beside it, so that a step takes time in proportion to the
documents, and anticipating the answers to open pairs copies no matrix. Beyond some thousand
documents there is no covariance: then the posterior is a product of one Gaussian per document.
"""

import copy

import numpy as np

from nextpair.selectors.inference.numerics import Array, Indices

INITIAL_CAPACITY = 8


class ScorePosterior:
    """Means and variances of scores, and their covariance unless documents are too many.

    Parameters
    ----------
    covariance
        The covariance of the last fit; None for independent scores.
    """

    def __init__(self, means: Array, variances: Array, covariance: Array | None) -> None:
        self.means = means.copy()
        self.variances = variances.copy()
        self._covariance = covariance
        self._downdates = np.zeros((INITIAL_CAPACITY, len(means)))
        self._steps = 0

    @property
    def has_covariance(self) -> bool:
        """Whether scores are correlated."""
        return self._covariance is not None

    def copy(self) -> "ScorePosterior":
        """Return a posterior that can be updated independently."""
        copied = copy.copy(self)
        copied.means, copied.variances = self.means.copy(), self.variances.copy()
        copied._downdates = self._downdates[: self._steps].copy()
        return copied

    def difference(self, first: int, second: int) -> tuple[float, float]:
        """Return the mean and the variance of the difference of two scores."""
        variance = self.variances[first] + self.variances[second]
        variance -= 2 * self._covariance_of(first, second)
        return float(self.means[first] - self.means[second]), max(float(variance), 1e-9)

    def _covariance_of(self, first: int, second: int) -> float:
        if self._covariance is None:
            return 0.0
        downdates = self._downdates[: self._steps]
        return float(self._covariance[first, second] - downdates[:, first] @ downdates[:, second])

    def difference_variances(self, rows: Indices, columns: Indices | None = None) -> Array:
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
            downdates = self._downdates[: self._steps]
            covariance = self._covariance[rows] - downdates[:, rows].T @ downdates
            variances -= 2 * covariance
        return np.maximum(variances, 0.0, out=variances)

    def update(self, first: int, second: int, slope: float, curvature: float) -> None:
        """Condition on one answer about the difference of two scores (a step of ADF).

        Parameters
        ----------
        slope, curvature
            The derivative of the answer's log likelihood by the mean difference, and the second
            derivative times -1.
        """
        if self._covariance is None:
            for document, signed in ((first, slope), (second, -slope)):
                variance = self.variances[document]
                self.means[document] += variance * signed
                self.variances[document] = variance - variance**2 * curvature
            return
        downdates = self._downdates[: self._steps]
        direction = self._covariance[first] - self._covariance[second]
        direction -= (downdates[:, first] - downdates[:, second]) @ downdates
        self.means += direction * slope
        direction *= np.sqrt(curvature)
        self.variances -= direction**2
        self._append(direction)

    def _append(self, downdate: Array) -> None:
        if self._steps == len(self._downdates):
            larger = np.zeros((max(2 * self._steps, INITIAL_CAPACITY), len(self.means)))
            larger[: self._steps] = self._downdates
            self._downdates = larger
        self._downdates[self._steps] = downdate
        self._steps += 1
