"""The inference schedule: a fold over comparisons, whoever reads it and whenever."""

import numpy as np
from drawn_comparisons import draw_outcome

from nextpair.selectors.inference.ordinal_classes.schedule import FEW_COMPARISONS, ClassSchedule
from nextpair.selectors.state.documents import Document, Documents

GRADES = [0] * 30 + [1] * 10


def log(length: int, seed: int) -> list[tuple[int, int, int, str]]:
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(length):
        first, second = rng.choice(len(GRADES), size=2, replace=False).tolist()
        outcome = draw_outcome(GRADES[first], GRADES[second], 0.1, rng)
        rows.append((first, second, outcome, f"w{rng.integers(8)}"))
    return rows


def new() -> ClassSchedule:
    return ClassSchedule(Documents([Document(f"d{place}") for place in range(len(GRADES))]), 0)


def test_reading_does_not_change_the_fold() -> None:
    watched, alone = new(), new()
    for number, row in enumerate(log(FEW_COMPARISONS + 200, seed=1)):
        watched.observe(*row)
        alone.observe(*row)
        if number % 3 == 0:
            watched.current()
        if number % 50 == 0:
            watched.converged()
    np.testing.assert_allclose(
        watched.current().probabilities, alone.current().probabilities, atol=1e-6
    )
    np.testing.assert_allclose(
        watched.converged().probabilities, alone.converged().probabilities, atol=1e-6
    )
    assert watched.converged().founders == alone.converged().founders


def test_an_answer_changes_documents_it_is_not_about_at_once() -> None:
    schedule = new()
    rows = log(93, seed=6)
    for row in rows[:90]:
        schedule.observe(*row)
    # Of three answers in a row, at most one is followed by a fit that others start from.
    for first, second, outcome, worker in rows[90:]:
        before = schedule.current().probabilities.copy()
        schedule.observe(first, second, outcome, worker)
        moved = np.abs(schedule.current().probabilities - before).max(axis=1)
        moved[[first, second]] = 0
        assert moved.max() > 1e-4


def test_a_gold_response_counts_the_same_whoever_read_before_it() -> None:
    watched, alone = new(), new()
    for number, row in enumerate(log(200, seed=5)):
        for each in (watched, alone):
            each.observe(*row)
            if number % 20 == 7:
                each.observe_gold("w3", 0, 2)
        watched.current()
    np.testing.assert_allclose(
        watched.current().probabilities, alone.current().probabilities, atol=1e-6
    )


def test_converging_does_not_change_the_fold() -> None:
    schedule = new()
    for row in log(130, seed=2):
        schedule.observe(*row)
    before = schedule.current().probabilities.copy()
    reported = schedule.converged()
    assert reported is schedule.converged()
    np.testing.assert_array_equal(schedule.current().probabilities, before)


def test_a_snapshot_does_not_change_when_more_answers_come() -> None:
    schedule = new()
    rows = log(200, seed=3)
    for row in rows[:150]:
        schedule.observe(*row)
    reported = schedule.converged()
    posterior, workers = reported.probabilities.copy(), reported.reliabilities()
    for first, second, outcome, _ in rows[150:]:
        schedule.observe(first, second, outcome, "somebody new")
    np.testing.assert_array_equal(reported.probabilities, posterior)
    assert reported.reliabilities() == workers
    assert len(reported.comparisons) == 150


def test_the_classes_of_a_long_log_are_found() -> None:
    schedule = new()
    for row in log(400, seed=4):
        schedule.observe(*row)
    final = schedule.converged()
    assert final.class_count == 2
    assert ((1 - final.map_class) == np.array(GRADES)).mean() > 0.95


def test_without_comparisons_nothing_is_judged() -> None:
    posterior = new().converged()
    assert posterior.class_count == 1
    assert not posterior.judged.any()
