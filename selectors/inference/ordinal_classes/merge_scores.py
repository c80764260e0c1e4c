"""Merge scores: which classes may be one, from the answers between them."""

import numpy as np
from scipy.special import gammaln

from nextpair.selectors.inference.numerics import Array
from nextpair.selectors.inference.ordinal_classes.posterior import ClassPosterior

MAX_CANDIDATES = 6
"""The number of pairs of classes that are tried: each trial takes sweeps of messages."""


def merge_candidates(posterior: ClassPosterior) -> list[tuple[int, int]]:
    """Return classes to merge into larger ones, as source and target, most promising first."""
    gains, sizes = _likelihood_gains(posterior), posterior.class_sizes
    numbers = range(posterior.class_count)
    pairs = [
        (source, target)
        for source in numbers
        for target in numbers
        if (sizes[source], source) < (sizes[target], target)
    ]
    return sorted(pairs, key=lambda pair: -gains[pair])[:MAX_CANDIDATES]


def neighbour_merge_gains(posterior: ClassPosterior) -> Array:
    """Return the log-odds of one class against two, for each class and the next one."""
    sizes = np.maximum(posterior.class_sizes, 0.5)
    # The prior: how much likelier so many documents are of one class than of two.
    merged = gammaln(sizes[:-1] + sizes[1:])
    separate = gammaln(sizes[:-1]) + gammaln(sizes[1:])
    gains: Array = np.diagonal(_likelihood_gains(posterior), 1) + merged - separate
    return gains


def _likelihood_gains(posterior: ClassPosterior) -> Array:
    """Return the log likelihood that the answers between each two classes gain from a merge."""
    comparisons = posterior.comparisons
    log_likelihood = np.log(
        posterior.crowd.posterior_likelihood(comparisons.worker, comparisons.outcome),
        dtype=np.float64,
    )
    first = posterior.probabilities[comparisons.first, 1::2]
    second = posterior.probabilities[comparisons.second, 1::2]
    above = first.T @ ((log_likelihood[1] - log_likelihood[0])[:, None] * second)
    below = first.T @ ((log_likelihood[1] - log_likelihood[2])[:, None] * second)
    gains: Array = np.triu(above, 1) + np.tril(below, -1)
    return gains + gains.T
