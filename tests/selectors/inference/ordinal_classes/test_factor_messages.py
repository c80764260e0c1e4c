"""Messages: cumulative sums give what the full sum over places gives."""

import numpy as np
import pytest

from nextpair.selectors.inference.numerics import Array32, in_columns
from nextpair.selectors.inference.ordinal_classes import factor_messages, places


def drawn(width: int, count: int, seed: int) -> Array32:
    rng = np.random.default_rng(seed)
    return in_columns(rng.dirichlet(np.ones(width), size=count))


@pytest.mark.parametrize("classes", [1, 2, 5])
def test_a_message_is_the_likelihood_at_each_place(classes: int) -> None:
    width = places.place_count(classes)
    others = drawn(width, 7, seed=classes)
    likelihood = drawn(3, 7, seed=classes + 10)
    relations = places.relations_by_place(others.T.astype(np.float64))
    expected = (likelihood.T.astype(np.float64).T[:, :, None] * relations).sum(axis=0)
    np.testing.assert_allclose(
        factor_messages.factor_messages(likelihood, others).T, expected, rtol=1e-5
    )


@pytest.mark.parametrize("classes", [1, 2, 5])
def test_relation_probabilities_are_sums_over_both_places(classes: int) -> None:
    width = places.place_count(classes)
    firsts, seconds = drawn(width, 7, seed=classes), drawn(width, 7, seed=classes + 20)
    relations = places.relations_by_place(seconds.T.astype(np.float64))
    expected = (relations * firsts.T).sum(axis=2)
    found = factor_messages.relation_probabilities(firsts, seconds)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=0), 1, rtol=1e-5)


def test_both_directions_of_an_answer_are_stacked() -> None:
    likelihood = drawn(3, 4, seed=1)
    both = factor_messages.stack_directions(likelihood)
    np.testing.assert_array_equal(both[:, :4], likelihood)
    np.testing.assert_array_equal(both[0, 4:], likelihood[2])
    np.testing.assert_array_equal(factor_messages.swap_sides(both)[:, :4], both[:, 4:])
