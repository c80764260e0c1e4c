"""Pairs counted by bins, against counting them one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.pair_counts import count_pairs

sizes = st.integers(0, 9)


@given(sizes, st.integers(1, 12), st.integers(0, 10**6))
def test_bins_hold_what_their_pairs_do(size: int, most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order, asked = Order(size), set[tuple[int, int]]()
    for _ in range(int(rng.integers(0, 12)) if size > 1 else 0):
        first, second = sorted(rng.choice(size, 2, replace=False).tolist())
        asked.add((first, second))
        if order.relation(first, second) is None:
            order.absorb(first, second, list(Outcome)[rng.integers(3)])
    documents = rng.permutation(size).tolist()
    found = count_pairs(order, asked, documents, most)
    rows = len(found.bins) - 1 if size else 0
    assert rows == min(size, most)
    for row in range(rows):
        for column in range(rows):
            one = documents[found.bins[row] : found.bins[row + 1]]
            other = documents[found.bins[column] : found.bins[column + 1]]
            pairs = {(min(a, b), max(a, b)) for a in one for b in other if a != b}
            judged = pairs & asked
            known = {pair for pair in pairs if order.relation(*pair) is not None}
            assert found.pairs[row, column] == len(pairs)
            assert found.judged[row, column] == len(judged)
            assert found.inferred[row, column] == len(known - judged)
