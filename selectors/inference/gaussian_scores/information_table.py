"""What a pair's answer is worth: a table over the mean and the deviation of the difference.

The mutual information of an answer and the scores is what the answer's entropy is less its entropy
if the difference were known. Both depend on two numbers only, so one table prices all pairs.
"""

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import ndtr

from nextpair.selectors.inference.ordinal_classes.acquisition import entropy
from nextpair.selectors.inference.ordinal_classes.places import Array

CELLS = 96
REACH = 12.0
"""Means and deviations beyond this are priced as if they were this."""
LAPSE = 0.02
"""How many answers are given at random by anyone: what seems certain is still worth little."""
TOO_HARD = 1e-3
"""What is left of the worth of a pair that is too hard."""
_NODES, _WEIGHTS = hermegauss(12)


class Prices:
    """How much answers teach, in nats, where the margin of ties is known.

    Parameters
    ----------
    ease
        How often a judge is expected to find the better of the two, at least.
    """

    def __init__(self, margin: float, ties: bool, ease: float) -> None:
        axis = REACH * (np.arange(CELLS) / (CELLS - 1)) ** 2
        mean = axis[:, None, None]
        differences = (mean + axis[None, :, None] * _NODES).reshape(CELLS * CELLS, -1)
        weights = _WEIGHTS / _WEIGHTS.sum()
        better, worse = ndtr(differences - margin), ndtr(-differences - margin)
        said = [better, 1 - better - worse, worse] if ties else [better, worse]
        answers = np.stack(said, axis=-1) * (1 - LAPSE) + LAPSE / len(said)
        expected = np.tensordot(answers, weights, axes=(1, 0))
        taught = entropy(expected) - entropy(answers) @ weights
        found = answers[..., [0, -1]].max(axis=-1) @ weights
        priced = np.where(found >= ease, taught, TOO_HARD * taught)
        self._table: Array = priced.reshape(CELLS, CELLS)

    def __call__(self, means: Array, variances: Array) -> Array:
        """Price pairs by the mean and the variance of the difference."""
        rows = _cells(np.abs(means))
        columns = _cells(np.sqrt(variances))
        priced: Array = self._table.ravel()[rows * CELLS + columns]
        return priced


def _cells(values: Array) -> Array:
    scaled = np.sqrt(values * (1 / REACH)) * (CELLS - 1) + 0.5
    return np.minimum(scaled, CELLS - 1).astype(np.int32)
