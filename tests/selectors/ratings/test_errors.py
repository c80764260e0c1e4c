"""How sure ratings are."""

import math

import numpy as np
import pytest

from nextpair.selectors import ratings
from nextpair.selectors.errors import UnknownRating
from nextpair.selectors.ratings import elo
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
