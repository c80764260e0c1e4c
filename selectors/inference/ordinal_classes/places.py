"""Places: where a document can stand among K ordered classes.

There are 2K + 1 of them, best first: a class at every odd place, and at every even one the gap
before, between or after classes, where a class that has not been found yet would be. A document's
belief is a distribution over places.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", np.float32, np.float64)
Array = NDArray[np.float64]

SAME = 0.6
"""How likely two documents of one gap are of one class, before they are compared."""


def place_count(classes: int) -> int:
    """Return how many places there are among so many classes."""
    return 2 * classes + 1


def relations(beliefs: Array) -> Array:
    """Say how each place compares with documents of which only beliefs are known.

    Parameters
    ----------
    beliefs
        One distribution over places per row.

    Returns
    -------
    NDArray
        At [0], [1] and [2] the chance that a document at this place is better than, tied with and
        worse than the row's document.
    """
    upto = np.cumsum(beliefs, axis=-1)
    found = np.empty((3, *beliefs.shape))
    np.subtract(upto[..., -1:], upto, out=found[0])
    found[1] = beliefs
    np.subtract(upto, beliefs, out=found[2])
    in_gap = beliefs[..., 0::2]
    found[1][..., 0::2] = SAME * in_gap
    found[0][..., 0::2] += (1 - SAME) / 2 * in_gap
    found[2][..., 0::2] += (1 - SAME) / 2 * in_gap
    return found


def split_gap(gap: int, classes: int) -> list[int]:
    """Say which old place each new place continues when a class is found in a gap."""
    place = 2 * gap
    return [*range(place), place, place, place, *range(place + 1, place_count(classes))]


def gather(chances: NDArray[Real], start: int, stop: int, *, mean: bool = False) -> NDArray[Real]:
    """Make one place of neighbouring ones, places being rows: their sum, or their mean."""
    inside = chances[start:stop].sum(axis=0, keepdims=True)
    if mean:
        inside /= stop - start
    return np.concatenate([chances[:start], inside, chances[stop:]])
