"""Factor-to-variable messages of the comparisons, and the cavities they are computed from.

With R(r | x, y) the relation r of documents at places x and y, w the worker of an answer a, and q
the cavity of the other document, the message of the answer to the place x of its document is

    m(x) = sum_r P(a | r, w) sum_y R(r | x, y) q(y)

Relations of places are an order, so cumulative sums give all messages in O(places).

All functions treat many answers at once, one per column, with places as rows: numpy works several
times faster on a few long rows than on many short ones, and for that arrays must be laid out in
memory that way (`take` does so, an index in brackets need not). Single precision is faster again,
and no answer is informative to seven digits.
"""

import itertools

import numpy as np

from nextpair.selectors.inference.numerics import Array32
from nextpair.selectors.inference.ordinal_classes.places import DIFFERENCE_IN_GAP, TIE_IN_GAP

MIN_PROBABILITY = 1e-12
"""No message is smaller: what seems impossible may be an error."""


def factor_messages(likelihood: Array32, others: Array32) -> Array32:
    """Return the message of each answer to its document: its likelihood at each place.

    Parameters
    ----------
    likelihood
        The probability of each answer, were the document better than, tied with and worse than the
        other, by row.
    others
        The cavity of the other document: a distribution over places per column.
    """
    better, tie, worse = likelihood
    messages = cumulative(others)
    whole = better * messages[-1]
    messages *= worse - better
    messages += whole
    messages[1::2] += (tie - worse) * others[1::2]
    messages[0::2] += (TIE_IN_GAP * tie + DIFFERENCE_IN_GAP * (better + worse) - worse) * others[
        0::2
    ]
    return np.maximum(messages, MIN_PROBABILITY, out=messages)


def relation_probabilities(first: Array32, second: Array32) -> Array32:
    """Return the probability that first documents are better than, tied with, worse than second."""
    up_to = cumulative(second)
    whole = first.sum(axis=0) * up_to[-1]
    up_to *= first
    not_better = up_to.sum(axis=0)
    same_place = first * second
    in_class, in_gap = same_place[1::2].sum(axis=0), same_place[0::2].sum(axis=0)
    better = whole - not_better + DIFFERENCE_IN_GAP * in_gap
    worse = not_better - in_class - (1 - DIFFERENCE_IN_GAP) * in_gap
    relations: Array32 = np.stack([better, in_class + TIE_IN_GAP * in_gap, worse])
    return np.maximum(relations, MIN_PROBABILITY, out=relations)


def cumulative(distributions: Array32) -> Array32:
    """Sum places cumulatively, from the best one on."""
    total = distributions.copy()
    # Row by row: numpy's cumsum goes down every column separately, and takes ten times as long.
    for better, place in itertools.pairwise(total):
        place += better
    return total


def stack_directions(likelihood: Array32) -> Array32:
    """Append to the likelihoods for first documents, as columns, those for second documents."""
    return np.concatenate([likelihood, likelihood[::-1]], axis=1)


def swap_sides(sides: Array32) -> Array32:
    """Put the columns of the second documents before those of the first."""
    middle = sides.shape[1] // 2
    return np.concatenate([sides[:, middle:], sides[:, :middle]], axis=1)


def cavity(posteriors: Array32, messages: Array32) -> Array32:
    """Return posteriors without one message each, one per column.

    Parameters
    ----------
    posteriors
        The posteriors that include the messages; overwritten.
    """
    posteriors /= messages
    posteriors /= posteriors.sum(axis=0)
    return np.maximum(posteriors, MIN_PROBABILITY, out=posteriors)


def damped(old: Array32, new: Array32) -> Array32:
    """Return the geometric mean of old and new messages, so that none oscillates."""
    between: Array32 = np.sqrt(old * new)
    return between
