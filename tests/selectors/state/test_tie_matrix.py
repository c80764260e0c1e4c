"""The tie matrix against a full scan."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import grades, truth

from nextpair.selectors.state import bitset
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.tie_matrix import TieMatrix, exponential_ties, random_ties


class FullScan:
    """Sums of probabilities between the documents of two classes, recomputed with every call."""

    def __init__(self, probabilities: np.ndarray, order: Order) -> None:
        self._p, self._order = probabilities, order

    def sum(self, first: int, second: int) -> float:
        rows, columns = self._order.members(first), self._order.members(second)
        return float(self._p[np.ix_(rows, columns)].sum())

    def largest_pair(self) -> float:
        labels = bitset.members(self._order.labels)
        return max(
            self.sum(first, second)
            for first in labels
            for second in bitset.members(self._order.unknown(first))
        )


@given(grades(), st.integers(0, 2**32))
def test_the_largest_pair_is_that_of_a_full_scan_to_the_end(of: list[int], seed: int) -> None:
    probabilities = random_ties(len(of), np.random.default_rng(seed))
    order, matrix = Order(len(of)), TieMatrix(probabilities.copy)
    scan = FullScan(probabilities, order)
    while order.unknown_pairs:
        largest = matrix.largest_pair(order.unknown)
        assert largest is not None
        assert order.relation(*largest) is None
        assert scan.sum(*largest) == pytest.approx(scan.largest_pair(), rel=1e-5)
        merge = order.absorb(*largest, truth(*largest, of))
        if merge:
            matrix.merge(merge)
    assert matrix.largest_pair(order.unknown) is None


@given(grades(least=4), st.integers(0, 2**32), st.data())
def test_what_is_not_allowed_now_is_passed_over_and_comes_back(
    of: list[int], seed: int, data: st.DataObject
) -> None:
    order = Order(len(of))
    probabilities = random_ties(len(of), np.random.default_rng(seed))
    matrix = TieMatrix(probabilities.copy)
    banned = data.draw(st.integers(0, len(of) - 1))

    def allowed(label: int) -> int:
        return 0 if label == banned else order.unknown(label) & ~(1 << banned)

    free = matrix.largest_pair(order.unknown, allowed)
    assert free is not None
    assert banned not in free
    again = matrix.largest_pair(order.unknown)
    assert again == TieMatrix(probabilities.copy).largest_pair(order.unknown)


@given(grades(), st.integers(0, 2**32), st.data())
def test_starting_from_classes_is_the_same_as_merging_on_the_way(
    of: list[int], seed: int, data: st.DataObject
) -> None:
    probabilities = random_ties(len(of), np.random.default_rng(seed))
    order = Order(len(of))
    for place in data.draw(st.lists(st.integers(1, len(of) - 1), max_size=8)):
        order.absorb(place - 1, place, truth(place - 1, place, of))
    scan = FullScan(probabilities, order)
    classes = {label: order.members(label) for label in bitset.members(order.labels)}
    largest = TieMatrix(probabilities.copy, classes).largest_pair(order.unknown)
    assert (largest is None) == (order.unknown_pairs == 0)
    if largest is not None:
        assert scan.sum(*largest) == pytest.approx(scan.largest_pair(), rel=1e-5)


@given(grades(least=3), st.integers(0, 2**32), st.data())
def test_searching_early_does_not_change_later_results(
    of: list[int], seed: int, data: st.DataObject
) -> None:
    probabilities = random_ties(len(of), np.random.default_rng(seed))
    order = Order(len(of))
    early, late = TieMatrix(probabilities.copy), TieMatrix(probabilities.copy)
    for place in data.draw(st.lists(st.integers(1, len(of) - 1), max_size=9)):
        merge = order.absorb(place - 1, place, truth(place - 1, place, of))
        if merge:
            early.merge(merge)
            late.merge(merge)
        early.largest_pair(order.unknown)
    assert early.largest_pair(order.unknown) == late.largest_pair(order.unknown)
    assert early.candidates(order.unknown, 4) == late.candidates(order.unknown, 4)


def test_candidates_come_largest_first() -> None:
    probabilities = np.array(
        [[0, 0.9, 0.1, 0.2], [0.9, 0, 0.3, 0.4], [0.1, 0.3, 0, 0.8], [0.2, 0.4, 0.8, 0]],
        dtype=np.float32,
    )
    order = Order(4)
    matrix = TieMatrix(probabilities.copy)
    assert matrix.candidates(order.unknown, 3) == [(1, 0), (3, 2), (3, 1)]
    assert matrix.candidates(order.unknown, 1) == [(1, 0)]
    assert len(matrix.candidates(order.unknown, 99)) == 6


@given(grades(), st.integers(0, 2**32), st.integers(1, 12), st.data())
def test_candidates_are_the_largest_of_a_full_scan(
    of: list[int], seed: int, count: int, data: st.DataObject
) -> None:
    probabilities = random_ties(len(of), np.random.default_rng(seed))
    order, matrix = Order(len(of)), TieMatrix(probabilities.copy)
    for first in data.draw(st.lists(st.integers(1, len(of) - 1), max_size=6)):
        merge = order.absorb(first - 1, first, truth(first - 1, first, of))
        if merge:
            matrix.merge(merge)
    scan = FullScan(probabilities, order)
    labels = bitset.members(order.labels)
    sums = [
        scan.sum(one, other)
        for one in labels
        for other in bitset.members(order.unknown(one))
        if one < other
    ]
    largest = [scan.sum(*pair) for pair in matrix.candidates(order.unknown, count)]
    assert largest == pytest.approx(sorted(sums, reverse=True)[:count], rel=1e-5)


@pytest.mark.parametrize("draw", [random_ties, exponential_ties])
def test_drawn_matrices_are_symmetric_and_repeatable(draw: object) -> None:
    assert callable(draw)
    matrix = draw(7, np.random.default_rng(3))
    assert np.array_equal(matrix, matrix.T)
    assert np.array_equal(matrix, draw(7, np.random.default_rng(3)))
    assert (matrix[np.triu_indices(7, 1)] > 0).all()


@pytest.mark.parametrize("size", [0, 1])
def test_a_matrix_without_pairs_has_no_largest(size: int) -> None:
    matrix = TieMatrix(np.zeros((size, size), dtype=np.float32).copy)
    assert matrix.largest_pair(Order(size).unknown) is None
    assert matrix.candidates(Order(size).unknown, 5) == []
