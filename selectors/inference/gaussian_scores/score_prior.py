"""The prior means of scores: a regression on documents' prior scores and features.

The prior mean is a weighted sum of standardised columns. The weights are learned from the documents
judged so far, by ridge regression, so that uninformative columns end up with a weight of 0. Only
the prior score starts with a weight: whoever gives one trusts it.
"""

import numpy as np

from nextpair.selectors.inference.numerics import Array
from nextpair.selectors.state.documents import Documents

PRIOR_SCORE_WEIGHT = 0.5
"""The initial weight: what one standard deviation of the prior score adds to the mean."""
RIDGE = 4.0
"""The penalty on changes of the weights, in documents."""


class ScorePrior:
    """The prior means of a topic's scores."""

    def __init__(self, documents: Documents) -> None:
        columns = np.column_stack([documents.priors, documents.features])
        self._columns = _standardised(columns)
        self._initial_weights = np.zeros(self._columns.shape[1])
        if np.isfinite(documents.priors).any():
            self._initial_weights[:1] = PRIOR_SCORE_WEIGHT

    @property
    def is_informative(self) -> bool:
        """Whether the prior means can differ."""
        return bool(self._columns.any())

    def initial_means(self) -> Array:
        """Return the prior means before anything was judged."""
        means: Array = self._columns @ self._initial_weights
        return means

    def means_given(self, scores: Array, certainty: Array) -> Array:
        """Return the prior means given the current scores.

        Parameters
        ----------
        certainty
            The weight of each document: from 0, for an unjudged one, to 1.
        """
        weighted = self._columns * certainty[:, None]
        precision = weighted.T @ self._columns + RIDGE * np.eye(len(self._initial_weights))
        weights = np.linalg.solve(precision, weighted.T @ scores + RIDGE * self._initial_weights)
        means: Array = self._columns @ weights
        return means


def _standardised(columns: Array) -> Array:
    """Centre columns and scale them to unit deviation; missing values are in the middle."""
    present = np.isfinite(columns)
    counts = np.maximum(present.sum(axis=0), 1)
    centred = np.where(present, columns, 0.0)
    centred = np.where(present, centred - centred.sum(axis=0) / counts, 0.0)
    deviation = np.sqrt((centred**2).sum(axis=0) / counts)
    return np.asarray(centred / np.where(deviation > 0, deviation, 1.0), dtype=np.float64)
