"""The whole covariance: answers as factors on differences, fitted with all correlations."""

import numpy as np
from scipy import linalg

from nextpair.selectors.inference.gaussian_scores.expectation_propagation import (
    LEAST_PRECISION,
    Fit,
    factor,
)
from nextpair.selectors.inference.ordinal_classes.places import Array

DAMPING = 0.3


def covariance(fit: Fit) -> Array:
    """Return the covariance of all scores, and let the fit's means and variances be its own."""
    data, size = fit.data, fit.data.size
    held = 1 / fit.spread**2
    cells = np.bincount(data.firsts * size + data.seconds, fit.precisions, size * size)
    matrix = -cells.reshape(size, size).astype(np.float64)
    matrix += matrix.T
    matrix[np.diag_indices(size)] = held + data.add_up(fit.precisions, fit.precisions)
    found = _inverse(matrix)
    fit.means = found @ (held * fit.expected + data.add_up(fit.shifts, -fit.shifts))
    fit.variances = found.diagonal().copy()
    return found


def _inverse(matrix: Array) -> Array:
    """Invert a matrix that is symmetric and positive definite."""
    if not len(matrix):
        return matrix
    root = linalg.cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    found, _ = linalg.lapack.dpotri(root, lower=1, overwrite_c=1)
    lower = np.tril(found, -1)
    return np.asarray(lower + lower.T + np.diag(found.diagonal()))


def otherwise(fit: Fit, found: Array) -> tuple[Array, Array]:
    """Return means and variances of differences without what each answer says of its own."""
    data = fit.data
    mean = fit.means[data.firsts] - fit.means[data.seconds]
    variance = fit.variances[data.firsts] + fit.variances[data.seconds]
    variance -= 2 * found[data.firsts, data.seconds]
    left = np.maximum(1 / variance - fit.precisions, LEAST_PRECISION)
    return (mean / variance - fit.shifts) / left, 1 / left


def polish(fit: Fit, sweeps: int) -> Array:
    """Fit with the whole covariance, some sweeps, and return it."""
    for _ in range(sweeps):
        mean, variance = otherwise(fit, covariance(fit))
        slope, curve = fit.hear(mean, variance)
        curve = np.minimum(curve, 0.98 / variance)
        precisions, shifts = factor(mean, variance, slope, curve)
        fit.precisions = DAMPING * fit.precisions + (1 - DAMPING) * precisions
        fit.shifts = DAMPING * fit.shifts + (1 - DAMPING) * shifts
        fit.expect()
    return covariance(fit)
