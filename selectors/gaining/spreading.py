"""How widely scores spread, and what not knowing it makes of the scores.

A few answers per document tell the order, and hardly how far apart documents are: most of that is
the spread that was assumed. So it is not assumed to be one: with t = log(spread), m and v the means
and variances that a fit with this spread finds, and e what was expected of n documents,

    slope of the log evidence at t = sum((m - e)^2 + v) / spread^2 - n

(fits are fixed points, so nothing else moves with t). With a prior on t, this is followed to where
it is zero; how fast it falls there says how sure t is; and beliefs are averaged over three spreads
(Gauss and Hermite's). What they disagree in is a doubt about the scale: it widens differences as
far as they are large.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nextpair.selectors.gaining.fitting import SPREAD, Fit
from nextpair.selectors.placing.places import Array

DOUBT = 0.5
"""Deviation of the logarithm of the spread, before anything was answered."""
LONGEST = 0.5
"""The longest step that is taken at once."""
NODES, WEIGHTS = (-np.sqrt(3.0), np.sqrt(3.0)), (1 / 6, 1 / 6)
Improve = Callable[[Fit, int], Array | None]
"""Lets a fit go on for some sweeps, and returns the covariance if there is one."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What is believed of all scores."""

    means: Array
    variances: Array
    covariance: Array | None


def settle(fit: Fit, improve: Improve, rounds: int, sweeps: int) -> Scores:
    """Find the likeliest spread, and average over those that are likely, too.

    Parameters
    ----------
    rounds, sweeps
        How often the spread is moved, and how long fits go on after each move.
    """
    covariance = improve(fit, sweeps)
    place, pull, held = np.log(fit.spread), _pull(fit), 2 / DOUBT**2
    for _ in range(rounds):
        step = float(np.clip(pull / held, -LONGEST, LONGEST))
        fit.spread = float(np.exp(place + step))
        covariance = improve(fit, sweeps)
        before, pull, place = pull, _pull(fit), place + step
        if abs(step) > 1e-3:
            held = max((before - pull) / step, 1 / DOUBT**2)
    return _averaged(fit, covariance, 1 / np.sqrt(held), improve, sweeps)


def _pull(fit: Fit) -> float:
    """Return the slope of the log probability of the spread, by its logarithm."""
    squares = ((fit.means - fit.expected) ** 2 + fit.variances).sum() / fit.spread**2
    return float(squares - fit.data.size - np.log(fit.spread / SPREAD) / DOUBT**2)


def _averaged(
    fit: Fit, covariance: Array | None, doubt: float, improve: Improve, sweeps: int
) -> Scores:
    found = [(1 - sum(WEIGHTS), Scores(fit.means, fit.variances, covariance))]
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        other = fit.twin()
        other.spread = float(fit.spread * np.exp(node * doubt))
        covariance = improve(other, sweeps)
        found.append((weight, Scores(other.means, other.variances, covariance)))
    means = sum(weight * one.means for weight, one in found)
    variances, together = np.zeros_like(fit.means), None
    if covariance is not None: together = np.zeros_like(covariance)
    for weight, one in found:
        apart = one.means - means
        variances += weight * (one.variances + apart**2)
        if together is not None:
            together += weight * one.covariance; together += np.outer(weight * apart, apart)
    return Scores(means, variances, together)
