"""Connected components, and which documents are anchored."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.inference.ordinal_classes.anchored_components import AnchoredComponents

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
def test_a_document_is_anchored_if_comparisons_lead_to_the_anchor(
    pairs: list[tuple[int, int]],
) -> None:
    components = AnchoredComponents(SIZE, 2)
    for pair in pairs:
        components.connect(*pair)
    assert set(np.flatnonzero(components.anchored).tolist()) == reachable(pairs, 2)


def test_two_components_that_meet_are_anchored_together() -> None:
    components = AnchoredComponents(6, 0)
    components.connect(1, 2)
    components.connect(3, 4)
    components.connect(2, 3)
    assert not components.anchored[1:].any()
    components.connect(4, 0)
    assert components.anchored.tolist() == [True] * 5 + [False]


def test_without_documents_none_is_anchored() -> None:
    assert len(AnchoredComponents(0, 0).anchored) == 0
