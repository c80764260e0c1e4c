"""Rounds: ratings of many matches at once are those of match after match."""

import math

import numpy as np
import pytest

from nextpair.selectors import ratings
from nextpair.selectors.ratings.elo import F, expected, replay_elo
from nextpair.selectors.ratings.elo_variance import replay_elo_variance
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.ratings.rounds import in_rounds

SIZE, SEEDS = 400, (0, 1, 2)


def played(seed: int, count: int = 900) -> list[Match]:
    """Draw matches between documents that are more or less good, with errors and ties."""
    chance = np.random.default_rng(seed)
    matches = []
    for _ in range(count):
        first, second = chance.choice(SIZE, size=2, replace=False).tolist()
        right = 1.0 if first < second else 0.0
        score = float(chance.choice([right, 1 - right, 0.5], p=[0.7, 0.1, 0.2]))
        matches.append(Match(first, second, score))
    return matches


@pytest.mark.parametrize("seed", SEEDS)
def test_each_document_plays_its_matches_in_their_order(seed: int) -> None:
    matches = played(seed)
    rounds = in_rounds(SIZE, matches)
    assert rounds is not None
    by_document: dict[int, list[tuple[int, int, float]]] = {}
    for one in rounds:
        pairs = list(zip(one.first.tolist(), one.second.tolist(), one.score.tolist(), strict=True))
        documents = [document for pair in pairs for document in pair[:2]]
        assert len(set(documents)) == len(documents)
        for pair in pairs:
            for document in pair[:2]:
                by_document.setdefault(document, []).append(pair)
    for document, its in by_document.items():
        assert its == [match[:3] for match in matches if document in match[:2]]


@pytest.mark.parametrize("seed", SEEDS)
def test_elo_by_rounds_is_elo_match_by_match(seed: int) -> None:
    matches = played(seed)
    slow = replay_elo(SIZE, matches).ratings
    assert ratings.rate("elo", SIZE, matches) == pytest.approx(slow, rel=1e-12)
    information = np.zeros(SIZE)
    for first, second, *_ in matches:
        chance = expected(slow[first], slow[second])
        information[[first, second]] += (math.log(10.0) / F) ** 2 * chance * (1.0 - chance)
    errors = ratings.errors("elo", SIZE, matches)
    known = information > 0
    assert errors[known] == pytest.approx(1 / np.sqrt(information[known]), rel=1e-12)
    assert np.isnan(errors[~known]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_elo_with_variance_by_rounds_is_that_match_by_match(seed: int) -> None:
    matches = played(seed)
    slow = replay_elo_variance(SIZE, matches)
    fast = ratings.rate("elo-variance", SIZE, matches)
    assert fast == pytest.approx(slow.rated.ratings, rel=1e-12)
    deviations = ratings.errors("elo-variance", SIZE, matches)
    assert deviations == pytest.approx(np.sqrt(slow.variances), rel=1e-12)


def test_a_chain_of_matches_is_not_put_in_rounds() -> None:
    chain = [Match(place, place + 1, 1.0) for place in range(SIZE - 1)]
    assert in_rounds(SIZE, chain) is None
    assert in_rounds(SIZE, []) is None
    assert ratings.rate("elo", SIZE, chain).tolist() == replay_elo(SIZE, chain).ratings.tolist()
