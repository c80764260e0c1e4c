"""Messages: what an answer tells one of its documents, given what is believed of the other.

Everything here is of many answers at once, one per column, with places as rows: a few long rows
are worked through several times faster than many short ones, which makes it matter that arrays are
laid out that way in memory (`take` does so, an index in brackets need not). Single precision is
faster again, and no answer says anything to seven digits.
"""

import itertools
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes.places import SAME, Array

Many = NDArray[np.float32]
Weights = TypeVar("Weights", NDArray[np.float32], NDArray[np.float64])

LEAST = 1e-12
"""No chance is smaller: what seems impossible may be an error."""
APART = (1 - SAME) / 2
"""How likely the first of two documents of one gap is the better one."""


def tell(likelihood: Many, others: Many) -> Many:
    """Return the chance of each answer at each place of its document.

    Parameters
    ----------
    likelihood
        The chance of each answer, were the document better than, tied with and worse than the
        other, by row.
    others
        What is believed of the other document: a distribution over places per column.
    """
    better, tie, worse = likelihood
    told = upto(others)
    whole = better * told[-1]
    told *= worse - better
    told += whole
    told[1::2] += (tie - worse) * others[1::2]
    told[0::2] += (SAME * tie + APART * (better + worse) - worse) * others[0::2]
    return np.maximum(told, LEAST, out=told)


def relate(firsts: Many, seconds: Many) -> Many:
    """Return how likely first documents are better than, tied with and worse than second ones."""
    so_far = upto(seconds)
    whole = firsts.sum(axis=0) * so_far[-1]
    so_far *= firsts
    not_better = so_far.sum(axis=0)
    same = firsts * seconds
    in_class, in_gap = same[1::2].sum(axis=0), same[0::2].sum(axis=0)
    better = whole - not_better + APART * in_gap
    worse = not_better - in_class - (1 - APART) * in_gap
    related: Many = np.stack([better, in_class + SAME * in_gap, worse])
    return np.maximum(related, LEAST, out=related)


def upto(chances: Many) -> Many:
    """Add up places from the best one on."""
    total = chances.copy()
    # Row by row: numpy's own sum goes down every column by itself, and takes ten times as long.
    for better, place in itertools.pairwise(total):
        place += better
    return total


def both_ways(likelihood: Many) -> Many:
    """Add to the likelihoods told from the first documents those told from the second."""
    return np.concatenate([likelihood, likelihood[::-1]], axis=1)


def swapped(sides: Many) -> Many:
    """Put what is of the second documents before what is of the first."""
    middle = sides.shape[1] // 2
    return np.concatenate([sides[:, middle:], sides[:, :middle]], axis=1)


def without(chances: Many, told: Many) -> Many:
    """Return what would be believed had these messages not been told, one per column.

    Parameters
    ----------
    chances
        What is believed with them; overwritten.
    """
    chances /= told
    chances /= chances.sum(axis=0)
    return np.maximum(chances, LEAST, out=chances)


def damped(told: Many, sent: Many) -> Many:
    """Return messages half way, as logarithms, from the last to the new, so that none swings."""
    between: Many = np.sqrt(told * sent)
    return between


def shares(logs: Weights) -> Weights:
    """Return distributions from logarithms of weights, one per column."""
    weights: Weights = logs - logs.max(axis=0)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=0)
    return weights


def log_sums(logs: Array) -> Array:
    """Return the logarithm of the sum of weights given as logarithms, one per column."""
    most = logs.max(axis=0)
    sums: Array = np.log(np.exp(logs - most).sum(axis=0)) + most
    return sums


def in_columns(rows: Array) -> Many:
    """Turn rows of places into columns."""
    return np.ascontiguousarray(rows.T, dtype=np.float32)
