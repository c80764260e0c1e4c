"""Which classes may be one: what the answers between them say."""

import numpy as np
from scipy.special import gammaln

from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.ordinal_classes.posterior import Beliefs

MOST_PAIRS = 6
"""Of all pairs of classes so many are looked at: laying one over the other takes trying."""


def layable(beliefs: Beliefs) -> list[tuple[int, int]]:
    """Return classes that may be laid over larger ones, with these, most promising first."""
    gains, counts = _gains(beliefs), beliefs.counts
    numbers = range(beliefs.classes)
    pairs = [
        (gone, over)
        for gone in numbers
        for over in numbers
        if (counts[gone], gone) < (counts[over], over)
    ]
    return sorted(pairs, key=lambda pair: -gains[pair])[:MOST_PAIRS]


def joining_gains(beliefs: Beliefs) -> Array:
    """Return by how much each class and the next are likelier one than two, as logarithms."""
    counts = np.maximum(beliefs.counts, 0.5)
    # How much likelier so many documents are of one class than of two, before any answer.
    together = gammaln(counts[:-1] + counts[1:])
    apart = gammaln(counts[:-1]) + gammaln(counts[1:])
    gains: Array = np.diagonal(_gains(beliefs), 1) + together - apart
    return gains


def _gains(beliefs: Beliefs) -> Array:
    """Return how much likelier the answers between each two classes are, were they one."""
    answers = beliefs.answers
    likelihood = np.log(beliefs.crowd.likelihood(answers.worker, answers.answer), dtype=np.float64)
    one, other = beliefs.beliefs[answers.first, 1::2], beliefs.beliefs[answers.second, 1::2]
    above = one.T @ ((likelihood[1] - likelihood[0])[:, None] * other)
    below = one.T @ ((likelihood[1] - likelihood[2])[:, None] * other)
    gains: Array = np.triu(above, 1) + np.tril(below, -1)
    return gains + gains.T
