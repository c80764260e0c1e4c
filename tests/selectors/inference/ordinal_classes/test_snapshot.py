"""A view: what a fit says of every document, and what single answers change about it."""

import numpy as np
import pytest
from answering import believe

from nextpair.selectors.inference.ordinal_classes import factor_messages
from nextpair.selectors.inference.ordinal_classes.acquisition import entropy
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.ordinal_classes.posterior import Beliefs
from nextpair.selectors.inference.ordinal_classes.snapshot import MANY, View, tell

GRADES = [0] * 12 + [1] * 5
SIZE = 20


def new_view(hints: Array | None = None) -> View:
    fitted = believe(GRADES, 90, 0.1, seed=3)
    if hints is not None:
        fitted.extend(len(GRADES), hints[: len(GRADES)])
        fitted.set_prior()
    return View(fitted, SIZE, range(2, 19), 0, hints)


def check_summary(view: View) -> None:
    """Compare what is kept beside beliefs with what they say."""
    of_classes = view.beliefs[:, 1::2]
    np.testing.assert_allclose(view.beliefs.sum(axis=1), 1)
    np.testing.assert_array_equal(view.likeliest, of_classes.argmax(axis=1))
    np.testing.assert_allclose(view.of_likeliest, of_classes.max(axis=1))
    np.testing.assert_allclose(view.certainty, view.beliefs.max(axis=1))
    np.testing.assert_allclose(view.entropies, entropy(view.beliefs), atol=1e-12)
    np.testing.assert_allclose(view.counts, of_classes[view.judged].sum(axis=0))


def test_documents_are_where_the_fit_has_them_and_others_where_anyone_may_be() -> None:
    fitted = believe(GRADES, 90, 0.1, seed=3)
    view = View(fitted, SIZE, range(2, 19), 0, None)
    np.testing.assert_allclose(view.beliefs[2:19], fitted.beliefs)
    for other in (0, 1, 19):
        np.testing.assert_allclose(view.beliefs[other], fitted.newcomer / fitted.newcomer.sum())
    assert np.flatnonzero(~view.judged).tolist() == [0, 1, 19]
    assert view.founders == [founder + 2 for founder in fitted.founders]
    check_summary(view)


def test_an_answer_moves_its_own_documents_as_messages_would() -> None:
    view = new_view()
    rng = np.random.default_rng(4)
    for number in range(30):
        first, second = rng.choice(SIZE, size=2, replace=False).tolist()
        likelihood = factor_messages.in_columns(view.crowd.of("w1")[:, number % 3][None])
        sides = factor_messages.in_columns(view.beliefs[[first, second]])
        told = factor_messages.tell(
            factor_messages.both_ways(likelihood), factor_messages.swapped(sides)
        )
        expected = view.beliefs.copy()
        expected[[first, second]] *= told.T
        expected /= expected.sum(axis=1, keepdims=True)
        view.take_in([(first, second, number % 3, "w1")])
        np.testing.assert_allclose(view.beliefs, expected, atol=1e-6)
        check_summary(view)


def test_answers_count_the_same_whenever_somebody_looks() -> None:
    one_by_one, at_once = new_view(), new_view()
    said = [(place, (7 * place + 3) % SIZE, place % 3, f"w{place % 4}") for place in range(18)]
    for answer in said:
        one_by_one.take_in([answer])
    at_once.take_in(said)
    np.testing.assert_array_equal(one_by_one.beliefs, at_once.beliefs)
    np.testing.assert_array_equal(one_by_one.counts, at_once.counts)


def test_many_answers_at_once_count_as_one_after_the_other() -> None:
    one_by_one, at_once = new_view(), new_view()
    rng = np.random.default_rng(6)
    said = [
        (*rng.choice(SIZE, size=2, replace=False).tolist(), int(rng.integers(3)), f"w{number % 4}")
        for number in range(MANY + 20)
    ]
    for answer in said:
        one_by_one.take_in([answer])
    at_once.take_in(said)
    np.testing.assert_allclose(one_by_one.beliefs, at_once.beliefs, atol=1e-5)
    np.testing.assert_array_equal(one_by_one.judged, at_once.judged)
    check_summary(at_once)


def test_features_speak_of_documents_nobody_has_judged() -> None:
    hints = np.zeros((SIZE, 1))
    hints[19] = 2.0
    view = new_view(hints)
    assert view.of_likeliest[19] > view.of_likeliest[0]


def test_before_any_answer_only_the_founder_is_known() -> None:
    view = View(Beliefs(), 5, [], 3, None)
    assert view.founders == [3]
    assert view.certainty.argmax() == 3
    assert not view.judged.any()
    check_summary(view)


@pytest.mark.parametrize("width", [3, 7])
def test_plain_numbers_tell_what_arrays_do(width: int) -> None:
    rng = np.random.default_rng(width)
    others, likelihood = rng.dirichlet(np.ones(width)), rng.dirichlet(np.ones(3))
    expected = factor_messages.tell(
        factor_messages.in_columns(likelihood[None]), factor_messages.in_columns(others[None])
    )
    np.testing.assert_allclose(tell(others.tolist(), *likelihood), expected[:, 0], rtol=1e-5)
