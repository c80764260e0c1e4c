"""How many judgments are left until the order is proven: a mean and how far it may be off.

Every cluster ends with one tie, unless it becomes a class itself. What it costs besides is how deep
its place lies in the tree of questions that the selector would ask about it; documents nobody has
been asked about yet share the uncertainty about how large the classes are, as in a Polya urn.
"""

import math

import numpy as np
from scipy.special import gammaln

from nextpair.selectors.inference.exact_classes.acquisition import worth
from nextpair.selectors.inference.exact_classes.class_chain import Chain
from nextpair.selectors.inference.exact_classes.cluster_posterior import (
    CONCENTRATION,
    Outlook,
    look,
)
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state.judgments import Finding, Outcome
from nextpair.selectors.state.order import Order

TOGETHER = 0.82
"""What comparing clusters with each other leaves of the cost of a tree over classes."""
TOLD_APART = 0.9
"""The same where features tell clusters apart, so that fewer are worth comparing."""
DOUBT = 1.1
"""By how much the spread is wider than the urn's."""
SORTED = 1 / 3
"""How likely a topic of which nothing is known is one without ties, a list to be sorted."""
TREES = 48
"""Rows of documents nobody has been asked about that are looked at, at most."""


def remaining(chain: Chain, outlook: Outlook) -> tuple[float, float]:
    """Return the mean and the standard deviation of the judgments left."""
    fresh = chain.fresh.bit_count()
    judged = sum(chain.sizes) + sum(cluster.size for cluster in chain.clusters.values())
    touched = [row for row, label in enumerate(outlook.labels) if not chain.fresh >> label & 1]
    new = CONCENTRATION * math.log1p(fresh / max(judged, 1))
    mean, variance = fresh + len(chain.clusters) - new, new
    left = TOLD_APART if len(outlook.labels) - len(touched) > 1 else TOGETHER
    for row in touched:
        times = outlook.members(row).bit_count()
        cost, spread = _cost(outlook.chances[row])
        mean += left * times * cost
        variance += times * spread
    if fresh:
        rows = range(len(touched), len(outlook.labels))
        looked = [_cost(outlook.chances[row]) for row in rows[:: -(-len(rows) // TREES)]]
        cost, spread = np.mean(looked, axis=0)
        mean += left * fresh * cost
        variance += fresh * spread * (judged + fresh) / (judged + 1)
    return mean, DOUBT * math.sqrt(variance)


def before_answers(size: int) -> tuple[float, float]:
    """Return the same before anybody has answered, when nothing is known of the classes.

    Either there are few, as the urn expects, or as many as documents, which are to be sorted. What
    features are worth is learned from answers, so nothing of them is foreseen.
    """
    tied, new = _after_first(size, Outcome.TIE), _after_first(size, Outcome.BETTER)
    weight = CONCENTRATION / (1 + CONCENTRATION)
    sorting = float(gammaln(size + 1)) / math.log(2), 0.0
    worlds = (
        ((1 - SORTED) * (1 - weight), 1 + tied[0], tied[1]),
        ((1 - SORTED) * weight, 1 + new[0], new[1]),
        (SORTED, *sorting),
    )
    mean = sum(chance * expected for chance, expected, _ in worlds)
    variance = sum(
        chance * (spread**2 + (expected - mean) ** 2) for chance, expected, spread in worlds
    )
    return mean, math.sqrt(variance)


def _after_first(size: int, outcome: Outcome) -> tuple[float, float]:
    """Return what is left once any two documents of so many have been compared."""
    order = Order(size)
    chain = Chain(order)
    chain.absorb(Finding(0, 1, outcome, ()), order.absorb(0, 1, outcome))
    return (0.0, 0.0) if order.complete else remaining(chain, look(chain, None, order))


def _cost(chances: Array) -> tuple[float, float]:
    """Return the mean and variance of the answers that are no ties, until a cluster is placed."""
    depths = _depths(chances)
    mean = float(chances @ depths)
    return mean, float(chances @ depths**2) - mean**2


def _depths(chances: Array) -> Array:
    """Count, for each place, the classes a cluster differs from before it gets there."""
    depths = np.zeros(len(chances))
    ranges = [(0, len(chances) - 1)]
    while ranges:
        low, high = ranges.pop()
        part = chances[low : high + 1]
        total = part.sum()
        if low == high or total <= 0:
            continue
        tie, above = part[1::2] / total, np.cumsum(part)[0:-1:2] / total
        asked = low + 1 + 2 * int(np.argmax(worth(tie, above, np.maximum(1 - tie - above, 0.0))))
        depths[low : high + 1] += 1
        depths[asked] -= 1
        ranges += [(low, asked - 1), (asked + 1, high)]
    return depths
