"""How sure ratings are."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from nextpair.selectors import ratings
from nextpair.selectors.errors import UnknownRating
from nextpair.selectors.ratings import bradley_terry, elo
from nextpair.selectors.ratings.match import Match


@pytest.mark.parametrize("name", ratings.rating_names())
def test_more_matches_make_a_rating_surer(name: str) -> None:
    few = [Match(0, 1, 1.0), Match(1, 2, 0.5), Match(0, 2, 0.5)]
    once, often = ratings.errors(name, 3, few), ratings.errors(name, 3, few * 5)
    assert (often < once).all()
    assert (once > 0).all()


@pytest.mark.parametrize("name", ["elo", "win-share"])
def test_who_never_played_has_no_error_to_speak_of(name: str) -> None:
    assert np.isnan(ratings.errors(name, 3, [Match(0, 1, 1.0)])).tolist() == [False, False, True]


def test_elos_error_is_that_of_its_model() -> None:
    # Two equals who drew once: E = 1/2, so one match tells (ln 10 / F)² / 4.
    expected = 2 / (math.log(10) / elo.F)
    assert ratings.errors("elo", 2, [Match(0, 1, 0.5)]).tolist() == pytest.approx([expected] * 2)


def test_an_unknown_rating_is_refused() -> None:
    with pytest.raises(UnknownRating, match="no rating 'glicko'"):
        ratings.errors("glicko", 2, [])


def test_bradley_terry_counts_ties_as_ties_and_gives_every_pair_a_chance() -> None:
    tied = [Match(0, 1, 0.5, 1.0)] * 8
    split = [Match(0, 1, 1.0), Match(0, 1, 0.0)] * 4
    # Either way the two are equal; who is called so is known to be so no less surely.
    for matches in (tied, split):
        assert bradley_terry.chance(2, matches, 0, 1) == pytest.approx(0.5)
    ladder = [Match(0, 1, 1.0), Match(1, 2, 1.0)]
    near, far = (bradley_terry.chance(3, ladder, 0, other) for other in (1, 2))
    assert 0.5 < near < far < 1
    assert bradley_terry.chance(3, ladder, 2, 0) == pytest.approx(1 - far)


def test_the_error_of_a_difference_is_that_of_the_whole_covariance() -> None:
    # Two documents and n even matches: each tells 1/4 of the difference, the prior 1/8.
    even = [Match(0, 1, 1.0), Match(0, 1, 0.0)] * 3
    chance = bradley_terry.chance(2, [*even, Match(0, 1, 1.0)], 0, 1)
    scores = ratings.rate("bradley-terry", 2, [*even, Match(0, 1, 1.0)])
    apart = float(scores[0] - scores[1])
    curve = 7 / (2 + 2 * math.cosh(apart))
    expected = float(ndtr(apart * math.sqrt(curve + 1 / 8)))
    assert chance == pytest.approx(expected, abs=1e-4)
