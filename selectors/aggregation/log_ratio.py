"""Scores from ratios by logarithmic least squares (yang-2018; Bozóki, Fülöp and Rónyai 2010).

A worker who gives two documents the numbers x and y says that their ratio is (x + 1) / (y + 1). The
ratio m_ij of a pair is the geometric mean of all workers', however many there are, and the scores
minimise, over the pairs that were asked,

    sum of (log m_ij - (log s_i - log s_j))²

whose normal equations are those of the graph's Laplacian: degree(i) log s_i - sum of log s_j over
its neighbours = sum of log m_ij. The paper fills the cells that were not asked with s_i / s_j and
takes geometric means of rows until nothing moves; with sum of log s = 0 its fixed point is the same
system. (It says columns, but its cells are the row's score over the column's.)

Ratios say nothing across parts of the pool that no pair connects: each part has geometric mean one
before the largest score of all is made 1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import spsolve

from nextpair.selectors.aggregation.responses import (
    Numbers,
    Places,
    numbers,
    places,
    same_length,
    within,
)
from nextpair.selectors.errors import SelfComparison

EPSILON = 1.0


@dataclass(frozen=True, slots=True)
class RatioScores:
    """Scores up to 1, NaN for a document nobody compared.

    Parameters
    ----------
    parts
        Which connected part of the pool each document belongs to; scores of different parts have
        never been compared, directly or through others.
    """

    scores: Numbers
    parts: NDArray[np.int32]


def log_ratio(
    firsts: ArrayLike,
    seconds: ArrayLike,
    first_numbers: ArrayLike,
    second_numbers: ArrayLike,
    size: int,
) -> RatioScores:
    """Score documents by the numbers workers gave to the two of a pair."""
    one, other = places(firsts, "firsts"), places(seconds, "seconds")
    x, y = (numbers(given, "scores", least=0.0) for given in (first_numbers, second_numbers))
    same_length(one, other, x, y)
    within(size, one, other)
    if (one == other).any():
        raise SelfComparison()
    said = np.log((x + EPSILON) / (y + EPSILON))
    low, high, ratios = _by_pair(one, other, said, size)
    logs, parts = _solve(low, high, ratios, size)
    compared = np.bincount(np.concatenate((low, high)), minlength=size) > 0
    logs[~compared] = np.nan
    largest = logs[compared].max(initial=-np.inf)
    return RatioScores(np.exp(logs - largest) if compared.any() else logs, parts)


def _by_pair(
    one: Places, other: Places, said: Numbers, size: int
) -> tuple[Places, Places, Numbers]:
    """Take the mean of what was said of each pair, told from its lower document."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    pairs, which = np.unique(low * size + high, return_inverse=True)
    told = np.where(one == low, said, -said)
    mean = np.bincount(which, told, len(pairs)) / np.bincount(which, minlength=len(pairs))
    return pairs // max(1, size), pairs % max(1, size), np.asarray(mean, dtype=np.float64)


def _solve(
    low: Places, high: Places, ratios: Numbers, size: int
) -> tuple[Numbers, NDArray[np.int32]]:
    """Solve the Laplacian with one document of each part held at 0, then centre each part."""
    ones = np.ones(len(low))
    edges = sparse.csr_array((ones, (low, high)), shape=(size, size))
    count, parts = connected_components(edges, directed=False)
    wanted = np.bincount(low, ratios, size) - np.bincount(high, ratios, size)
    degrees = np.bincount(low, minlength=size) + np.bincount(high, minlength=size)
    laplacian = sparse.csc_array(sparse.diags_array(degrees.astype(np.float64)) - edges - edges.T)
    free = np.ones(size, dtype=np.bool_)
    free[np.unique(parts, return_index=True)[1]] = False
    logs = np.zeros(size)
    if free.any():
        inner = laplacian[free][:, free]
        logs[free] = spsolve(inner, wanted[free], permc_spec="MMD_AT_PLUS_A")
    means = np.bincount(parts, logs, count) / np.bincount(parts, minlength=count)
    return logs - means[parts], parts
