"""The information table: the mutual information of an answer and the scores.

It is the entropy of the answer less its expected entropy given the difference (BALD). Both depend
on the mean and the deviation of the difference only, so one table serves all pairs.
"""

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import ndtr

from nextpair.selectors.inference.numerics import Array, entropy

CELLS = 96
"""The number of rows and of columns."""
RANGE = 12.0
"""Larger means and deviations are treated as if they were this."""
LAPSE_RATE = 0.02
"""The share of answers that any worker gives at random: certain outcomes are still worth a
little."""
TOO_HARD_FACTOR = 1e-3
"""The factor of the information of a pair that is too hard."""
_NODES, _WEIGHTS = hermegauss(12)


class InformationTable:
    """The information of answers in nats, for one tie margin.

    Parameters
    ----------
    margin
        The tie margin.
    has_ties
        Whether ties are possible.
    ease
        The smallest probability with which a judge is to find the better of the two.
    """

    def __init__(self, margin: float, has_ties: bool, ease: float) -> None:
        axis = RANGE * (np.arange(CELLS) / (CELLS - 1)) ** 2
        means = axis[:, None, None]
        differences = (means + axis[None, :, None] * _NODES).reshape(CELLS * CELLS, -1)
        weights = _WEIGHTS / _WEIGHTS.sum()
        better, worse = ndtr(differences - margin), ndtr(-differences - margin)
        outcomes = [better, 1 - better - worse, worse] if has_ties else [better, worse]
        likelihood = np.stack(outcomes, axis=-1) * (1 - LAPSE_RATE) + LAPSE_RATE / len(outcomes)
        expected = np.tensordot(likelihood, weights, axes=(1, 0))
        information = entropy(expected) - entropy(likelihood) @ weights
        accuracy = likelihood[..., [0, -1]].max(axis=-1) @ weights
        table = np.where(accuracy >= ease, information, TOO_HARD_FACTOR * information)
        self._table: Array = table.reshape(CELLS, CELLS)

    def __call__(self, means: Array, variances: Array) -> Array:
        """Return the information by the mean and the variance of the difference."""
        rows = _cells(np.abs(means))
        columns = _cells(np.sqrt(variances))
        information: Array = self._table.ravel()[rows * CELLS + columns]
        return information


def _cells(values: Array) -> Array:
    scaled = np.sqrt(values * (1 / RANGE)) * (CELLS - 1) + 0.5
    return np.minimum(scaled, CELLS - 1).astype(np.int32)
