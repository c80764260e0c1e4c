"""Counts of pairs by bins, against counting the pairs one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.pair_counts import count_pairs

sizes = st.integers(0, 9)


@given(sizes, st.integers(1, 12), st.integers(0, 10**6))
def test_counts_are_those_of_the_pairs_of_each_two_bins(size: int, most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order, asked = Order(size), set[tuple[int, int]]()
    for _ in range(int(rng.integers(0, 12)) if size > 1 else 0):
        first, second = sorted(rng.choice(size, 2, replace=False).tolist())
        asked.add((first, second))
        if order.relation(first, second) is None:
            order.absorb(first, second, list(Outcome)[rng.integers(3)])
    documents = rng.permutation(size).tolist()
    counts = count_pairs(order, asked, documents, most)
    rows = len(counts.bins) - 1 if size else 0
    assert rows == min(size, most)
    for row in range(rows):
        for column in range(rows):
            firsts = documents[counts.bins[row] : counts.bins[row + 1]]
            seconds = documents[counts.bins[column] : counts.bins[column + 1]]
            pairs = {(min(a, b), max(a, b)) for a in firsts for b in seconds if a != b}
            judged = pairs & asked
            known = {pair for pair in pairs if order.relation(*pair) is not None}
            assert counts.pairs[row, column] == len(pairs)
            assert counts.judged[row, column] == len(judged)
            assert counts.inferred[row, column] == len(known - judged)
