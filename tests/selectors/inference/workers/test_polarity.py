"""Camps: who contradicts the others is found without knowing any order."""

import numpy as np
import pytest
from answering import answer

from nextpair.selectors.inference.ordinal_classes.comparisons import Answers
from nextpair.selectors.inference.workers.polarity import opposed

GRADES = [0] * 60 + [1] * 20 + [2] * 10


def answers(reversing: int, workers: int = 20, count: int = 600, seed: int = 0) -> Answers:
    """Let some workers answer about pairs drawn at random, the first of them in reverse."""
    rng, said = np.random.default_rng(seed), Answers()
    for _ in range(count):
        first, second = rng.choice(len(GRADES), size=2, replace=False).tolist()
        worker = int(rng.integers(workers))
        told = answer(GRADES[first], GRADES[second], 0.1, rng)
        said.add(first, second, 2 - told if worker < reversing else told, worker)
    return said


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("reversing", [0, 3, 6])
def test_those_who_reverse_are_told_from_the_others(reversing: int, seed: int) -> None:
    found = opposed(answers(reversing, seed=seed), 20)
    assert np.flatnonzero(found).tolist() == list(range(reversing))


def test_of_two_camps_the_smaller_one_is_the_other() -> None:
    found = opposed(answers(14), 20)
    assert np.flatnonzero(found).tolist() == list(range(14, 20))


def test_who_has_said_nothing_is_of_no_camp() -> None:
    assert not opposed(Answers(), 3).any()
    assert opposed(answers(6), 25)[20:].tolist() == [False] * 5
