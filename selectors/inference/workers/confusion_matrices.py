"""Confusion matrices of workers, P(outcome | relation), described by five parameters.

Given a tie: the probability of answering "tie", and that of naming a winner. Given a difference:
the probability of answering it correctly, of answering "tie", and of answering it reversed. The two
sides of a pair are exchangeable, so nine cells need no more than five parameters.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from nextpair.selectors.inference.numerics import Array, Indices, normalized

MISSED_SHARE = 0.7
"""The share of wrong answers to differences that are expected to be ties; the others are
reversed."""
PARAMETER_OF_CELL = np.array([[2, 3, 4], [1, 0, 1], [4, 3, 2]])
"""The parameter behind each cell of the matrix: relations as rows, outcomes as columns."""
CELL_FACTOR = np.array([1, 0.5, 1, 1, 1])
"""The factor from a parameter to its cell: either winner of a tie is named equally often."""


def expected_parameters(error: float) -> Array:
    """Return the parameters expected of a worker with this share of wrong answers."""
    return np.array([1 - error, error, 1 - error, MISSED_SHARE * error, (1 - MISSED_SHARE) * error])


def parameter_counts(better: Array, tie: Array, worse: Array) -> Array:
    """Count the cases of each parameter from outcome counts (rows) given each relation."""
    counts: Array = np.stack(
        [
            tie[1],
            tie[0] + tie[2],
            better[0] + worse[2],
            better[1] + worse[1],
            better[2] + worse[0],
        ],
        axis=-1,
    )
    return counts


def estimate_parameters(counts: Array) -> tuple[Array, Array]:
    """Estimate the parameters of workers under a uniform Dirichlet prior.

    Parameters
    ----------
    counts
        The cases of each parameter, one worker per row.

    Returns
    -------
    tuple
        Posterior means by worker; and the log marginal likelihood of the counts
        (Dirichlet-multinomial) less their log likelihood at these means.
    """
    parameters: Array = np.concatenate(
        [normalized(counts[:, :2] + 1), normalized(counts[:, 2:] + 1)], axis=1
    )
    marginal = _log_marginal_likelihood(counts[:, :2]) + _log_marginal_likelihood(counts[:, 2:])
    return parameters, marginal - (counts * np.log(parameters)).sum(axis=1)


def _log_marginal_likelihood(counts: Array) -> Array:
    categories = counts.shape[1]
    marginal: Array = gammaln(counts + 1).sum(axis=1) - gammaln(counts.sum(axis=1) + categories)
    return marginal + gammaln(categories)


def confusion_matrices(parameters: Array) -> Array:
    """Return P(outcome | relation) by worker, relation and outcome."""
    matrices: Array = (parameters * CELL_FACTOR)[:, PARAMETER_OF_CELL]
    return matrices


def accuracy_and_information(confusion: Array) -> tuple[float, float]:
    """Return the expected accuracy and information of answers under a uniform relation.

    The information is the mutual information of relation and outcome over its maximum, log 3.
    """
    outcomes = confusion.mean(axis=0)
    noise = -(confusion * np.log(confusion)).sum() / 3
    information = (-(outcomes * np.log(outcomes)).sum() - noise) / np.log(3)
    return float(np.trace(confusion) / 3), float(max(information, 0.0))


def weighted_counts(outcomes: Indices, weights: NDArray[np.float32]) -> Array:
    """Sum the weights of each row by outcome."""
    return np.stack([np.bincount(outcomes, row, 3) for row in weights])
