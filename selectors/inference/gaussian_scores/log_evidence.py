"""The log evidence of all answers under a fit (the Bethe approximation).

With Z_a the evidence of answer a given its cavity, m_a its sites, q_a their cavities and Z the
normaliser of the prior times all sites,

    log evidence = sum_a log Z_a - sum_a log integral(m_a q_a) + log Z

for the scores, and the same for the types of workers.
"""

import numpy as np

from nextpair.selectors.inference.comparisons import WORSE
from nextpair.selectors.inference.gaussian_scores.dense_propagation import difference_cavities
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import (
    ExpectationPropagation,
)
from nextpair.selectors.inference.gaussian_scores.thurstone import outcome_likelihood
from nextpair.selectors.inference.numerics import Array


def log_evidence(fit: ExpectationPropagation, covariance: Array | None) -> float:
    """Return the log evidence of a fit.

    Parameters
    ----------
    covariance
        The covariance of the fit, if its sites are on differences; None for factorised sites.
    """
    of_scores = _factorised(fit) if covariance is None else _dense(fit, covariance)
    return of_scores + fit.workers.log_evidence()


def _dense(fit: ExpectationPropagation, covariance: Array) -> float:
    mean, variance = difference_cavities(fit, covariance)
    prior_precision, prior_means, data = 1 / fit.scale**2, fit.prior_means, fit.data
    shift = prior_precision * prior_means + data.sum_by_document(fit.site_shifts, -fit.site_shifts)
    log_volume = np.linalg.slogdet(covariance)[1] - 2 * data.size * np.log(fit.scale)
    normaliser = (log_volume + shift @ fit.means - prior_precision * prior_means @ prior_means) / 2
    overlaps = log_overlap(mean, variance, fit.site_precisions, fit.site_shifts).sum()
    return float(_answers_log_evidence(fit, mean, variance) - overlaps + normaliser)


def _factorised(fit: ExpectationPropagation) -> float:
    first, second = fit.cavities()
    data, (of_first, of_second) = fit.data, fit.document_sites
    overlaps = log_overlap(*first, *of_first).sum() + log_overlap(*second, *of_second).sum()
    prior_variances = np.full(data.size, fit.scale**2)
    sites = map(data.sum_by_document, of_first, of_second)
    normaliser = log_overlap(fit.prior_means, prior_variances, *sites).sum()
    mean, variance = first[0] - second[0], first[1] + second[1]
    return float(_answers_log_evidence(fit, mean, variance) - overlaps + normaliser)


def _answers_log_evidence(fit: ExpectationPropagation, mean: Array, variance: Array) -> float:
    """Return the sum of the log evidence of all answers, each given its cavity."""
    of_all, outcomes = outcome_likelihood(mean, variance, fit.margin), fit.data.comparisons.outcome
    likelihood, reversed_ = of_all.of(outcomes), of_all.of(WORSE - outcomes)
    weights, random_probability = fit.workers.cavity_weights(), fit.data.random_probability
    mixture = likelihood.mixture(reversed_, weights, random_probability)
    return float(np.log(mixture.probability).sum())


def log_overlap(mean: Array, variance: Array, precision: Array, shift: Array) -> Array:
    """Return the log of the integral of N(x; mean, variance) exp(shift x - precision x^2 / 2)."""
    peak = (mean / variance + shift) ** 2 / (1 / variance + precision)
    total: Array = (peak - mean**2 / variance - np.log1p(precision * variance)) / 2
    return total
