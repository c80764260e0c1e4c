"""Possible ranks, compared with what a plain closure says."""

from hypothesis import given
from naive import accepted, closure
from strategies import Answer, arbitrary, consistent

from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.rank_bounds import standing


def order_of(size: int, answers: list[Answer]) -> Order:
    order = Order(size)
    for answer in answers:
        order.absorb(*answer)
    return order


@given(consistent())
def test_ranks_and_known_pairs_are_those_of_the_closure(drawn: tuple[int, list[Answer]]) -> None:
    size, answers = drawn
    relations = closure(size, answers)
    found = standing(order_of(size, answers))
    for place in range(size):
        told = [relations.get((place, other)) for other in range(size) if other != place]
        better = told.count(Outcome.WORSE)
        assert found.best[place] == 1 + better
        assert found.worst[place] == 1 + better + told.count(None)
    known = sum(first < second for first, second in relations)
    assert found.known_pairs == known


@given(arbitrary())
def test_more_answers_never_widen_what_is_possible(drawn: tuple[int, list[Answer]]) -> None:
    size, answers = drawn
    kept = accepted(size, answers[:12])
    before = standing(order_of(size, kept[:-1]))
    after = standing(order_of(size, kept))
    assert (after.best >= before.best).all()
    assert (after.worst <= before.worst).all()
    assert after.settled >= before.settled


def test_an_empty_topic_stands_nowhere() -> None:
    assert standing(Order(0)).known_pairs == 0
    assert standing(Order(1)).settled == 1


def test_hundreds_of_classes_are_weighed_in_pieces() -> None:
    order = Order(600)
    for place in range(599):
        order.absorb(place, place + 1, Outcome.BETTER)
    found = standing(order)
    assert found.best.tolist() == found.worst.tolist() == list(range(1, 601))
    assert found.known_pairs == 600 * 599 // 2
