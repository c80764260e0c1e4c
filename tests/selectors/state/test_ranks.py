"""Ranks of numbers, against SciPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from nextpair.selectors.state.ranks import mid_ranks


@given(st.lists(st.integers(-5, 5) | st.floats(-1, 1), max_size=30))
def test_they_are_scipys_bit_for_bit(values: list[float]) -> None:
    given = np.array(values, dtype=np.float64)
    assert mid_ranks(given).tolist() == rankdata(given).tolist()
