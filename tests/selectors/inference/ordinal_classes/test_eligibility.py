"""Eligibility: which documents wait while pairs are open."""

from collections import Counter

import numpy as np

from nextpair.selectors.inference.ordinal_classes.anchored_components import AnchoredComponents
from nextpair.selectors.inference.ordinal_classes.eligibility import (
    comparably_uncertain,
    eligible_documents,
    pending_documents,
    required_documents,
)
from nextpair.selectors.inference.ordinal_classes.stopping import ClassStoppingStatus


def pending(
    pairs: list[tuple[int, int]], errors: list[float], compared: list[tuple[int, int]]
) -> set[int]:
    components = AnchoredComponents(len(errors), 0)
    for first, second in compared:
        components.connect(first, second)
    return set(np.flatnonzero(pending_documents(pairs, np.array(errors), components)).tolist())


def test_a_pair_is_about_its_uncertain_document() -> None:
    assert pending([(0, 1)], [0.01, 0.4, 0.4], [(0, 1)]) == {1}


def test_a_pair_of_two_new_documents_is_about_both() -> None:
    assert pending([(1, 2)], [0.01, 1.0, 1.0, 1.0], []) == {1, 2}


def test_a_component_is_pending_with_one_of_its_documents() -> None:
    assert pending([(0, 1)], [0.01, 0.2, 0.2, 0.2], [(1, 2)]) == {1, 2}


def test_uncertain_documents_are_required_but_as_many_as_are_tolerated() -> None:
    errors = np.array([0.3, 0.01, 0.01, 0.5, 1.0])
    nothing = np.zeros(5, dtype=np.bool_)
    np.testing.assert_array_equal(
        np.flatnonzero(required_documents(errors, nothing, 0.05)), [0, 3, 4]
    )
    np.testing.assert_array_equal(np.flatnonzero(required_documents(errors, nothing, 0.9)), [4])


def test_nothing_is_required_if_pending_answers_may_be_enough() -> None:
    errors = np.array([0.3, 0.01, 0.01])
    assert not required_documents(errors, np.array([True, False, False]), 0.05).any()


def test_a_document_that_is_much_surer_than_the_pending_ones_waits() -> None:
    errors = np.array([0.4, 0.3, 0.1, 1.0])
    pending_mask = np.array([True, False, False, False])
    assert comparably_uncertain(errors, pending_mask).tolist() == [True, True, False, True]
    assert comparably_uncertain(errors, ~pending_mask & (errors < 0.2)).tolist() == [True] * 4
    assert comparably_uncertain(errors, np.zeros(4, dtype=np.bool_)).all()


def test_no_more_pairs_are_open_than_documents_are_expected_to_be_misplaced() -> None:
    errors = np.array([0.01, *[0.4] * 5])
    reach = ClassStoppingStatus(errors, errors, errors, 0.1, 3)
    components = AnchoredComponents(len(errors), 0)
    for document in range(1, len(errors)):
        components.connect(0, document)
    one, two, three = (Counter([(0, document) for document in range(1, n + 1)]) for n in (1, 2, 3))
    assert set(np.flatnonzero(eligible_documents(two, reach, components, 50, 1.0))) == {3, 4, 5}
    assert not eligible_documents(three, reach, components, 50, 1.0).any()
    assert set(np.flatnonzero(eligible_documents(three, reach, components, 50, 2.0))) == {4, 5}
    assert not eligible_documents(one, reach, components, 50, 0.4).any()
    assert eligible_documents(Counter(), reach, components, 50, 0.4).all()
