"""Rank bounds against a naive transitive closure."""

from hypothesis import given
from naive import accepted, transitive_closure
from strategies import Answer, arbitrary, consistent

from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.rank_bounds import rank_bounds


def order_of(size: int, answers: list[Answer]) -> Order:
    order = Order(size)
    for answer in answers:
        order.absorb(*answer)
    return order


@given(consistent())
def test_ranks_and_known_pairs_are_those_of_the_closure(drawn: tuple[int, list[Answer]]) -> None:
    size, answers = drawn
    relations = transitive_closure(size, answers)
    bounds = rank_bounds(order_of(size, answers))
    for place in range(size):
        outcomes = [relations.get((place, other)) for other in range(size) if other != place]
        better = outcomes.count(Outcome.WORSE)
        assert bounds.best[place] == 1 + better
        assert bounds.worst[place] == 1 + better + outcomes.count(None)
    known = sum(first < second for first, second in relations)
    assert bounds.known_pairs == known


@given(arbitrary())
def test_more_answers_never_widen_the_bounds(drawn: tuple[int, list[Answer]]) -> None:
    size, answers = drawn
    kept = accepted(size, answers[:12])
    before = rank_bounds(order_of(size, kept[:-1]))
    after = rank_bounds(order_of(size, kept))
    assert (after.best >= before.best).all()
    assert (after.worst <= before.worst).all()
    assert after.settled >= before.settled


def test_rank_bounds_of_fewer_than_two_documents() -> None:
    assert rank_bounds(Order(0)).known_pairs == 0
    assert rank_bounds(Order(1)).settled == 1


def test_rank_bounds_of_hundreds_of_classes_in_blocks() -> None:
    order = Order(600)
    for place in range(599):
        order.absorb(place, place + 1, Outcome.BETTER)
    bounds = rank_bounds(order)
    assert bounds.best.tolist() == bounds.worst.tolist() == list(range(1, 601))
    assert bounds.known_pairs == 600 * 599 // 2
