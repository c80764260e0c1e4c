"""The crowd model: the shared confusion matrix, and workers who deviate from it."""

from collections.abc import Callable

import numpy as np
import pytest
from drawn_comparisons import draw_outcome
from numpy.typing import NDArray

from nextpair.selectors.inference.numerics import Array32
from nextpair.selectors.inference.workers.crowd import CrowdModel

ROUNDS = 12
"""Updates until the model has converged."""
AnswerRule = Callable[[int, np.random.Generator], int]


def fitted_crowd(
    rules: dict[str, AnswerRule], answers: int, error: float, seed: int = 0
) -> CrowdModel:
    """Fit a crowd of ten honest workers and some others to almost certain relations."""
    rng, crowd = np.random.default_rng(seed), CrowdModel()
    names = [f"honest-{number}" for number in range(10)] + list(rules)
    rows = []
    for name in names:
        for _ in range(answers):
            truth = int(rng.integers(3))
            honest = draw_outcome(2 - truth, 1, error, rng)
            outcome = rules[name](honest, rng) if name in rules else honest
            rows.append((crowd.number(name), outcome, truth))
    workers, outcomes, truths = (np.array(column) for column in zip(*rows, strict=True))
    for _ in range(ROUNDS):
        crowd.update(workers, outcomes, almost_certain(truths))
    return crowd


def almost_certain(truths: NDArray[np.intp]) -> Array32:
    """Return relations that are almost certain."""
    return np.maximum(np.eye(3, dtype=np.float32)[truths].T, 1e-6)


def right(crowd: CrowdModel, name: str) -> float:
    return float(np.trace(crowd.confusion(name)) / 3)


@pytest.mark.parametrize("error", [0.05, 0.2, 0.35])
def test_the_error_rate_of_ordinary_workers_is_estimated(error: float) -> None:
    crowd = fitted_crowd({}, 200, error)
    assert np.diag(crowd.ordinary) == pytest.approx(1 - error, abs=0.04)


def test_a_worker_who_answers_at_random_is_found_and_uninformative() -> None:
    crowd = fitted_crowd({"random": lambda honest, rng: int(rng.integers(3))}, 30, 0.1)
    by_name = {one.worker: one for one in crowd.reliabilities(np.repeat(np.arange(11), 30))}
    assert by_name["random"].right < 0.6
    assert by_name["random"].information < 0.15
    assert min(right(crowd, f"honest-{number}") for number in range(10)) > 0.75


def test_a_worker_who_names_a_random_winner_is_uninformative() -> None:
    crowd = fitted_crowd({"first": lambda honest, rng: int(rng.integers(2)) * 2}, 30, 0.1)
    by_name = {one.worker: one for one in crowd.reliabilities(np.repeat(np.arange(11), 30))}
    assert by_name["first"].information < 0.2


def test_a_reversing_worker_is_found_and_informative() -> None:
    crowd = fitted_crowd({"reverser": lambda honest, rng: 2 - honest}, 30, 0.1)
    by_name = {one.worker: one for one in crowd.reliabilities(np.repeat(np.arange(11), 30))}
    assert by_name["reverser"].right < 0.5
    assert by_name["reverser"].information > 0.3
    confusion = crowd.confusion("reverser")
    assert confusion[0, 2] > 0.6 > confusion[0, 0]


def test_one_wrong_answer_does_not_change_a_confusion_matrix() -> None:
    crowd = fitted_crowd({"unlucky": lambda honest, rng: (honest + 1) % 3}, 1, 0.1)
    np.testing.assert_allclose(crowd.confusion("unlucky"), crowd.ordinary, atol=0.2)


def test_an_unseen_worker_gets_the_posterior_predictive() -> None:
    crowd = fitted_crowd({}, 20, 0.1)
    np.testing.assert_allclose(crowd.confusion("nobody yet"), crowd.ordinary, atol=0.1)
    assert np.diag(crowd.confusion("nobody yet")).sum() < np.diag(crowd.ordinary).sum()


def test_three_reversed_answers_are_enough_to_be_understood() -> None:
    crowd = fitted_crowd({"reverser": lambda honest, rng: 2 - honest}, 12, 0.05)
    workers, answers = np.full(3, crowd.number("new")), np.array([0, 2, 0])
    new_crowd = CrowdModel()
    new_crowd.number("new")
    for _ in range(ROUNDS):
        new_crowd.update(workers - 11, answers, almost_certain(2 - answers))
    assert new_crowd.confusion("new")[0, 2] > 0.4 > new_crowd.ordinary[0, 2]
    assert crowd.confusion("new")[0, 2] < 0.2


def test_where_many_reverse_a_new_worker_is_expected_to() -> None:
    few = fitted_crowd({}, 20, 0.1)
    many = fitted_crowd({f"r{one}": lambda honest, rng: 2 - honest for one in range(4)}, 20, 0.1)
    assert many.confusion("nobody yet")[0, 2] > few.confusion("nobody yet")[0, 2] + 0.05


def test_the_cavity_of_an_answer_excludes_it() -> None:
    crowd, worker, answers = CrowdModel(), np.zeros(1, dtype=np.intp), np.array([2])
    crowd.number("w")
    before = crowd.cavity_likelihood(worker, answers).marginal
    for _ in range(ROUNDS):
        crowd.update(worker, answers, almost_certain(np.array([0])))
    expected = np.exp(crowd._types.log_shares) @ [
        crowd.ordinary[0, 2],
        crowd.ordinary[0, 0],
        crowd._types._own_parameters[0, 4],
    ]
    assert crowd.posterior_likelihood(worker, answers)[0, 0] > 1.5 * before[0, 0]
    cavity = float(crowd.cavity_likelihood(worker, answers).marginal[0, 0])
    assert cavity == pytest.approx(expected, rel=0.2)


def test_a_crowd_that_mostly_reverses_seems_mirrored() -> None:
    names = {f"r{one}": lambda honest, rng: 2 - honest for one in range(25)}
    crowd = fitted_crowd(names, 12, 0.1)
    assert crowd.is_mirrored
    crowd.mirror()
    assert not crowd.is_mirrored
    assert not fitted_crowd(dict(list(names.items())[:4]), 12, 0.1).is_mirrored


def test_errors_about_ties_make_errors_about_differences_likely() -> None:
    crowd = CrowdModel()
    worker = crowd.number("w")
    outcome = np.array([1] * 70 + [0] * 15 + [2] * 15)
    ties = np.zeros((3, 100), dtype=np.float32)
    ties[1] = 1
    crowd.update(np.full(100, worker), outcome, ties)
    assert crowd.ordinary[0, 0] == pytest.approx(0.7, abs=0.05)


def test_a_crowd_does_not_reverse_nor_miss_most_differences() -> None:
    crowd = CrowdModel()
    worker = crowd.number("w")
    outcome = np.array([2] * 40 + [1] * 50 + [0] * 10)
    better = np.zeros((3, 100), dtype=np.float32)
    better[0] = 1
    crowd.update(np.full(100, worker), outcome, better)
    seen, missed, reversed_ = crowd.ordinary[0]
    assert seen >= 2 * reversed_ - 1e-9
    assert seen >= missed - 1e-9


def test_a_copy_is_updated_independently() -> None:
    crowd = fitted_crowd({}, 20, 0.1)
    before = crowd.ordinary
    copied = crowd.copy()
    copied.number("another")
    wrong = np.zeros(200, dtype=np.intp)
    copied.update(wrong, wrong, almost_certain(wrong + 2))
    np.testing.assert_array_equal(crowd.ordinary, before)


def test_gold_responses_show_who_reverses_where_other_answers_cannot() -> None:
    """Two camps contradict each other; whichever the order follows, gold responses decide."""
    crowd, rng = CrowdModel(), np.random.default_rng(3)
    names = [f"one-{number}" for number in range(5)] + [f"other-{number}" for number in range(5)]
    rows = []
    for name in names:
        worker = crowd.number(name)
        for _ in range(20):
            truth = int(rng.integers(3))
            rows.append((worker, truth if name.startswith("one") else 2 - truth, truth))
            # What the answers seem to be about is what the first camp says; it is all wrong.
            crowd.observe_gold(name, truth, 2 - truth if name.startswith("one") else truth)
    workers, outcome, truths = (np.array(column) for column in zip(*rows, strict=True))
    for _ in range(3):
        crowd.update(workers, outcome, np.full((3, len(outcome)), 1 / 3, dtype=np.float32))
    assert max(right(crowd, name) for name in names[:5]) < 0.5
    assert min(right(crowd, name) for name in names[5:]) > 0.6
    for _ in range(3):
        crowd.update(workers, outcome, almost_certain(truths))
    assert crowd.is_mirrored


def test_without_gold_responses_an_agreeing_crowd_is_not_mirrored() -> None:
    crowd, truths = CrowdModel(), np.tile([0, 1, 2], 40)
    workers = np.array([crowd.number(f"w{place % 6}") for place in range(len(truths))])
    for _ in range(3):
        crowd.update(workers, truths, almost_certain(truths))
    assert not crowd.is_mirrored


def test_gold_responses_of_a_copy_are_its_own() -> None:
    crowd = CrowdModel()
    crowd.observe_gold("ann", 0, 0)
    copied = crowd.copy()
    for _ in range(20):
        copied.observe_gold("ann", 0, 2)
    nothing = np.zeros((3, 0), dtype=np.float32)
    for each in (crowd, copied):
        each.update(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), nothing)
    assert right(copied, "ann") < 0.5 < right(crowd, "ann")
