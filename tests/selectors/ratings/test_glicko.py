"""Elo with variance against Glicko, written a second time from Glickman's own description."""

from collections.abc import Sequence
from math import log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.ratings.elo_variance import replay_elo_variance
from nextpair.selectors.ratings.match import Match

Player = tuple[float, float]
"""A rating and its deviation, Glickman's RD."""


def glicko(own: Player, played: Sequence[tuple[Player, float]], scale: float) -> Player:
    """Update one player after a rating period of any number of games, each with its score."""
    rating, deviation = own
    q = log(10) / scale
    surprise = precision = 0.0
    for (theirs, their_deviation), score in played:
        weight = 1 / sqrt(1 + 3 * q**2 * their_deviation**2 / pi**2)
        hoped = 1 / (1 + 10 ** (weight * (theirs - rating) / scale))
        surprise += weight * (score - hoped)
        precision += q**2 * weight**2 * hoped * (1 - hoped)
    spread = 1 / (1 / deviation**2 + precision)
    return rating + q * spread * surprise, sqrt(spread)


def test_the_twin_is_right_about_glickmans_own_example() -> None:
    # "The Glicko system": 1500 (200) beats 1400 (30), loses to 1550 (100) and 1700 (300), and
    # comes to 1464 (151.4).
    games = [((1400.0, 30.0), 1.0), ((1550.0, 100.0), 0.0), ((1700.0, 300.0), 0.0)]
    rating, deviation = glicko((1500, 200), games, scale=400)
    assert rating == pytest.approx(1464, abs=0.5)
    assert deviation == pytest.approx(151.4, abs=0.05)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(1, 4), st.sampled_from([0.0, 0.25, 0.5, 1.0])),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from([200.0, 400.0]),
    st.sampled_from([10.0, 40_000.0]),
)
def test_elo_with_variance_is_glicko_with_a_period_for_every_match(
    drawn: list[tuple[int, int, float]], f: float, start_variance: float
) -> None:
    matches = [Match(one, (one + step) % 5, score) for one, step, score in drawn]
    found = replay_elo_variance(5, matches, f=f, start_variance=start_variance, most_passes=3)
    ratings = [100.0] * 5
    for _ in range(1 + len(found.rated.inverted)):
        players = [(rating, sqrt(start_variance)) for rating in ratings]
        for one, other, score, _ in matches:
            before = players[one], players[other]
            players[one] = glicko(before[0], [(before[1], score)], f)
            players[other] = glicko(before[1], [(before[0], 1 - score)], f)
        ratings = [rating for rating, _ in players]
    assert found.rated.ratings == pytest.approx(np.array(ratings))
    assert found.variances == pytest.approx(np.array([spread**2 for _, spread in players]))
