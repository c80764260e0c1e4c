"""Elo with variance: how sure a rating is, after Glickman, as Bashir et al. (SIGIR 2013) use it.

    g(v) = 1 / sqrt(1 + 3 q² v / pi²)                        q = ln(10) / F
    E_A  = 1 / (1 + 10 ** (-g(v_B) (R_A - R_B) / F))
    1/d² = q² g(v_B)² E_A (1 - E_A)
    v_A' = 1 / (1/v_A + 1/d²)                                R_A' = R_A + q v_A' g(v_B) (S_A - E_A)

The paper's formula 5 prints the difference of the ratings the wrong way round: E_A must grow with
R_A. Variances start anew with each pass: a replayed match is the same evidence, not more of it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.ratings.base import Rating
from nextpair.selectors.ratings.elo import START, F
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.ratings.replay import MOST_PASSES, Rated, Ratings, replay, settle
from nextpair.selectors.ratings.rounds import Numbers, Places, in_rounds

START_VARIANCE = 10.0


@dataclass(frozen=True, slots=True)
class RatedWithVariance:
    """Ratings that have settled, and the variance of each."""

    rated: Rated
    variances: NDArray[np.float64]


def replay_elo_variance(
    size: int,
    matches: Sequence[Match],
    *,
    f: float = F,
    start: float = START,
    start_variance: float = START_VARIANCE,
    most_passes: int = MOST_PASSES,
) -> RatedWithVariance:
    """Replay the matches until the order of the documents settles."""
    variances = [start_variance] * size

    def play(before: Ratings) -> Ratings:
        nonlocal variances
        ratings, variances = list(before), [start_variance] * size
        for first, second, score, _ in matches:
            one = _update(ratings, variances, first, second, score, f)
            other = _update(ratings, variances, second, first, 1.0 - score, f)
            ratings[first], variances[first] = one
            ratings[second], variances[second] = other
        return ratings

    rated = replay([start] * size, play, most_passes)
    return RatedWithVariance(rated, np.array(variances, dtype=np.float64))


def _update(
    ratings: list[float], variances: list[float], own: int, opponent: int, score: float, f: float
) -> tuple[float, float]:
    q = math.log(10.0) / f
    g = 1.0 / math.sqrt(1.0 + 3.0 * q * q * variances[opponent] / math.pi**2)
    expected = 1.0 / (1.0 + 10.0 ** (-g * (ratings[own] - ratings[opponent]) / f))
    information = q * q * g * g * expected * (1.0 - expected)
    variance = 1.0 / (1.0 / variances[own] + information)
    return ratings[own] + q * variance * g * (score - expected), variance


def _settled(size: int, matches: Sequence[Match]) -> tuple[Numbers, Numbers]:
    """Return ratings and variances of `replay_elo_variance`, by rounds where that is faster."""
    rounds = in_rounds(size, matches)
    if rounds is None:
        found = replay_elo_variance(size, matches)
        return found.rated.ratings, found.variances
    variances = np.full(size, START_VARIANCE)

    def play(before: Ratings) -> Ratings:
        nonlocal variances
        ratings, variances = np.array(before, dtype=np.float64), np.full(size, START_VARIANCE)
        for one in rounds:
            sides = (one.first, one.second, one.score), (one.second, one.first, 1.0 - one.score)
            updates = [_updates(ratings, variances, *side) for side in sides]
            for (own, *_), (rating, variance) in zip(sides, updates, strict=True):
                ratings[own], variances[own] = rating, variance
        return ratings

    return settle([START] * size, play), variances


def _updates(
    ratings: Numbers, variances: Numbers, own: Places, opponent: Places, score: Numbers
) -> tuple[Numbers, Numbers]:
    """Do what `_update` does, for many documents that each play once."""
    q = math.log(10.0) / F
    g = 1.0 / np.sqrt(1.0 + 3.0 * q * q * variances[opponent] / math.pi**2)
    expected = 1.0 / (1.0 + np.power(10.0, -g * (ratings[own] - ratings[opponent]) / F))
    information = q * q * g * g * expected * (1.0 - expected)
    variance = 1.0 / (1.0 / variances[own] + information)
    return ratings[own] + q * variance * g * (score - expected), variance


class EloVariance(Rating):
    """Elo with variance, with the paper's parameters."""

    name = "elo-variance"

    def rate(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Rate documents with the paper's parameters."""
        return _settled(size, matches)[0]

    def errors(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Return the square root of each rating's variance."""
        deviations: NDArray[np.float64] = np.sqrt(_settled(size, matches)[1])
        return deviations
