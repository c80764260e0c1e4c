"""What can be said for sure: which documents lie apart, how likely, and how long the rest takes."""

import numpy as np
from scipy.special import ndtr

from nextpair.selectors.inference.gaussian_scores.posterior import Beliefs
from nextpair.selectors.inference.gaussian_scores.stopping import Goal, Reach
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.settings import Forecast

APART = 1.6449
"""Deviations to either side of a score within which it is with a chance of 90 %."""
ROWS = 256
FALLS = (0.7, 0.9, 0.5)
"""With which power of the answers wrong pairs become fewer: as a rule, at best, and at worst.

In `benchmarks.gaining.scales`, from 2 to 10 judgments per item: 0.87 where scores spread much wider
than judges err, 0.56 where they do not.
"""


def order_of(beliefs: Beliefs) -> Order:
    """Return the order in which one document is better than another if their intervals say so."""
    half = APART * np.sqrt(beliefs.variances)
    return Order.of_intervals(beliefs.means - half, beliefs.means + half)


def certainty(beliefs: Beliefs) -> Array:
    """Return how likely each document is on the right side of any other, on average."""
    size = len(beliefs.means)
    found = np.ones(size)
    for start in range(0, size if size > 1 else 0, ROWS):
        rows = np.arange(start, min(start + ROWS, size))
        apart = np.abs(beliefs.means[rows][:, None] - beliefs.means)
        deviations = np.sqrt(np.maximum(beliefs.spreads(rows), 1e-12))
        right = ndtr(apart / deviations)
        right[np.arange(len(rows)), rows] = 0.0
        found[rows] = right.sum(axis=1) / (size - 1)
    return found


def chance(beliefs: Beliefs, first: int, second: int) -> float:
    """Return how likely the first of two documents is the better one."""
    mean, variance = beliefs.difference(first, second)
    return float(ndtr(mean / np.sqrt(variance)))


def forecast(reach: Reach, goal: Goal, heard: int, left: float) -> Forecast | None:
    """Say how many more judgments it takes, of those left; None where nothing tells that yet."""
    if reach.enough or left <= 0:
        return Forecast(0, 0, 0)
    if goal.width:
        # Variances fall as answers grow, and widths are their roots.
        expected, low, high = (heard * ((reach.width / goal.width) ** 2 - 1),) * 3
    elif goal.top or not heard or not goal.risk:
        return Forecast(left, 0, left) if left < np.inf else None
    else:
        times = reach.wrong / goal.risk
        expected, low, high = (heard * (times ** (1 / falls) - 1) for falls in FALLS)
    return Forecast(*(float(min(each, left)) for each in (expected, low, high)))
