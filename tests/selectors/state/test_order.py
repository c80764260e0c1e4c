"""The order against a naive transitive closure, and its contradictions."""

import numpy as np
import pytest
from hypothesis import given
from naive import accepted, transitive_closure
from strategies import Answer, arbitrary, consistent, truth

from nextpair.selectors.errors import Contradiction
from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.order import Order


def relations(order: Order) -> dict[tuple[int, int], Outcome]:
    by_pair = {(a, b): order.relation(a, b) for a in range(order.size) for b in range(order.size)}
    return {pair: relation for pair, relation in by_pair.items() if relation is not None}


def absorb_all(size: int, answers: list[Answer]) -> Order:
    order = Order(size)
    for answer in answers:
        order.absorb(*answer)
    return order


@given(consistent())
def test_the_order_is_the_transitive_closure(case: tuple[int, list[Answer]]) -> None:
    size, answers = case
    order = Order(size)
    for count, answer in enumerate(answers, start=1):
        order.absorb(*answer)
        assert relations(order) == transitive_closure(size, answers[:count])


@given(arbitrary())
def test_exactly_the_contradictions_are_refused(case: tuple[int, list[Answer]]) -> None:
    size, answers = case
    order, kept = Order(size), []
    for answer in answers:
        before = relations(order)
        try:
            order.absorb(*answer)
            kept.append(answer)
        except Contradiction:
            assert relations(order) == before
    assert kept == accepted(size, answers)
    assert relations(order) == transitive_closure(size, kept)


@given(consistent())
def test_the_order_does_not_depend_on_the_sequence_of_answers(
    case: tuple[int, list[Answer]],
) -> None:
    size, answers = case
    assert relations(absorb_all(size, answers)) == relations(absorb_all(size, answers[::-1]))


@given(consistent())
def test_its_bit_sets_and_counts_agree_with_its_relations(case: tuple[int, list[Answer]]) -> None:
    size, answers = case
    order = absorb_all(size, answers)
    labels = list(bitset.members(order.labels))
    held = [document for label in labels for document in order.members(label)]
    assert sorted(held) == list(range(size))
    unknown = 0
    for label in labels:
        assert all(order.label(member) == label for member in order.members(label))
        assert set(bitset.members(order.below(label))) == {
            other for other in labels if order.relation(label, other) is Outcome.BETTER
        }
        assert set(bitset.members(order.above(label))) == {
            other for other in labels if order.relation(label, other) is Outcome.WORSE
        }
        assert set(bitset.members(order.unknown(label))) == {
            other for other in labels if order.relation(label, other) is None
        }
        unknown += order.unknown(label).bit_count()
    assert unknown == 2 * order.unknown_pairs
    assert order.complete == (unknown == 0)


@given(consistent())
def test_a_merge_names_the_class_that_is_gone(case: tuple[int, list[Answer]]) -> None:
    size, answers = case
    order = Order(size)
    for first, second, outcome in answers:
        labels = order.label(first), order.label(second)
        merge = order.absorb(first, second, outcome)
        if outcome is Outcome.TIE and labels[0] != labels[1]:
            assert merge is not None
            assert set(merge) == set(labels)
            assert order.label(first) == order.label(second) == merge.kept
        else:
            assert merge is None


def test_copeland_scores_of_a_complete_order_are_the_order() -> None:
    grades = np.random.default_rng(0).integers(4, size=30).tolist()
    order = Order(len(grades))
    for first in range(len(grades)):
        for second in range(first):
            order.absorb(first, second, truth(first, second, grades))
    scores = order.copeland_scores()
    assert order.unknown_pairs == 0
    assert np.array_equal(
        np.unique(scores, return_inverse=True)[1], np.unique(grades, return_inverse=True)[1]
    )
    assert order.count == len(set(grades))


@given(consistent())
def test_copeland_scores_are_those_counted_one_by_one(case: tuple[int, list[Answer]]) -> None:
    size, answers = case
    order = absorb_all(size, answers)
    counted = [
        sum(
            1 - relation.code
            for other in range(size)
            if other != document and (relation := order.relation(document, other)) is not None
        )
        for document in range(size)
    ]
    assert order.copeland_scores() == counted


def test_five_thousand_documents_are_held() -> None:
    grades = np.random.default_rng(0).integers(40, size=5000).tolist()
    order = Order(len(grades))
    for place in np.argsort(grades, kind="stable")[:-1].tolist():
        order.absorb(place, (place + 1) % 5000, truth(place, (place + 1) % 5000, grades))
    for _ in range(2):
        first, second = grades.index(max(grades)), grades.index(min(grades))
        order.absorb(first, second, Outcome.BETTER)
        assert order.relation(second, first) is Outcome.WORSE


def test_a_chain_of_documents_is_closed_from_end_to_end() -> None:
    order = Order(1000)
    for place in range(999):
        order.absorb(place, place + 1, Outcome.BETTER)
    assert order.relation(0, 999) is Outcome.BETTER
    assert order.unknown_pairs == 0


@pytest.mark.parametrize("size", [0, 1])
def test_fewer_than_two_documents_are_in_order_from_the_start(size: int) -> None:
    assert Order(size).unknown_pairs == 0
    assert Order(size).complete
