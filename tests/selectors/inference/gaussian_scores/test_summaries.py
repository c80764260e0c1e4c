"""The certain order follows from intervals."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.order import Order


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 4)), max_size=12),
)
@settings(max_examples=60)
def test_a_document_is_better_if_its_interval_lies_above(ends: list[tuple[int, int]]) -> None:
    lows = np.array([low for low, _ in ends], dtype=np.float64)
    highs = np.array([low + width for low, width in ends], dtype=np.float64)
    order = Order.of_intervals(lows, highs)
    for one in range(len(ends)):
        for other in range(len(ends)):
            if one == other:
                continue
            known = order.relation(one, other)
            assert (known is Outcome.BETTER) == (lows[one] > highs[other])
            assert (known is Outcome.WORSE) == (highs[one] < lows[other])
