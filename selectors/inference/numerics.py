"""Numerics that all models share: array types, softmax, logsumexp, entropy, logit.

SciPy has most of these. Its versions differ from ours in the last bits, or lose the single
precision of messages; recorded results rest on ours.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Array32 = NDArray[np.float32]
"""Single precision, in which messages are passed."""
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
Weights = TypeVar("Weights", NDArray[np.float32], NDArray[np.float64])

TINY = 1e-300
"""No probability is smaller, so that it has a logarithm."""
Z_80, Z_90 = 1.2816, 1.6449
"""Standard deviations to either side of the mean that hold 80 % and 90 % of a normal
distribution."""


def softmax(logs: Weights, axis: int = 0) -> Weights:
    """Return distributions from logarithms of weights: one per column, or per row with axis 1."""
    weights: Weights = logs - logs.max(axis=axis, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=axis, keepdims=True)
    return weights


def logsumexp(logs: Array) -> Array:
    """Return the logarithm of the sum of weights given as logarithms, one per column."""
    largest = logs.max(axis=0)
    sums: Array = np.log(np.exp(logs - largest).sum(axis=0)) + largest
    return sums


def entropy(distributions: Array) -> Array:
    """Return the entropy of each row, in nats."""
    logs = np.log(np.maximum(distributions, TINY))
    total: Array = -(distributions * logs).sum(axis=-1)
    return total


def normalized(counts: Array) -> Array:
    """Return each row of counts as shares of its sum."""
    shares: Array = counts / counts.sum(axis=-1, keepdims=True)
    return shares


def logit(probability: Array | float) -> Array:
    """Return log-odds."""
    odds: Array = np.log(probability) - np.log1p(-np.asarray(probability))
    return odds


def in_columns(rows: Array) -> Array32:
    """Turn rows into columns, in single precision."""
    return np.ascontiguousarray(rows.T, dtype=np.float32)
