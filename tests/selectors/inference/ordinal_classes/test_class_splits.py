"""Class splits: a class is split where its own answers say so, and nowhere else."""

import numpy as np
from drawn_comparisons import fitted_posterior

from nextpair.selectors.inference.ordinal_classes.class_splits import MIN_MEMBERS, best_split


def test_two_mixed_classes_are_told_apart() -> None:
    grades = np.array([0] * 25 + [1] * 15)
    posterior = fitted_posterior(grades.tolist(), 400, 0.15, seed=1)
    split = best_split(posterior.comparisons, np.arange(40), 40)
    assert split is not None
    assert split.gain > 0
    assert np.mean((split.upper > 0.5) == (grades == 1)) > 0.9


def test_one_class_is_left_whole_however_often_workers_err() -> None:
    for error in (0.05, 0.2, 0.35):
        for seed in range(4):
            posterior = fitted_posterior([0] * 40, 300, error, seed)
            split = best_split(posterior.comparisons, np.arange(40), 40)
            assert split is not None
            assert split.gain < 0


def test_few_documents_are_not_split() -> None:
    posterior = fitted_posterior([0] * 10, 60, 0.1, seed=1)
    assert best_split(posterior.comparisons, np.arange(MIN_MEMBERS - 1), 10) is None


def test_only_answers_among_members_count() -> None:
    posterior = fitted_posterior([0] * 20 + [3] * 20, 400, 0.0, seed=2)
    split = best_split(posterior.comparisons, np.arange(20), 40)
    assert split is not None
    assert split.gain < 0


def test_halves_that_some_see_the_other_way_round_are_told_apart_by_reversed_answers() -> None:
    grades = np.array([0] * 20 + [1] * 20)
    posterior = fitted_posterior(grades.tolist(), 200, 0.1, seed=3)
    reversing = np.arange(10) < 4
    mixed = posterior.comparisons.reversed_by(reversing)
    blurred = best_split(mixed, np.arange(40), 40)
    assert blurred is not None
    assert blurred.gain < 0
    split = best_split(mixed.reversed_by(reversing), np.arange(40), 40)
    assert split is not None
    assert split.gain > 0
    assert (posterior.comparisons.outcome == mixed.reversed_by(reversing).outcome).all()
