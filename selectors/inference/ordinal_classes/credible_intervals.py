"""Between which settled classes a document may well be, by what is believed of it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes.snapshot import View

TAIL = 0.05
"""How much belief is left out at either end."""


def spans(beliefs: View, settled: Sequence[int]) -> NDArray[np.int64]:
    """Return, for each document, the first and the last place among the settled classes.

    Parameters
    ----------
    settled
        The documents of these classes.
    """
    kept = np.unique(beliefs.likeliest[list(settled)])
    numbers = np.arange(beliefs.classes)
    before = np.searchsorted(kept, np.arange(beliefs.classes + 1))
    places = 2 * np.repeat(before, 2)[:-1]
    # A class without a settled document is part of the gap that it is in.
    places[1::2] += np.isin(numbers, kept)
    upto = beliefs.beliefs.cumsum(axis=1)
    most = len(places) - 1
    first, last = ((upto < share).sum(axis=1).clip(max=most) for share in (TAIL, 1 - TAIL))
    return np.stack([places[first], places[last]], axis=1).astype(np.int64)
