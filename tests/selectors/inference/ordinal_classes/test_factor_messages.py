"""Messages: the fast way says what adding everything up says."""

import numpy as np
import pytest

from nextpair.selectors.inference.ordinal_classes import factor_messages, places


def drawn(width: int, count: int, seed: int) -> factor_messages.Many:
    rng = np.random.default_rng(seed)
    return factor_messages.in_columns(rng.dirichlet(np.ones(width), size=count))


@pytest.mark.parametrize("classes", [1, 2, 5])
def test_what_an_answer_tells_is_its_chance_at_each_place(classes: int) -> None:
    width = places.place_count(classes)
    others = drawn(width, 7, seed=classes)
    likelihood = drawn(3, 7, seed=classes + 10)
    relations = places.relations(others.T.astype(np.float64))
    expected = (likelihood.T.astype(np.float64).T[:, :, None] * relations).sum(axis=0)
    np.testing.assert_allclose(factor_messages.tell(likelihood, others).T, expected, rtol=1e-5)


@pytest.mark.parametrize("classes", [1, 2, 5])
def test_how_two_documents_relate_adds_up_over_their_places(classes: int) -> None:
    width = places.place_count(classes)
    firsts, seconds = drawn(width, 7, seed=classes), drawn(width, 7, seed=classes + 20)
    relations = places.relations(seconds.T.astype(np.float64))
    expected = (relations * firsts.T).sum(axis=2)
    found = factor_messages.relate(firsts, seconds)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=0), 1, rtol=1e-5)


def test_an_answer_is_told_from_either_side() -> None:
    likelihood = drawn(3, 4, seed=1)
    both = factor_messages.both_ways(likelihood)
    np.testing.assert_array_equal(both[:, :4], likelihood)
    np.testing.assert_array_equal(both[0, 4:], likelihood[2])
    np.testing.assert_array_equal(factor_messages.swapped(both)[:, :4], both[:, 4:])
