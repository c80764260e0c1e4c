"""Comparisons: columns that grow, prefixes that do not, and reversed outcomes."""

import numpy as np

from nextpair.selectors.inference.comparisons import (
    BETTER,
    INITIAL_CAPACITY,
    WORSE,
    Comparisons,
)
from nextpair.selectors.state.judgments import Outcome

COUNT = 3 * INITIAL_CAPACITY


def drawn() -> Comparisons:
    comparisons = Comparisons()
    for number in range(COUNT):
        comparisons.append(number, number + 1, number % 3, number % 5)
    return comparisons


def test_columns_have_what_was_appended() -> None:
    comparisons, numbers = drawn(), np.arange(COUNT)
    assert len(comparisons) == COUNT
    assert comparisons.document_count == COUNT + 1
    np.testing.assert_array_equal(comparisons.first, numbers)
    np.testing.assert_array_equal(comparisons.second, numbers + 1)
    np.testing.assert_array_equal(comparisons.outcome, numbers % 3)
    np.testing.assert_array_equal(comparisons.worker, numbers % 5)


def test_a_prefix_does_not_grow() -> None:
    comparisons = drawn()
    whole, part = comparisons.prefix(), comparisons.prefix(10)
    for _ in range(COUNT):
        comparisons.append(0, 1, BETTER, 0)
    assert (len(comparisons), len(whole), len(part)) == (2 * COUNT, COUNT, 10)
    np.testing.assert_array_equal(whole.first, np.arange(COUNT))


def test_the_outcomes_of_some_workers_are_reversed() -> None:
    comparisons = drawn()
    changed = comparisons.reversed_by(np.arange(5) == 2)
    of_worker = comparisons.worker == 2
    np.testing.assert_array_equal(
        changed.outcome, np.where(of_worker, 2 - comparisons.outcome, comparisons.outcome)
    )
    np.testing.assert_array_equal(comparisons.outcome, np.arange(COUNT) % 3)


def test_two_minus_a_code_is_the_reversed_outcome() -> None:
    assert all(2 - outcome.code == outcome.reversed.code for outcome in Outcome)
    assert WORSE == 2 - BETTER


def test_incidence_sums_both_sides_by_document() -> None:
    comparisons = Comparisons()
    comparisons.append(0, 1, BETTER, 0)
    comparisons.append(2, 0, BETTER, 0)
    sums = comparisons.incidence(3) @ np.array([1.0, 10.0, 100.0, 1000.0])
    assert sums.tolist() == [1001.0, 100.0, 10.0]
