"""Matches replayed until the order they lead to settles (Bashir et al., SIGIR 2013, section 3.2).

What a match is worth depends on what its opponents have done so far, so one pass depends on the
order in which the matches are played. Each further pass starts from the ratings of the last one.
"""

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

Ratings = Sequence[float] | NDArray[np.float64]
Pass = Callable[[Ratings], Ratings]
"""One pass over all matches: the ratings before it in, those after it out."""

MOST_PASSES = 200


@dataclass(frozen=True, slots=True)
class Rated:
    """Ratings, and how they came to rest.

    Parameters
    ----------
    inverted
        For each pass after the first, the share of pairs whose order it turned round.
    settled
        Whether the last pass turned none.
    """

    ratings: NDArray[np.float64]
    inverted: tuple[float, ...]
    settled: bool


def replay(start: Ratings, play: Pass, most_passes: int = MOST_PASSES) -> Rated:
    """Repeat a pass until it turns no pair round."""
    ratings = play(start)
    inverted: list[float] = []
    while len(inverted) < most_passes and (not inverted or inverted[-1] > 0):
        before, ratings = ratings, play(ratings)
        inverted.append(inverted_share(before, ratings))
    return Rated(np.array(ratings, dtype=np.float64), tuple(inverted), inverted[-1] == 0)


def settle(start: Ratings, play: Pass, most_passes: int = MOST_PASSES) -> NDArray[np.float64]:
    """Return the ratings of `replay`, without counting how many pairs each pass turned round."""
    ratings = np.asarray(play(start), dtype=np.float64)
    for _ in range(most_passes):
        before, ratings = ratings, np.asarray(play(ratings), dtype=np.float64)
        if not _turns_any(before, ratings):
            break
    return ratings


def _turns_any(before: NDArray[np.float64], after: NDArray[np.float64]) -> bool:
    """Say whether a pair stood strictly one way before and strictly the other after."""
    return bool((np.diff(after[np.lexsort((after, before))]) < 0).any())


def inverted_share(before: Ratings, after: Ratings) -> float:
    """Return the share of pairs that stood strictly one way before and strictly the other after.

    >>> inverted_share([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    pairs = len(before) * (len(before) - 1) // 2
    inversions = 0
    passed: list[float] = []
    ascending = sorted(zip(before, after, strict=True))
    for _, level in groupby(ascending, key=lambda ratings: ratings[0]):
        values = [value for _, value in level]
        inversions += sum(len(passed) - bisect_right(passed, value) for value in values)
        for value in values:
            insort(passed, value)
    return inversions / pairs if pairs else 0.0
