"""The confusion matrix that most workers of a crowd share: its maximum a posteriori estimate.

The prior is a beta distribution of the error rate, and for the five parameters a Dirichlet one
around what that error rate makes expected.
"""

import numpy as np

from nextpair.selectors.inference.numerics import Array, normalized
from nextpair.selectors.inference.workers.confusion_matrices import (
    expected_parameters,
    parameter_counts,
)

ERROR_PRIOR_COUNT = 20.0
"""The weight of the expected error rate, in answers."""
PARAMETER_PRIOR_COUNT = 20.0
"""The weight, in answers, of the prior that who errs about ties errs about differences as often."""
MIN_ORIENTATION_RATIO = 2.0
"""The crowd answers a difference correctly at least this many times as often as reversed."""


def estimate_shared_parameters(outcome_counts: Array, expected_error: float) -> tuple[Array, float]:
    """Return the parameters of the shared confusion matrix, and their log prior.

    Parameters
    ----------
    outcome_counts
        For each relation (rows) the expected counts of its outcomes.
    expected_error
        The expected share of wrong answers.
    """
    error_prior = ERROR_PRIOR_COUNT * np.array([1 - expected_error, expected_error])
    counts = parameter_counts(*outcome_counts)
    right = counts[[0, 2]].sum() + error_prior[0]
    error = float(1 - right / (counts.sum() + ERROR_PRIOR_COUNT))
    expected = expected_parameters(error)
    differences = counts[2:] + PARAMETER_PRIOR_COUNT * expected[2:]
    # Without this bound, the mirror image of an order with a crowd that reverses everything would
    # explain the answers equally well.
    differences[2] = min(differences[2], differences[0] / MIN_ORIENTATION_RATIO)
    # And with this one, two halves of one class do not pass for two classes with a crowd that
    # misses most differences.
    differences[1] = min(differences[1], differences[0])
    ties = normalized(counts[:2] + PARAMETER_PRIOR_COUNT * expected[:2])
    parameters = np.concatenate([ties, normalized(differences)])
    log_prior = float(
        error_prior @ np.log([1 - error, error])
        + PARAMETER_PRIOR_COUNT * (expected * np.log(parameters / expected)).sum()
    )
    return parameters, log_prior
