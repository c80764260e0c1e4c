"""Waiting: about which documents nothing is asked while answers are awaited."""

from collections import Counter

import numpy as np

from nextpair.selectors.inference.ordinal_classes.anchored_components import Mainland
from nextpair.selectors.inference.ordinal_classes.eligibility import (
    as_doubtful,
    askable,
    awaited,
    needed,
)
from nextpair.selectors.inference.ordinal_classes.stopping import Reach


def told(
    pairs: list[tuple[int, int]], errors: list[float], compared: list[tuple[int, int]]
) -> set[int]:
    mainland = Mainland(len(errors), 0)
    for first, second in compared:
        mainland.compare(first, second)
    return set(np.flatnonzero(awaited(pairs, np.array(errors), mainland)).tolist())


def test_a_pair_is_about_its_document_in_doubt() -> None:
    assert told([(0, 1)], [0.01, 0.4, 0.4], [(0, 1)]) == {1}


def test_a_pair_of_two_new_documents_is_about_both() -> None:
    assert told([(1, 2)], [0.01, 1.0, 1.0, 1.0], []) == {1, 2}


def test_an_island_awaits_the_answer_about_one_of_its_documents() -> None:
    assert told([(0, 1)], [0.01, 0.2, 0.2, 0.2], [(1, 2)]) == {1, 2}


def test_documents_in_doubt_are_needed_and_as_many_as_may_be_are_left() -> None:
    errors = np.array([0.3, 0.01, 0.01, 0.5, 1.0])
    nothing = np.zeros(5, dtype=np.bool_)
    np.testing.assert_array_equal(np.flatnonzero(needed(errors, nothing, 0.05)), [0, 3, 4])
    np.testing.assert_array_equal(np.flatnonzero(needed(errors, nothing, 0.9)), [4])


def test_nothing_is_needed_if_awaited_answers_may_be_enough() -> None:
    errors = np.array([0.3, 0.01, 0.01])
    assert not needed(errors, np.array([True, False, False]), 0.05).any()


def test_who_is_much_surer_than_those_awaited_has_time() -> None:
    errors = np.array([0.4, 0.3, 0.1, 1.0])
    awaited = np.array([True, False, False, False])
    assert as_doubtful(errors, awaited).tolist() == [True, True, False, True]
    assert as_doubtful(errors, ~awaited & (errors < 0.2)).tolist() == [True] * 4
    assert as_doubtful(errors, np.zeros(4, dtype=np.bool_)).all()


def test_no_more_pairs_are_open_than_documents_are_expected_to_be_misplaced() -> None:
    errors = np.array([0.01, *[0.4] * 5])
    reach = Reach(errors, errors, errors, 0.1, 3)
    mainland = Mainland(len(errors), 0)
    for document in range(1, len(errors)):
        mainland.compare(0, document)
    one, two, three = (Counter([(0, document) for document in range(1, n + 1)]) for n in (1, 2, 3))
    assert set(np.flatnonzero(askable(two, reach, mainland, 50, 1.0))) == {3, 4, 5}
    assert not askable(three, reach, mainland, 50, 1.0).any()
    assert set(np.flatnonzero(askable(three, reach, mainland, 50, 2.0))) == {4, 5}
    assert not askable(one, reach, mainland, 50, 0.4).any()
    assert askable(Counter(), reach, mainland, 50, 0.4).all()
