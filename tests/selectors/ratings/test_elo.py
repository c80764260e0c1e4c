"""Elo by hand, and what replaying it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors import ratings
from nextpair.selectors.errors import UnknownRating
from nextpair.selectors.ratings.elo import expected, replay_elo
from nextpair.selectors.ratings.elo_variance import replay_elo_variance
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.ratings.replay import inverted_share, replay

LADDER = [Match(place, place + 1, 1.0) for place in range(5)]


def test_one_match_moves_both_by_what_was_not_expected() -> None:
    rated = replay_elo(2, [Match(0, 1, 1.0)], k=32, most_passes=1).ratings
    # First pass: both expected to score 0.5, so 16 points change hands. Second: the favourite
    # at 116 against 84 is expected to score 1 / (1 + 10 ** (-32 / 200)).
    gain = 32 * (1 - 1 / (1 + 10 ** (-32 / 200)))
    assert rated.tolist() == pytest.approx([116 + gain, 84 - gain])


def test_expectations_of_the_two_sides_add_up_to_one() -> None:
    assert expected(130, 100) + expected(100, 130) == pytest.approx(1)
    assert expected(300, 100) == pytest.approx(10 / 11)


def test_replay_settles_on_the_order_of_a_ladder() -> None:
    for rated in (replay_elo(6, LADDER), replay_elo_variance(6, LADDER).rated):
        assert rated.settled
        assert rated.inverted[-1] == 0
        assert np.argsort(-rated.ratings).tolist() == list(range(6))


def test_a_tie_between_equals_moves_nobody() -> None:
    assert replay_elo(2, [Match(0, 1, 0.5)]).ratings.tolist() == [100, 100]
    assert replay_elo_variance(2, [Match(0, 1, 0.5)]).rated.ratings.tolist() == [100, 100]


def test_one_match_with_variance_is_glickmans_update() -> None:
    found = replay_elo_variance(2, [Match(0, 1, 1.0)], most_passes=1)
    q = np.log(10) / 200
    g = 1 / np.sqrt(1 + 3 * q**2 * 10 / np.pi**2)
    variance = 1 / (1 / 10 + q**2 * g**2 * 0.25)
    first = q * variance * g * 0.5
    assert found.rated.ratings[0] > 100 + first
    expected_again = 1 / (1 + 10 ** (-g * 2 * first / 200))
    variance_again = 1 / (1 / 10 + q**2 * g**2 * expected_again * (1 - expected_again))
    again = q * variance_again * g * (1 - expected_again)
    assert found.rated.ratings.tolist() == pytest.approx([100 + first + again, 100 - first - again])
    assert found.variances.tolist() == pytest.approx([variance_again] * 2)


def test_more_matches_make_surer() -> None:
    found = replay_elo_variance(4, [Match(0, 1, 1.0), Match(0, 2, 1.0), Match(1, 2, 1.0)])
    assert found.variances[0] < 10
    assert found.variances[3] == 10


def test_a_favourite_gains_less_by_winning_contrary_to_formula_5_as_printed() -> None:
    once = replay_elo_variance(2, [Match(0, 1, 1.0)], most_passes=1).rated.ratings[0] - 100
    twice = replay_elo_variance(2, [Match(0, 1, 1.0)] * 2, most_passes=1).rated.ratings[0] - 100
    assert once < twice < 2 * once


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12))
def test_inverted_share_counts_pairs_that_turned_round(ranks: list[tuple[int, int]]) -> None:
    before, after = [float(one) for one, _ in ranks], [float(other) for _, other in ranks]
    turned = sum(
        (before[i] - before[j]) * (after[i] - after[j]) < 0
        for i in range(len(ranks))
        for j in range(i)
    )
    assert inverted_share(before, after) == turned / (len(ranks) * (len(ranks) - 1) / 2)


def test_replay_stops_at_its_most_passes_and_says_so() -> None:
    swaps = replay([1.0, 2.0], lambda ratings: list(ratings)[::-1], most_passes=7)
    assert len(swaps.inverted) == 7
    assert not swaps.settled
    assert set(swaps.inverted) == {1.0}


@pytest.mark.parametrize("name", ratings.rating_names())
def test_every_rating_puts_winners_above_losers(name: str) -> None:
    rated = ratings.rate(name, 4, [Match(0, 1, 1.0), Match(1, 2, 1.0), Match(0, 2, 1.0)])
    assert rated[0] > rated[1] > rated[2]
    assert rated[0] > rated[3] > rated[2]
    assert len(ratings.rate(name, 0, [])) == 0


def test_an_unknown_rating_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownRating, match=r"'elo2'; there are bradley-terry, elo, elo-var"):
        ratings.rate("elo2", 1, [])
