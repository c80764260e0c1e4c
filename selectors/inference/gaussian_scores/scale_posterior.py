"""The posterior over the scale of scores, and scores averaged over it.

A few answers per document tell the order, and hardly how far apart documents are: most of that is
the assumed scale. So it has a posterior. With t = log(scale), m and v the means and variances of a
fit with this scale, and e the prior means of n documents,

    derivative of the log evidence by t = sum((m - e)^2 + v) / scale^2 - n

(fits are fixed points, so all other derivatives vanish). With a normal prior on t, the mode is
found by a secant method; the curvature there gives the deviation of t (Laplace); and scores are
averaged over three scales (Gauss-Hermite quadrature). Their disagreement is the uncertainty about
the scale: it widens differences in proportion to their size.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nextpair.selectors.inference.gaussian_scores.dense_propagation import update_covariance
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import (
    ExpectationPropagation,
)
from nextpair.selectors.inference.numerics import Array

USUAL_SCALE, LOG_SCALE_DEVIATION = 2.0, 0.5
"""The prior of the scale: its median, and the deviation of its logarithm."""
MAX_STEP, MIN_STEP = 0.5, 1e-3
"""The largest step of the logarithm, and the smallest from which a curvature is computed."""
NODES = (-np.sqrt(3.0), np.sqrt(3.0))
"""The nodes of the quadrature besides the mode, in deviations."""
WEIGHTS = np.array([2 / 3, 1 / 6, 1 / 6])
"""The weights of the mode and of the other nodes."""
Sweep = Callable[[ExpectationPropagation, int], Array | None]
"""Continues a fit for some sweeps, and returns its covariance if it has one."""


@dataclass(frozen=True, slots=True)
class ScoreMoments:
    """Means and variances of scores, and their covariance unless they are independent."""

    means: Array
    variances: Array
    covariance: Array | None


@dataclass(frozen=True, slots=True)
class ScaleFit:
    """The result of fitting the scale.

    Parameters
    ----------
    scores
        The scores, averaged over the scale.
    covariance
        The covariance at the mode of the scale, if there is one.
    log_evidence
        The term of the log evidence that comes from integrating over the scale (Laplace).
    """

    scores: ScoreMoments
    covariance: Array | None
    log_evidence: float


def fit_scale(fit: ExpectationPropagation, sweep: Sweep, steps: int, sweeps: int) -> ScaleFit:
    """Find the mode of the scale, and average scores over its posterior.

    Parameters
    ----------
    steps, sweeps
        The number of steps of the scale, and the sweeps after each.
    """
    at_mode = _swept(fit, sweep, sweeps)
    slope, curvature = _log_posterior_slope(fit), 2 / LOG_SCALE_DEVIATION**2
    for _ in range(steps):
        step = float(np.clip(slope / curvature, -MAX_STEP, MAX_STEP))
        fit.scale *= float(np.exp(step))
        at_mode = _swept(fit, sweep, sweeps)
        previous, slope = slope, _log_posterior_slope(fit)
        if abs(step) > MIN_STEP:
            curvature = max((previous - slope) / step, 1 / LOG_SCALE_DEVIATION**2)
    at_nodes = []
    for node in NODES:
        other = fit.copy()
        other.scale *= float(np.exp(node / np.sqrt(curvature)))
        at_nodes.append(_swept(other, sweep, sweeps))
    deviations = float(np.log(fit.scale / USUAL_SCALE) / LOG_SCALE_DEVIATION)
    sharpness = float(np.log(curvature * LOG_SCALE_DEVIATION**2))
    log_evidence = -(deviations**2 + sharpness) / 2
    return ScaleFit(
        mixture_moments(WEIGHTS, [at_mode, *at_nodes]), at_mode.covariance, log_evidence
    )


def _swept(fit: ExpectationPropagation, sweep: Sweep, sweeps: int) -> ScoreMoments:
    covariance = sweep(fit, sweeps)
    return ScoreMoments(fit.means, fit.variances, covariance)


def _log_posterior_slope(fit: ExpectationPropagation) -> float:
    """Return the derivative of the log posterior of the scale by its logarithm."""
    squares = ((fit.means - fit.prior_means) ** 2 + fit.variances).sum() / fit.scale**2
    of_prior = np.log(fit.scale / USUAL_SCALE) / LOG_SCALE_DEVIATION**2
    return float(squares - fit.data.size - of_prior)


def mixture_moments(weights: Array, parts: Sequence[ScoreMoments]) -> ScoreMoments:
    """Return the mean and covariance of a mixture."""
    means: Array = weights @ np.stack([part.means for part in parts])
    variances = np.zeros_like(means)
    has_covariance = parts[0].covariance is not None
    covariance = np.zeros((len(means), len(means))) if has_covariance else None
    for weight, part in zip(weights.tolist(), parts, strict=True):
        deviations = part.means - means
        variances += weight * (part.variances + deviations**2)
        if covariance is not None and part.covariance is not None:
            covariance += weight * (part.covariance + np.outer(deviations, deviations))
    return ScoreMoments(means, variances, covariance)


def with_covariance(fit: ExpectationPropagation, scores: ScoreMoments) -> ScoreMoments:
    """Add a covariance to scores that were fitted with factorised sites.

    It is that of the fit, at the mode of the scale, widened as averaging has widened the variances;
    the means are shifted as averaging has shifted them.
    """
    shift = scores.means - fit.means
    widening = np.sqrt(scores.variances / fit.variances)
    covariance = update_covariance(fit)
    covariance *= widening
    covariance *= widening[:, None]
    return ScoreMoments(fit.means + shift, covariance.diagonal().copy(), covariance)
