"""Elo ratings of documents (Bashir et al., SIGIR 2013).

    E_A = 1 / (1 + 10 ** ((R_B - R_A) / F))        R_A' = R_A + K (S_A - E_A)

where S_A is the share of workers for A, ties counting half.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.ratings.base import Rating
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.ratings.replay import MOST_PASSES, Rated, Ratings, replay, settle
from nextpair.selectors.ratings.rounds import in_rounds

F = 200.0
START = 100.0
K = 16.0
"""The paper gives none; this one is ours."""


def expected(rating: float, opponent: float, f: float = F) -> float:
    """Return the score a document is expected to have against an opponent."""
    return 1.0 / (1.0 + math.pow(10.0, (opponent - rating) / f))


def replay_elo(
    size: int,
    matches: Sequence[Match],
    *,
    k: float = K,
    f: float = F,
    start: float = START,
    most_passes: int = MOST_PASSES,
) -> Rated:
    """Replay the matches until the order of the documents settles."""

    def play(before: Ratings) -> Ratings:
        ratings = list(before)
        for first, second, score, _ in matches:
            gain = k * (score - expected(ratings[first], ratings[second], f))
            ratings[first] += gain
            ratings[second] -= gain
        return ratings

    return replay([start] * size, play, most_passes)


class Elo(Rating):
    """Elo with the paper's F and start, and our K."""

    name = "elo"

    def rate(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Rate documents with the paper's F and start, and our K."""
        rounds = in_rounds(size, matches)
        if rounds is None:
            return replay_elo(size, matches).ratings

        def play(before: Ratings) -> Ratings:
            ratings = np.array(before, dtype=np.float64)
            for one in rounds:
                first, second = ratings[one.first], ratings[one.second]
                gain = K * (one.score - 1.0 / (1.0 + np.power(10.0, (second - first) / F)))
                ratings[one.first] = first + gain
                ratings[one.second] = second - gain
            return ratings

        return settle([START] * size, play)

    def errors(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Return the standard error of each rating, its opponents' taken as given.

        Elo's curve is a Bradley-Terry model, of which one match tells q² E (1 - E), q = ln(10) / F.
        """
        ratings = self.rate(size, matches)
        information = np.zeros(size)
        pairs = np.array([match[:2] for match in matches], dtype=np.intp).reshape(-1, 2)
        chances = 1.0 / (1.0 + np.power(10.0, (ratings[pairs[:, 1]] - ratings[pairs[:, 0]]) / F))
        told = (math.log(10.0) / F) ** 2 * chances * (1.0 - chances)
        np.add.at(information, pairs.reshape(-1), np.repeat(told, 2))
        known: NDArray[np.float64] = np.full(size, np.nan)
        np.divide(1.0, np.sqrt(information), out=known, where=information > 0)
        return known
