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

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nextpair.selectors.inference.gaussian_scores.dense_propagation import covariance
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import Fit
from nextpair.selectors.inference.ordinal_classes.places import Array

USUAL, DOUBT = 2.0, 0.5
"""The likeliest spread before anything was answered, and the deviation of its logarithm."""
LONGEST, SHORTEST = 0.5, 1e-3
"""The longest step of the logarithm taken at once, and the shortest that tells a curvature."""
NODES = (-np.sqrt(3.0), np.sqrt(3.0))
"""Where spreads are tried besides the likeliest one, in deviations."""
WEIGHTS = np.array([2 / 3, 1 / 6, 1 / 6])
"""Of the likeliest spread and the others."""
Improve = Callable[[Fit, int], Array | None]
"""Lets a fit go on for some sweeps, and returns its covariance if it has one."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What is believed of all scores; without a covariance where documents are one by one."""

    means: Array
    variances: Array
    covariance: Array | None


@dataclass(frozen=True, slots=True)
class Settled:
    """What comes of a fit once its spread is found.

    Parameters
    ----------
    scores
        Averaged over the spreads that are likely.
    likeliest
        The covariance with the likeliest spread, if there is one.
    evidence
        What the prior of the spread, and how sharp it has become, add to the log evidence.
    """

    scores: Scores
    likeliest: Array | None
    evidence: float


def settle(fit: Fit, improve: Improve, rounds: int, sweeps: int) -> Settled:
    """Find the likeliest spread, and average over those that are likely, too.

    Parameters
    ----------
    rounds, sweeps
        How often the spread is moved, and how long fits go on after each move.
    """
    found = _improved(fit, improve, sweeps)
    pull, held = _pull(fit), 2 / DOUBT**2
    for _ in range(rounds):
        step = float(np.clip(pull / held, -LONGEST, LONGEST))
        fit.spread *= float(np.exp(step))
        found = _improved(fit, improve, sweeps)
        before, pull = pull, _pull(fit)
        if abs(step) > SHORTEST:
            held = max((before - pull) / step, 1 / DOUBT**2)
    others = []
    for node in NODES:
        other = fit.twin()
        other.spread *= float(np.exp(node / np.sqrt(held)))
        others.append(_improved(other, improve, sweeps))
    doubt = float(np.log(fit.spread / USUAL) / DOUBT)
    evidence = -(doubt**2 + float(np.log(held * DOUBT**2))) / 2
    return Settled(averaged(WEIGHTS, [found, *others]), found.covariance, evidence)


def _improved(fit: Fit, improve: Improve, sweeps: int) -> Scores:
    together = improve(fit, sweeps)
    return Scores(fit.means, fit.variances, together)


def _pull(fit: Fit) -> float:
    """Return the slope of the log probability of the spread, by its logarithm."""
    squares = ((fit.means - fit.expected) ** 2 + fit.variances).sum() / fit.spread**2
    return float(squares - fit.data.size - np.log(fit.spread / USUAL) / DOUBT**2)


def averaged(weights: Array, found: Sequence[Scores]) -> Scores:
    """Return mean and covariance of a mixture, by the weights of its parts."""
    means: Array = weights @ np.stack([one.means for one in found])
    variances = np.zeros_like(means)
    whole = found[0].covariance is not None
    together = np.zeros((len(means), len(means))) if whole else None
    for weight, one in zip(weights.tolist(), found, strict=True):
        apart = one.means - means
        variances += weight * (one.variances + apart**2)
        if together is not None and one.covariance is not None:
            together += weight * (one.covariance + np.outer(apart, apart))
    return Scores(means, variances, together)


def correlated(fit: Fit, scores: Scores) -> Scores:
    """Add the covariance to scores that were found one by one.

    It is that of the fit, with the likeliest spread only; what averaging over spreads has moved and
    widened is moved and widened in it, too.
    """
    moved = scores.means - fit.means
    wider = np.sqrt(scores.variances / fit.variances)
    found = covariance(fit)
    found *= wider
    found *= wider[:, None]
    return Scores(fit.means + moved, found.diagonal().copy(), found)
