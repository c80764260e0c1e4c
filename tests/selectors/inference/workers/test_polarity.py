"""Polarity: the minority camp is minority without knowing any order."""

import numpy as np
import pytest
from drawn_comparisons import draw_outcome

from nextpair.selectors.inference.comparisons import Comparisons
from nextpair.selectors.inference.workers.polarity import minority_camp

GRADES = [0] * 60 + [1] * 20 + [2] * 10


def draw_comparisons(
    reversing: int, workers: int = 20, count: int = 600, seed: int = 0
) -> Comparisons:
    """Let some workers answer about pairs drawn at random, the first of them in reverse."""
    rng, comparisons = np.random.default_rng(seed), Comparisons()
    for _ in range(count):
        first, second = rng.choice(len(GRADES), size=2, replace=False).tolist()
        worker = int(rng.integers(workers))
        outcome = draw_outcome(GRADES[first], GRADES[second], 0.1, rng)
        comparisons.append(first, second, 2 - outcome if worker < reversing else outcome, worker)
    return comparisons


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("reversing", [0, 3, 6])
def test_reversing_workers_are_the_minority(reversing: int, seed: int) -> None:
    minority = minority_camp(draw_comparisons(reversing, seed=seed), 20)
    assert np.flatnonzero(minority).tolist() == list(range(reversing))


def test_the_smaller_camp_is_the_minority() -> None:
    minority = minority_camp(draw_comparisons(14), 20)
    assert np.flatnonzero(minority).tolist() == list(range(14, 20))


def test_a_worker_without_answers_is_of_no_camp() -> None:
    assert not minority_camp(Comparisons(), 3).any()
    assert minority_camp(draw_comparisons(6), 25)[20:].tolist() == [False] * 5
