"""The crowd: how it answers, and who in it does not answer as the others do."""

from collections.abc import Callable

import numpy as np
import pytest
from answering import answer
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes.factor_messages import Many
from nextpair.selectors.inference.workers.crowd import Crowd

ROUNDS = 12
"""What is learned settles in some rounds."""
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
    for _ in range(ROUNDS):
        crowd.learn(workers, said_, known(truths))
    return crowd


def known(truths: NDArray[np.intp]) -> Many:
    """Say that relations are as given, but for a doubt."""
    return np.maximum(np.eye(3, dtype=np.float32)[truths].T, 1e-6)


def right(crowd: Crowd, name: str) -> float:
    return float(np.trace(crowd.of(name)) / 3)


@pytest.mark.parametrize("error", [0.05, 0.2, 0.35])
def test_how_often_an_ordinary_worker_errs_is_learned(error: float) -> None:
    crowd = learned({}, 200, error)
    assert np.diag(crowd.ordinary) == pytest.approx(1 - error, abs=0.04)


def test_who_answers_at_random_is_found_and_tells_little() -> None:
    crowd = learned({"random": lambda honest, rng: int(rng.integers(3))}, 30, 0.1)
    by_name = {one.worker: one for one in crowd.reliabilities(np.repeat(np.arange(11), 30))}
    assert by_name["random"].right < 0.6
    assert by_name["random"].information < 0.15
    assert min(right(crowd, f"honest-{number}") for number in range(10)) > 0.75


def test_who_always_says_the_same_tells_little() -> None:
    crowd = learned({"first": lambda honest, rng: int(rng.integers(2)) * 2}, 30, 0.1)
    by_name = {one.worker: one for one in crowd.reliabilities(np.repeat(np.arange(11), 30))}
    assert by_name["first"].information < 0.2


def test_who_reverses_is_found_and_still_tells_much() -> None:
    crowd = learned({"reverser": lambda honest, rng: 2 - honest}, 30, 0.1)
    by_name = {one.worker: one for one in crowd.reliabilities(np.repeat(np.arange(11), 30))}
    assert by_name["reverser"].right < 0.5
    assert by_name["reverser"].information > 0.3
    confusion = crowd.of("reverser")
    assert confusion[0, 2] > 0.6 > confusion[0, 0]


def test_one_wrong_answer_makes_nobody_suspicious() -> None:
    crowd = learned({"unlucky": lambda honest, rng: (honest + 1) % 3}, 1, 0.1)
    np.testing.assert_allclose(crowd.of("unlucky"), crowd.ordinary, atol=0.2)


def test_who_has_not_answered_is_most_likely_ordinary() -> None:
    crowd = learned({}, 20, 0.1)
    np.testing.assert_allclose(crowd.of("nobody yet"), crowd.ordinary, atol=0.1)
    assert np.diag(crowd.of("nobody yet")).sum() < np.diag(crowd.ordinary).sum()


def test_three_reversed_answers_are_enough_to_be_understood() -> None:
    crowd = learned({"reverser": lambda honest, rng: 2 - honest}, 12, 0.05)
    workers, answers = np.full(3, crowd.number("new")), np.array([0, 2, 0])
    told = Crowd()
    told.number("new")
    for _ in range(ROUNDS):
        told.learn(workers - 11, answers, known(2 - answers))
    assert told.of("new")[0, 2] > 0.4 > told.ordinary[0, 2]
    assert crowd.of("new")[0, 2] < 0.2


def test_where_many_reverse_it_is_expected_of_the_next() -> None:
    few = learned({}, 20, 0.1)
    many = learned({f"r{one}": lambda honest, rng: 2 - honest for one in range(4)}, 20, 0.1)
    assert many.of("nobody yet")[0, 2] > few.of("nobody yet")[0, 2] + 0.05


def test_an_answer_does_not_vouch_for_itself() -> None:
    crowd, worker, answers = Crowd(), np.zeros(1, dtype=np.intp), np.array([2])
    crowd.number("w")
    before = crowd.weigh(worker, answers).likelihood
    for _ in range(ROUNDS):
        crowd.learn(worker, answers, known(np.array([0])))
    expected = np.exp(crowd._leanings.shares) @ [
        crowd.ordinary[0, 2],
        crowd.ordinary[0, 0],
        crowd._leanings._strange[0, 4],
    ]
    assert crowd.likelihood(worker, answers)[0, 0] > 1.5 * before[0, 0]
    otherwise = float(crowd.weigh(worker, answers).likelihood[0, 0])
    assert otherwise == pytest.approx(expected, rel=0.2)


def test_a_crowd_that_mostly_reverses_seems_upside_down() -> None:
    names = {f"r{one}": lambda honest, rng: 2 - honest for one in range(25)}
    crowd = learned(names, 12, 0.1)
    assert crowd.mirrored
    crowd.mirror()
    assert not crowd.mirrored
    assert not learned(dict(list(names.items())[:4]), 12, 0.1).mirrored


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
    wrong = np.zeros(200, dtype=np.intp)
    twin.learn(wrong, wrong, known(wrong + 2))
    np.testing.assert_array_equal(crowd.ordinary, before)


def test_known_answers_say_who_reverses_where_the_others_cannot_tell() -> None:
    """Two camps contradict each other; whichever the order follows, anchors know better."""
    crowd, rng = Crowd(), np.random.default_rng(3)
    names = [f"one-{number}" for number in range(5)] + [f"other-{number}" for number in range(5)]
    rows = []
    for name in names:
        worker = crowd.number(name)
        for _ in range(20):
            truth = int(rng.integers(3))
            rows.append((worker, truth if name.startswith("one") else 2 - truth, truth))
            # What the answers seem to be about is what the first camp says; it is all wrong.
            crowd.anchor(name, truth, 2 - truth if name.startswith("one") else truth)
    workers, said, truths = (np.array(column) for column in zip(*rows, strict=True))
    for _ in range(3):
        crowd.learn(workers, said, np.full((3, len(said)), 1 / 3, dtype=np.float32))
    assert max(right(crowd, name) for name in names[:5]) < 0.5
    assert min(right(crowd, name) for name in names[5:]) > 0.6
    for _ in range(3):
        crowd.learn(workers, said, known(truths))
    assert crowd.mirrored


def test_without_known_answers_the_same_camps_stay_as_they_are() -> None:
    crowd, truths = Crowd(), np.tile([0, 1, 2], 40)
    workers = np.array([crowd.number(f"w{place % 6}") for place in range(len(truths))])
    for _ in range(3):
        crowd.learn(workers, truths, known(truths))
    assert not crowd.mirrored


def test_a_twin_can_be_told_more_without_the_other_hearing_of_it() -> None:
    crowd = Crowd()
    crowd.anchor("ann", 0, 0)
    twin = crowd.twin()
    for _ in range(20):
        twin.anchor("ann", 0, 2)
    nothing = np.zeros((3, 0), dtype=np.float32)
    for each in (crowd, twin):
        each.learn(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), nothing)
    assert right(twin, "ann") < 0.5 < right(crowd, "ann")
