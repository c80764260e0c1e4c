"""Summaries of the posterior over scores: the certain order, certainties, and the forecast."""

import numpy as np
from scipy.special import ndtr

from nextpair.selectors.inference.gaussian_scores.posterior import ScorePosterior
from nextpair.selectors.inference.gaussian_scores.stopping import (
    ScoreStoppingRule,
    ScoreStoppingStatus,
)
from nextpair.selectors.inference.numerics import Z_90, Array
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.settings import Forecast

BLOCK = 256
"""The number of documents whose differences with all others are computed at once."""
DECAY_EXPONENTS = (0.7, 0.9, 0.5)
"""The power of the answers with which wrong pairs become fewer: usually, at best, and at worst.

In `benchmarks.gaining.scales`, from 2 to 10 judgments per item: 0.87 where scores spread much wider
than judges err, 0.56 where they do not.
"""


def interval_order(posterior: ScorePosterior) -> Order:
    """Return the order of documents whose 90 % intervals do not overlap."""
    half = Z_90 * np.sqrt(posterior.variances)
    return Order.of_intervals(posterior.means - half, posterior.means + half)


def certainty(posterior: ScorePosterior) -> Array:
    """Return the mean probability that each document is on the right side of another one."""
    size = len(posterior.means)
    certainties = np.ones(size)
    for start in range(0, size if size > 1 else 0, BLOCK):
        rows = np.arange(start, min(start + BLOCK, size))
        distances = np.abs(posterior.means[rows][:, None] - posterior.means)
        deviations = np.sqrt(np.maximum(posterior.difference_variances(rows), 1e-12))
        right = ndtr(distances / deviations)
        right[np.arange(len(rows)), rows] = 0.0
        certainties[rows] = right.sum(axis=1) / (size - 1)
    return certainties


def win_probability(posterior: ScorePosterior, first: int, second: int) -> float:
    """Return the probability that the first of two documents is the better one."""
    mean, variance = posterior.difference(first, second)
    return float(ndtr(mean / np.sqrt(variance)))


def forecast(
    status: ScoreStoppingStatus, rule: ScoreStoppingRule, judgments: int, remaining: float
) -> Forecast | None:
    """Forecast how many more judgments are needed; None where nothing tells that yet.

    Parameters
    ----------
    remaining
        How many the budget has left.
    """
    if status.is_met or remaining <= 0:
        return Forecast(0, 0, 0)
    if rule.width:
        # Variances fall in proportion to the answers, and widths are their roots.
        expected, low, high = (judgments * ((status.width / rule.width) ** 2 - 1),) * 3
    elif rule.top or not judgments or not rule.risk:
        return Forecast(remaining, 0, remaining) if remaining < np.inf else None
    else:
        ratio = status.risk / rule.risk
        expected, low, high = (
            judgments * (ratio ** (1 / exponent) - 1) for exponent in DECAY_EXPONENTS
        )
    return Forecast(*(float(min(each, remaining)) for each in (expected, low, high)))
