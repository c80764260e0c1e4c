"""Credible intervals of documents' places, among the settled classes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes.snapshot import ClassSnapshot

TAIL_PROBABILITY = 0.05
"""The posterior probability that is left out at either end."""


def place_intervals(snapshot: ClassSnapshot, settled: Sequence[int]) -> NDArray[np.int64]:
    """Return, for each document, the first and the last place of its 90 % credible interval.

    Parameters
    ----------
    settled
        The documents of the settled classes, which the places are those of.
    """
    kept = np.unique(snapshot.map_class[list(settled)])
    numbers = np.arange(snapshot.class_count)
    before = np.searchsorted(kept, np.arange(snapshot.class_count + 1))
    places = 2 * np.repeat(before, 2)[:-1]
    # A class without a settled document is part of the gap that it is in.
    places[1::2] += np.isin(numbers, kept)
    cumulative = snapshot.probabilities.cumsum(axis=1)
    last_place = len(places) - 1
    first, last = (
        (cumulative < share).sum(axis=1).clip(max=last_place)
        for share in (TAIL_PROBABILITY, 1 - TAIL_PROBABILITY)
    )
    return np.stack([places[first], places[last]], axis=1).astype(np.int64)
