"""Scores from ratios by logarithmic least squares (yang-2018; Bozóki, Fülöp and Rónyai 2010).

A worker who gives two documents the numbers x and y states the ratio (x + 1) / (y + 1). The ratio
m_ij of a pair is the geometric mean over its workers, however many there are, and the scores
minimise, over the pairs with a ratio,

    sum of (log m_ij - (log s_i - log s_j))²

whose normal equations are a system with the graph Laplacian: degree(i) log s_i - sum of log s_j
over the neighbours j of i = sum of log m_ij. The paper fills the missing cells with s_i / s_j and
takes geometric means of rows until convergence; with sum of log s = 0 its fixed point solves the
same system. (It says columns, but its cells are the row's score over the column's.)

Ratios say nothing across connected components: each component has geometric mean one before all
scores are divided by the largest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import spsolve

from nextpair.selectors.aggregation.responses import (
    FloatArray,
    IndexArray,
    check_bounds,
    check_same_length,
    read_indices,
    read_numbers,
)
from nextpair.selectors.errors import SelfComparison

EPSILON = 1.0
"""Added to both numbers of a ratio, so that 0 has one."""


@dataclass(frozen=True, slots=True)
class RatioScores:
    """Scores up to 1, NaN for a document without a ratio.

    Parameters
    ----------
    components
        The connected component of each document; scores of different components are not
        comparable, neither directly nor through other documents.
    """

    scores: FloatArray
    components: NDArray[np.int32]


def log_ratio(
    firsts: ArrayLike,
    seconds: ArrayLike,
    first_numbers: ArrayLike,
    second_numbers: ArrayLike,
    size: int,
) -> RatioScores:
    """Score documents by the numbers that workers gave to the two of a pair."""
    first, second = read_indices(firsts, "firsts"), read_indices(seconds, "seconds")
    x, y = (
        read_numbers(values, "scores", minimum=0.0) for values in (first_numbers, second_numbers)
    )
    check_same_length(first, second, x, y)
    check_bounds(size, first, second)
    if (first == second).any():
        raise SelfComparison()
    log_ratios = np.log((x + EPSILON) / (y + EPSILON))
    low, high, means = _mean_by_pair(first, second, log_ratios, size)
    logs, components = _solve_least_squares(low, high, means, size)
    compared = np.bincount(np.concatenate((low, high)), minlength=size) > 0
    logs[~compared] = np.nan
    largest = logs[compared].max(initial=-np.inf)
    return RatioScores(np.exp(logs - largest) if compared.any() else logs, components)


def _mean_by_pair(
    first: IndexArray, second: IndexArray, log_ratios: FloatArray, size: int
) -> tuple[IndexArray, IndexArray, FloatArray]:
    """Return each unordered pair, smaller position first, with its mean log-ratio."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    pairs, pair_of = np.unique(low * size + high, return_inverse=True)
    oriented = np.where(first == low, log_ratios, -log_ratios)
    mean = np.bincount(pair_of, oriented, len(pairs)) / np.bincount(pair_of, minlength=len(pairs))
    return pairs // max(1, size), pairs % max(1, size), np.asarray(mean, dtype=np.float64)


def _solve_least_squares(
    low: IndexArray, high: IndexArray, log_ratios: FloatArray, size: int
) -> tuple[FloatArray, NDArray[np.int32]]:
    """Solve the Laplacian with one document of each component held at 0, then centre each."""
    ones = np.ones(len(low))
    edges = sparse.csr_array((ones, (low, high)), shape=(size, size))
    count, components = connected_components(edges, directed=False)
    right_side = np.bincount(low, log_ratios, size) - np.bincount(high, log_ratios, size)
    degrees = np.bincount(low, minlength=size) + np.bincount(high, minlength=size)
    laplacian = sparse.csc_array(sparse.diags_array(degrees.astype(np.float64)) - edges - edges.T)
    free = np.ones(size, dtype=np.bool_)
    free[np.unique(components, return_index=True)[1]] = False
    logs = np.zeros(size)
    if free.any():
        inner = laplacian[free][:, free]
        logs[free] = spsolve(inner, right_side[free], permc_spec="MMD_AT_PLUS_A")
    means = np.bincount(components, logs, count) / np.bincount(components, minlength=count)
    return logs - means[components], components
