"""Fitting: a fold over answers, whoever looks at it and whenever."""

import numpy as np
from answering import answer

from nextpair.selectors.inference.ordinal_classes.schedule import FEW, Fitting
from nextpair.selectors.state.documents import Document, Documents

GRADES = [0] * 30 + [1] * 10


def log(length: int, seed: int) -> list[tuple[int, int, int, str]]:
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(length):
        first, second = rng.choice(len(GRADES), size=2, replace=False).tolist()
        said = answer(GRADES[first], GRADES[second], 0.1, rng)
        rows.append((first, second, said, f"w{rng.integers(8)}"))
    return rows


def new() -> Fitting:
    return Fitting(Documents([Document(f"d{place}") for place in range(len(GRADES))]), 0)


def test_looking_does_not_change_the_fold() -> None:
    watched, alone = new(), new()
    for number, row in enumerate(log(FEW + 200, seed=1)):
        watched.add(*row)
        alone.add(*row)
        if number % 3 == 0:
            watched.look()
        if number % 50 == 0:
            watched.final()
    np.testing.assert_allclose(watched.look().beliefs, alone.look().beliefs, atol=1e-6)
    np.testing.assert_allclose(watched.final().beliefs, alone.final().beliefs, atol=1e-6)
    assert watched.final().founders == alone.final().founders


def test_an_answer_bears_at_once_on_documents_it_is_not_about() -> None:
    fitting = new()
    rows = log(93, seed=6)
    for row in rows[:90]:
        fitting.add(*row)
    # Of three answers in a row, at most one is followed by a fit that others start from.
    for first, second, said, worker in rows[90:]:
        before = fitting.look().beliefs.copy()
        fitting.add(first, second, said, worker)
        moved = np.abs(fitting.look().beliefs - before).max(axis=1)
        moved[[first, second]] = 0
        assert moved.max() > 1e-4


def test_a_known_answer_counts_the_same_whoever_looked_before_it_came() -> None:
    watched, alone = new(), new()
    for number, row in enumerate(log(200, seed=5)):
        for each in (watched, alone):
            each.add(*row)
            if number % 20 == 7:
                each.add_known(0, 2, "w3")
        watched.look()
    np.testing.assert_allclose(watched.look().beliefs, alone.look().beliefs, atol=1e-6)


def test_what_is_reported_leaves_the_fold_alone() -> None:
    fitting = new()
    for row in log(130, seed=2):
        fitting.add(*row)
    before = fitting.look().beliefs.copy()
    reported = fitting.final()
    assert reported is fitting.final()
    np.testing.assert_array_equal(fitting.look().beliefs, before)


def test_a_report_stays_as_it_was_when_more_answers_come() -> None:
    fitting = new()
    rows = log(200, seed=3)
    for row in rows[:150]:
        fitting.add(*row)
    reported = fitting.final()
    beliefs, workers = reported.beliefs.copy(), reported.reliabilities()
    for first, second, said, _ in rows[150:]:
        fitting.add(first, second, said, "somebody new")
    np.testing.assert_array_equal(reported.beliefs, beliefs)
    assert reported.reliabilities() == workers
    assert len(reported.answers) == 150


def test_a_long_log_tells_the_classes() -> None:
    fitting = new()
    for row in log(400, seed=4):
        fitting.add(*row)
    final = fitting.final()
    assert final.classes == 2
    assert ((1 - final.likeliest) == np.array(GRADES)).mean() > 0.95


def test_nothing_is_known_without_answers() -> None:
    beliefs = new().final()
    assert beliefs.classes == 1
    assert not beliefs.judged.any()
