"""The crowd: how it answers, and who in it does not answer as the others do."""

from collections.abc import Callable

import numpy as np
import pytest
from answering import answer

from nextpair.selectors.placing.crowd import Crowd

Habit = Callable[[int, np.random.Generator], int]


def learned(habits: dict[str, Habit], answers: int, error: float, seed: int = 0) -> Crowd:
    """Let ten honest workers and some others answer questions whose answers are known."""
    rng, crowd = np.random.default_rng(seed), Crowd()
    names = [f"honest-{number}" for number in range(10)] + list(habits)
    rows = []
    for name in names:
        for _ in range(answers):
            truth = int(rng.integers(3))
            honest = answer(2 - truth, 1, error, rng)
            said = habits[name](honest, rng) if name in habits else honest
            rows.append((crowd.number(name), said, truth))
    workers, said_, truths = (np.array(column) for column in zip(*rows, strict=True))
    crowd.learn(workers, said_, np.eye(3, dtype=np.float32)[truths].T)
    return crowd


def right(crowd: Crowd, name: str) -> float:
    return float(np.trace(crowd.of(name)) / 3)


@pytest.mark.parametrize("error", [0.05, 0.2, 0.35])
def test_how_often_an_ordinary_worker_errs_is_learned(error: float) -> None:
    crowd = learned({}, 200, error)
    assert np.diag(crowd.ordinary) == pytest.approx(1 - error, abs=0.04)


def test_who_answers_at_random_is_found_and_tells_little() -> None:
    crowd = learned({"random": lambda honest, rng: int(rng.integers(3))}, 30, 0.1)
    by_name = {one.worker: one for one in crowd.reliabilities(np.full(11, 30))}
    assert by_name["random"].right < 0.6
    assert by_name["random"].information < 0.15
    assert min(right(crowd, f"honest-{number}") for number in range(10)) > 0.75


def test_who_always_says_the_same_tells_little() -> None:
    crowd = learned({"first": lambda honest, rng: int(rng.integers(2)) * 2}, 30, 0.1)
    by_name = {one.worker: one for one in crowd.reliabilities(np.full(11, 30))}
    assert by_name["first"].information < 0.2


def test_who_reverses_is_found_and_still_tells_much() -> None:
    crowd = learned({"reverser": lambda honest, rng: 2 - honest}, 30, 0.1)
    by_name = {one.worker: one for one in crowd.reliabilities(np.full(11, 30))}
    assert by_name["reverser"].right < 0.5
    assert by_name["reverser"].information > 0.3
    confusion = crowd.of("reverser")
    assert confusion[0, 2] > 0.6 > confusion[0, 0]


def test_one_wrong_answer_makes_nobody_suspicious() -> None:
    crowd = learned({"unlucky": lambda honest, rng: (honest + 1) % 3}, 1, 0.1)
    np.testing.assert_allclose(crowd.of("unlucky"), crowd.ordinary, atol=0.2)


def test_who_has_not_answered_is_ordinary() -> None:
    crowd = learned({}, 20, 0.1)
    np.testing.assert_array_equal(crowd.of("nobody yet"), crowd.ordinary)


def test_who_errs_about_ties_is_expected_to_err_about_differences() -> None:
    crowd = Crowd()
    worker = crowd.number("w")
    said = np.array([1] * 70 + [0] * 15 + [2] * 15)
    ties = np.zeros((3, 100), dtype=np.float32)
    ties[1] = 1
    crowd.learn(np.full(100, worker), said, ties)
    assert crowd.ordinary[0, 0] == pytest.approx(0.7, abs=0.05)


def test_a_crowd_does_not_reverse_nor_miss_most_differences() -> None:
    crowd = Crowd()
    worker = crowd.number("w")
    said = np.array([2] * 40 + [1] * 50 + [0] * 10)
    better = np.zeros((3, 100), dtype=np.float32)
    better[0] = 1
    crowd.learn(np.full(100, worker), said, better)
    seen, missed, reversed_ = crowd.ordinary[0]
    assert seen >= 2 * reversed_ - 1e-9
    assert seen >= missed - 1e-9


def test_a_twin_learns_for_itself() -> None:
    crowd = learned({}, 20, 0.1)
    before = crowd.ordinary
    twin = crowd.twin()
    twin.number("another")
    twin.learn(np.zeros(5, dtype=np.intp), np.zeros(5, dtype=np.intp), np.eye(3, 5, 2, np.float32))
    np.testing.assert_array_equal(crowd.ordinary, before)
