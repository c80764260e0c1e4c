"""The share of its matches a document won (the preference frequency of Yang et al., ADCS 2018)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.ratings.base import Rating
from nextpair.selectors.ratings.match import Match


def _count(size: int, matches: Sequence[Match]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    won, played = np.zeros(size), np.zeros(size)
    for first, second, score, _ in matches:
        played[[first, second]] += 1
        won[first] += score
        won[second] += 1 - score
    return won, played


class WinShare(Rating):
    """Won matches over matches."""

    name = "win-share"

    def rate(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Rate documents by won matches over matches, a document without any in the middle."""
        won, played = _count(size, matches)
        share: NDArray[np.float64] = np.divide(
            won, played, out=np.full(size, 0.5), where=played > 0
        )
        return share

    def errors(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Return the standard error of each share, one imagined win and one loss added to it.

        Without those two (Agresti and Coull's), a document that won its only match would seem
        certain.
        """
        won, played = _count(size, matches)
        share = (won + 1) / (played + 2)
        known: NDArray[np.float64] = np.sqrt(share * (1 - share) / (played + 2))
        return np.where(played > 0, known, np.nan)
