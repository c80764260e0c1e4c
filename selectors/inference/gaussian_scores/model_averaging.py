"""Bayesian model averaging over crowds.

A few answers per document cannot tell documents that lie close together from a crowd of which many
guess. So neither is assumed: all comparisons are fitted with each crowd, and each fit is weighted
by its log evidence.
"""

from dataclasses import dataclass

import numpy as np

from nextpair.selectors.inference.gaussian_scores.dense_propagation import dense_sweep
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import (
    ExpectationPropagation,
    ScoreData,
)
from nextpair.selectors.inference.gaussian_scores.log_evidence import log_evidence
from nextpair.selectors.inference.gaussian_scores.scale_posterior import (
    USUAL_SCALE,
    ScoreMoments,
    fit_scale,
    mixture_moments,
    with_covariance,
)
from nextpair.selectors.inference.numerics import Array, softmax
from nextpair.selectors.inference.workers.response_mixture import (
    CROWDS,
    KindPosterior,
    ResponseMixture,
)

MAX_DENSE_DOCUMENTS, MAX_CORRELATED_DOCUMENTS = 500, 2_000
"""Up to this many documents sweeps use the whole covariance; up to this many there is one."""


@dataclass(frozen=True, slots=True)
class AveragedFit:
    """Scores and kinds of workers, averaged over crowds, and the tie margin of the best fit."""

    scores: ScoreMoments
    kinds: KindPosterior
    margin: float


def average_over_crowds(data: ScoreData, gold: Array, effort: tuple[int, int]) -> AveragedFit:
    """Fit all comparisons with each crowd, and average over the crowds.

    Parameters
    ----------
    gold
        The log likelihood of gold responses, by kind and worker.
    effort
        The number of steps of the scale in a fit, and the sweeps after each.
    """
    fits, scores, log_weights = [], [], []
    is_dense = data.size <= MAX_DENSE_DOCUMENTS
    for probability, shares in CROWDS:
        workers = ResponseMixture(data.comparisons.worker, gold, np.array(shares))
        fit = ExpectationPropagation(data, workers, USUAL_SCALE)
        fit.propagate()
        scaled = fit_scale(fit, dense_sweep if is_dense else ExpectationPropagation.sweep, *effort)
        fits.append(fit)
        scores.append(scaled.scores)
        log_weights.append(
            np.log(probability) + scaled.log_evidence + log_evidence(fit, scaled.covariance)
        )
    weights: Array = softmax(np.array(log_weights))
    best = fits[int(weights.argmax())]
    averaged = mixture_moments(weights, scores)
    if MAX_DENSE_DOCUMENTS < data.size <= MAX_CORRELATED_DOCUMENTS:
        averaged = with_covariance(best, averaged)
    kinds = KindPosterior.averaged(weights, [fit.workers.posterior() for fit in fits])
    return AveragedFit(averaged, kinds, best.margin)
