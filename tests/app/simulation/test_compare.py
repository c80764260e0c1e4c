"""How near a recovered order comes to the true one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.simulation.runs import compare_orders


@pytest.mark.parametrize(
    ("recovered", "true", "tau_b", "exact"),
    [
        ([1, 2, 3], [0, 5, 9], 1.0, True),
        ([3, 2, 1], [0, 5, 9], -1.0, False),
        ([-4, -4, 8], [0, 0, 1], 1.0, True),
        ([1, 2, 3], [0, 0, 1], 2 / np.sqrt(6), False),
        ([5, 5, 5], [0, 0, 0], 1.0, True),
        ([5, 5, 5], [0, 0, 1], 0.0, False),
        ([0, 0, 1], [5, 5, 5], 0.0, False),
        ([7], [2], 1.0, True),
    ],
)
def test_two_orders_are_compared_with_their_ties(
    recovered: list[float], true: list[float], tau_b: float, exact: bool
) -> None:
    found = compare_orders(np.array(recovered, dtype=float), np.array(true, dtype=float))
    assert found[0] == pytest.approx(tau_b)
    assert found[1] is exact


@given(grades=st.lists(st.integers(0, 3), min_size=1, max_size=9))
def test_what_the_scores_are_does_not_matter_only_their_order(grades: list[int]) -> None:
    scores = np.array(grades, dtype=float)
    tau_b, exact = compare_orders(np.exp(scores) - 7, scores)
    assert tau_b == pytest.approx(1)
    assert exact


@given(pairs=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=9))
def test_two_orders_are_the_same_exactly_if_every_pair_compares_alike(
    pairs: list[tuple[int, int]],
) -> None:
    one, other = np.array(pairs, dtype=float).T
    signs = [np.sign(np.subtract.outer(scores, scores)) for scores in (one, other)]
    tau_b, exact = compare_orders(one, other)
    assert exact == np.array_equal(*signs)
    assert exact == (tau_b == pytest.approx(1))
