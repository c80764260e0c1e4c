"""Places: where a document can stand among K ordered classes.

There are 2K + 1 places, best first: every odd place is a class, and every even one the gap before,
between or after classes, where a class that is not known yet would be. The latent variable of a
document is its place.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.numerics import Array

Real = TypeVar("Real", np.float32, np.float64)

TIE_IN_GAP = 0.6
"""Prior probability that two documents in the same gap are of one class."""
DIFFERENCE_IN_GAP = (1 - TIE_IN_GAP) / 2
"""Prior probability that the first of two documents in the same gap is the better one."""


def place_count(classes: int) -> int:
    """Return the number of places among this many classes."""
    return 2 * classes + 1


def relations_by_place(distributions: Array) -> Array:
    """Return how a document at each place relates to documents with uncertain places.

    Parameters
    ----------
    distributions
        One distribution over places per row.

    Returns
    -------
    NDArray
        At [0], [1] and [2] the probability that a document at this place is better than, tied with
        and worse than the row's document.
    """
    cumulative = np.cumsum(distributions, axis=-1)
    relations = np.empty((3, *distributions.shape))
    np.subtract(cumulative[..., -1:], cumulative, out=relations[0])
    relations[1] = distributions
    np.subtract(cumulative, distributions, out=relations[2])
    in_gap = distributions[..., 0::2]
    relations[1][..., 0::2] = TIE_IN_GAP * in_gap
    relations[0][..., 0::2] += DIFFERENCE_IN_GAP * in_gap
    relations[2][..., 0::2] += DIFFERENCE_IN_GAP * in_gap
    return relations


def split_gap(gap: int, classes: int) -> list[int]:
    """Return the old place of each new place when a class is created in a gap."""
    place = 2 * gap
    return [*range(place), place, place, place, *range(place + 1, place_count(classes))]


def merge_places(
    values: NDArray[Real], start: int, stop: int, *, mean: bool = False
) -> NDArray[Real]:
    """Replace neighbouring places, which are rows, by one: by their sum, or their mean."""
    merged = values[start:stop].sum(axis=0, keepdims=True)
    if mean:
        merged /= stop - start
    return np.concatenate([values[:start], merged, values[stop:]])
