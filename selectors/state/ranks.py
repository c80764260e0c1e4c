"""Mid-ranks of numbers."""

import numpy as np
from numpy.typing import NDArray


def mid_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value, from 1; equal ones share the mean of their ranks.

    >>> mid_ranks(np.array([5.0, 1.0, 5.0, 9.0])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[index]
    return ranks
