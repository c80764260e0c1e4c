"""Matches in rounds: within one no document plays twice, so all its matches can be played at once.

A match is in the round after the latest one of its two documents. Whoever plays round after round
finds each document as its earlier matches left it, just as match after match; the ratings are the
same but for how a library rounds powers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.ratings.match import Match

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]

WORTHWHILE = 32
"""Matches a round must have on average: a small round takes longer than its matches one by one."""


@dataclass(frozen=True, slots=True)
class Round:
    """Matches between documents of which none plays twice."""

    first: Places
    second: Places
    score: Numbers


def in_rounds(size: int, matches: Sequence[Match]) -> list[Round] | None:
    """Put matches in rounds; None where that is not worth it."""
    latest, rounds = [0] * size, list[int]()
    for first, second, *_ in matches:
        number = max(latest[first], latest[second]) + 1
        latest[first] = latest[second] = number
        rounds.append(number)
    count = max(rounds, default=0)
    if len(matches) < WORTHWHILE * max(count, 1):
        return None
    pairs = np.array([match[:2] for match in matches], dtype=np.intp)
    scores = np.array([match.score for match in matches], dtype=np.float64)
    sequence = np.argsort(np.array(rounds), kind="stable")
    ends = np.cumsum(np.bincount(rounds, minlength=count + 1)[1:])
    return [
        Round(pairs[places, 0], pairs[places, 1], scores[places])
        for places in np.split(sequence, ends[:-1])
    ]
