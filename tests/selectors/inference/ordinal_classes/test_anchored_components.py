"""Islands: what hangs together by comparisons, and what is joined to the mainland."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.inference.ordinal_classes.anchored_components import Mainland

SIZE = 8
PAIRS = st.lists(
    st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).filter(lambda p: p[0] != p[1]),
    max_size=20,
)


def reachable(pairs: list[tuple[int, int]], start: int) -> set[int]:
    """Follow comparisons from a document, the slow way."""
    found, growing = {start}, True
    while growing:
        new = {end for pair in pairs if set(pair) & found for end in pair} - found
        growing = bool(new)
        found |= new
    return found


@given(PAIRS)
def test_the_mainland_is_what_can_be_reached_from_the_founder(
    pairs: list[tuple[int, int]],
) -> None:
    mainland = Mainland(SIZE, 2)
    for pair in pairs:
        mainland.compare(*pair)
    assert set(np.flatnonzero(mainland.joined).tolist()) == reachable(pairs, 2)


def test_two_islands_that_meet_join_the_mainland_together() -> None:
    mainland = Mainland(6, 0)
    mainland.compare(1, 2)
    mainland.compare(3, 4)
    mainland.compare(2, 3)
    assert not mainland.joined[1:].any()
    mainland.compare(4, 0)
    assert mainland.joined.tolist() == [True] * 5 + [False]


def test_no_documents_make_no_mainland() -> None:
    assert len(Mainland(0, 0).joined) == 0
