"""Expectation propagation with the whole covariance: sites on differences of scores."""

import numpy as np
from scipy import linalg

from nextpair.selectors.inference.gaussian_scores.expectation_propagation import (
    MAX_CURVATURE,
    MIN_PRECISION,
    ExpectationPropagation,
    Moments,
    gaussian_site,
)
from nextpair.selectors.inference.numerics import Array

DAMPING = 0.3
"""The weight of the old site when a site is updated."""


def update_covariance(fit: ExpectationPropagation) -> Array:
    """Set the means and variances of a fit from its sites on differences; return the covariance."""
    data, size = fit.data, fit.data.size
    first, second = data.comparisons.first, data.comparisons.second
    prior_precision = 1 / fit.scale**2
    cells = np.bincount(first * size + second, fit.site_precisions, size * size)
    precision = -cells.reshape(size, size).astype(np.float64)
    precision += precision.T
    precision[np.diag_indices(size)] = prior_precision + data.sum_by_document(
        fit.site_precisions, fit.site_precisions
    )
    covariance = _inverse(precision)
    shift = prior_precision * fit.prior_means
    shift = shift + data.sum_by_document(fit.site_shifts, -fit.site_shifts)
    fit.means = covariance @ shift
    fit.variances = covariance.diagonal().copy()
    return covariance


def _inverse(matrix: Array) -> Array:
    """Invert a symmetric positive definite matrix."""
    if not len(matrix):
        return matrix
    root = linalg.cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    inverse, _ = linalg.lapack.dpotri(root, lower=1, overwrite_c=1)
    lower = np.tril(inverse, -1)
    return np.asarray(lower + lower.T + np.diag(inverse.diagonal()))


def difference_cavities(fit: ExpectationPropagation, covariance: Array) -> Moments:
    """Return the moments of each answer's difference without its site."""
    first, second = fit.data.comparisons.first, fit.data.comparisons.second
    mean = fit.means[first] - fit.means[second]
    variance = fit.variances[first] + fit.variances[second]
    variance -= 2 * covariance[first, second]
    remaining = np.maximum(1 / variance - fit.site_precisions, MIN_PRECISION)
    return (mean / variance - fit.site_shifts) / remaining, 1 / remaining


def dense_sweep(fit: ExpectationPropagation, times: int) -> Array:
    """Update all sites with the whole covariance, some times over, and return the covariance."""
    for _ in range(times):
        mean, variance = difference_cavities(fit, update_covariance(fit))
        slope, curvature = fit.update_from_cavities(mean, variance)
        curvature = np.minimum(curvature, MAX_CURVATURE / variance)
        precisions, shifts = gaussian_site(mean, variance, slope, curvature)
        fit.site_precisions = DAMPING * fit.site_precisions + (1 - DAMPING) * precisions
        fit.site_shifts = DAMPING * fit.site_shifts + (1 - DAMPING) * shifts
        fit.update_prior_means()
    return update_covariance(fit)
