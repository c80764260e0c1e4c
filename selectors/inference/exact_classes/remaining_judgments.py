"""The number of judgments left until the order is proven: its mean and standard deviation.

Every cluster ends with one tie, unless it becomes a class itself. What it costs besides is the
depth of its place in the tree of pairs that the selector would ask about it. Untouched documents
share the uncertainty about the sizes of classes, as in a Polya urn.
"""

import math

import numpy as np
from scipy.special import gammaln

from nextpair.selectors.inference.exact_classes.acquisition import bits_per_difference
from nextpair.selectors.inference.exact_classes.class_chain import ClassChain
from nextpair.selectors.inference.exact_classes.cluster_posterior import (
    CONCENTRATION,
    ClusterPosterior,
    compute_posterior,
)
from nextpair.selectors.inference.numerics import Array
from nextpair.selectors.state.judgments import Comparison, Outcome
from nextpair.selectors.state.order import Order

COST_FACTOR = 0.82
"""The cost of comparing clusters with each other, too, over that of a tree over classes."""
COST_FACTOR_WITH_FEATURES = 0.9
"""The same where features tell clusters apart, so that fewer are worth comparing."""
DEVIATION_FACTOR = 1.1
"""The standard deviation over that of the urn."""
SORTED_PROBABILITY = 1 / 3
"""The prior probability of a topic without ties, which is a list to be sorted."""
MAX_TREES = 48
"""The number of rows of untouched documents whose trees are computed."""


def remaining_judgments(chain: ClassChain, posterior: ClusterPosterior) -> tuple[float, float]:
    """Return the mean and the standard deviation of the number of judgments left."""
    untouched = chain.untouched.bit_count()
    judged = sum(chain.sizes) + sum(cluster.size for cluster in chain.clusters.values())
    touched_rows = [
        row for row, label in enumerate(posterior.labels) if not chain.untouched >> label & 1
    ]
    new_classes = CONCENTRATION * math.log1p(untouched / max(judged, 1))
    mean, variance = untouched + len(chain.clusters) - new_classes, new_classes
    has_features = len(posterior.labels) - len(touched_rows) > 1
    factor = COST_FACTOR_WITH_FEATURES if has_features else COST_FACTOR
    for row in touched_rows:
        times = posterior.members(row).bit_count()
        cost, cost_variance = _cost(posterior.probabilities[row])
        mean += factor * times * cost
        variance += times * cost_variance
    if untouched:
        rows = range(len(touched_rows), len(posterior.labels))
        sample = rows[:: -(-len(rows) // MAX_TREES)]
        costs = [_cost(posterior.probabilities[row]) for row in sample]
        cost, cost_variance = np.mean(costs, axis=0)
        mean += factor * untouched * cost
        variance += untouched * cost_variance * (judged + untouched) / (judged + 1)
    return mean, DEVIATION_FACTOR * math.sqrt(variance)


def remaining_before_answers(size: int) -> tuple[float, float]:
    """Return the same before any answer, when nothing is known about the classes.

    Either there are few, as the urn expects, or as many as documents, which are to be sorted. What
    features are worth is learned from answers, so it is not forecast.
    """
    tied, new = _after_first(size, Outcome.TIE), _after_first(size, Outcome.BETTER)
    weight = CONCENTRATION / (1 + CONCENTRATION)
    to_sort = float(gammaln(size + 1)) / math.log(2), 0.0
    scenarios = (
        ((1 - SORTED_PROBABILITY) * (1 - weight), 1 + tied[0], tied[1]),
        ((1 - SORTED_PROBABILITY) * weight, 1 + new[0], new[1]),
        (SORTED_PROBABILITY, *to_sort),
    )
    mean = sum(probability * expected for probability, expected, _ in scenarios)
    variance = sum(
        probability * (deviation**2 + (expected - mean) ** 2)
        for probability, expected, deviation in scenarios
    )
    return mean, math.sqrt(variance)


def _after_first(size: int, outcome: Outcome) -> tuple[float, float]:
    """Return what is left once any two documents of so many have been compared."""
    order = Order(size)
    chain = ClassChain(order)
    chain.absorb(Comparison(0, 1, outcome, ()), order.absorb(0, 1, outcome))
    if order.complete:
        return 0.0, 0.0
    return remaining_judgments(chain, compute_posterior(chain, None, order))


def _cost(probabilities: Array) -> tuple[float, float]:
    """Return mean and variance of the answers that are no ties, until a cluster is placed."""
    depths = _depths(probabilities)
    mean = float(probabilities @ depths)
    return mean, float(probabilities @ depths**2) - mean**2


def _depths(probabilities: Array) -> Array:
    """Return, for each place, the number of classes a cluster differs from before it gets there."""
    depths = np.zeros(len(probabilities))
    ranges = [(0, len(probabilities) - 1)]
    while ranges:
        low, high = ranges.pop()
        part = probabilities[low : high + 1]
        total = part.sum()
        if low == high or total <= 0:
            continue
        tie, above = part[1::2] / total, np.cumsum(part)[0:-1:2] / total
        gains = bits_per_difference(tie, above, np.maximum(1 - tie - above, 0.0))
        asked = low + 1 + 2 * int(np.argmax(gains))
        depths[low : high + 1] += 1
        depths[asked] -= 1
        ranges += [(low, asked - 1), (asked + 1, high)]
    return depths
