"""The share of its matches a document won (the preference frequency of Yang et al., ADCS 2018)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.ratings.match import Match


def rate(size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
    """Rate documents by won matches over matches, a document without any in the middle."""
    played = np.zeros(size)
    won = np.zeros(size)
    for first, second, score in matches:
        played[[first, second]] += 1
        won[first] += score
        won[second] += 1 - score
    share: NDArray[np.float64] = np.divide(won, played, out=np.full(size, 0.5), where=played > 0)
    return share
