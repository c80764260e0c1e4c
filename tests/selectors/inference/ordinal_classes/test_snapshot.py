"""The snapshot: the fitted posterior of every document, and its updates by single answers."""

import numpy as np
import pytest
from drawn_comparisons import fitted_posterior

from nextpair.selectors.inference.numerics import Array, entropy, in_columns
from nextpair.selectors.inference.ordinal_classes import factor_messages
from nextpair.selectors.inference.ordinal_classes.posterior import ClassPosterior
from nextpair.selectors.inference.ordinal_classes.snapshot import (
    BATCH_SIZE,
    ClassSnapshot,
    scalar_factor_message,
)

GRADES = [0] * 12 + [1] * 5
SIZE = 20


def new_snapshot(feature_log_odds: Array | None = None) -> ClassSnapshot:
    fitted = fitted_posterior(GRADES, 90, 0.1, seed=3)
    if feature_log_odds is not None:
        fitted.extend(len(GRADES), feature_log_odds[: len(GRADES)])
        fitted.update_prior()
    return ClassSnapshot(fitted, SIZE, range(2, 19), 0, feature_log_odds)


def check_summaries(snapshot: ClassSnapshot) -> None:
    """Compare the summaries with the probabilities they are of."""
    of_classes = snapshot.probabilities[:, 1::2]
    np.testing.assert_allclose(snapshot.probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(snapshot.map_class, of_classes.argmax(axis=1))
    np.testing.assert_allclose(snapshot.map_class_probability, of_classes.max(axis=1))
    np.testing.assert_allclose(snapshot.map_place_probability, snapshot.probabilities.max(axis=1))
    np.testing.assert_allclose(snapshot.entropies, entropy(snapshot.probabilities), atol=1e-12)
    np.testing.assert_allclose(snapshot.class_sizes, of_classes[snapshot.judged].sum(axis=0))


def test_documents_have_their_fitted_posterior_and_others_that_of_an_unjudged_one() -> None:
    fitted = fitted_posterior(GRADES, 90, 0.1, seed=3)
    snapshot = ClassSnapshot(fitted, SIZE, range(2, 19), 0, None)
    np.testing.assert_allclose(snapshot.probabilities[2:19], fitted.probabilities)
    for other in (0, 1, 19):
        np.testing.assert_allclose(
            snapshot.probabilities[other], fitted.unjudged_weights / fitted.unjudged_weights.sum()
        )
    assert np.flatnonzero(~snapshot.judged).tolist() == [0, 1, 19]
    assert snapshot.founders == [founder + 2 for founder in fitted.founders]
    check_summaries(snapshot)


def test_an_answer_updates_its_documents_as_messages_would() -> None:
    snapshot = new_snapshot()
    rng = np.random.default_rng(4)
    for number in range(30):
        first, second = rng.choice(SIZE, size=2, replace=False).tolist()
        likelihood = in_columns(snapshot.crowd.confusion("w1")[:, number % 3][None])
        sides = in_columns(snapshot.probabilities[[first, second]])
        messages = factor_messages.factor_messages(
            factor_messages.stack_directions(likelihood), factor_messages.swap_sides(sides)
        )
        expected = snapshot.probabilities.copy()
        expected[[first, second]] *= messages.T
        expected /= expected.sum(axis=1, keepdims=True)
        snapshot.observe([(first, second, number % 3, "w1")])
        np.testing.assert_allclose(snapshot.probabilities, expected, atol=1e-6)
        check_summaries(snapshot)


def test_observations_count_the_same_whenever_somebody_reads() -> None:
    one_by_one, at_once = new_snapshot(), new_snapshot()
    outcome = [(place, (7 * place + 3) % SIZE, place % 3, f"w{place % 4}") for place in range(18)]
    for draw_outcome in outcome:
        one_by_one.observe([draw_outcome])
    at_once.observe(outcome)
    np.testing.assert_array_equal(one_by_one.probabilities, at_once.probabilities)
    np.testing.assert_array_equal(one_by_one.class_sizes, at_once.class_sizes)


def test_a_batch_of_observations_counts_as_single_ones() -> None:
    one_by_one, at_once = new_snapshot(), new_snapshot()
    rng = np.random.default_rng(6)
    outcome = [
        (*rng.choice(SIZE, size=2, replace=False).tolist(), int(rng.integers(3)), f"w{number % 4}")
        for number in range(BATCH_SIZE + 20)
    ]
    for draw_outcome in outcome:
        one_by_one.observe([draw_outcome])
    at_once.observe(outcome)
    np.testing.assert_allclose(one_by_one.probabilities, at_once.probabilities, atol=1e-5)
    np.testing.assert_array_equal(one_by_one.judged, at_once.judged)
    check_summaries(at_once)


def test_features_inform_about_unjudged_documents() -> None:
    feature_log_odds = np.zeros((SIZE, 1))
    feature_log_odds[19] = 2.0
    snapshot = new_snapshot(feature_log_odds)
    assert snapshot.map_class_probability[19] > snapshot.map_class_probability[0]


def test_before_any_answer_only_the_founder_has_a_place() -> None:
    snapshot = ClassSnapshot(ClassPosterior(), 5, [], 3, None)
    assert snapshot.founders == [3]
    assert snapshot.map_place_probability.argmax() == 3
    assert not snapshot.judged.any()
    check_summaries(snapshot)


@pytest.mark.parametrize("width", [3, 7])
def test_a_scalar_message_is_that_of_the_arrays(width: int) -> None:
    rng = np.random.default_rng(width)
    others, likelihood = rng.dirichlet(np.ones(width)), rng.dirichlet(np.ones(3))
    expected = factor_messages.factor_messages(
        in_columns(likelihood[None]), in_columns(others[None])
    )
    np.testing.assert_allclose(
        scalar_factor_message(others.tolist(), *likelihood), expected[:, 0], rtol=1e-5
    )
