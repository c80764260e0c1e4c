"""Free pairs under open ones, against enumerating all outcomes of the open pairs."""

from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st
from naive import contradicts, transitive_closure
from strategies import Answer, consistent, pairs

from nextpair.selectors.state.judgments import Outcome, Pair, unordered
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Order


def may_follow(size: int, answers: list[Answer], awaited: list[Pair], pair: Pair) -> bool:
    """Try every outcome of the awaited answers."""
    for outcomes in product([*Outcome, None], repeat=len(awaited)):
        arrived = [
            (*open_pair, outcome)
            for open_pair, outcome in zip(awaited, outcomes, strict=True)
            if outcome is not None
        ]
        if not contradicts(size, [*answers, *arrived]) and pair in transitive_closure(
            size, [*answers, *arrived]
        ):
            return True
    return False


@st.composite
def situations(draw: st.DrawFn, most_open: int) -> tuple[int, list[Answer], list[Pair]]:
    size, answers = draw(consistent(most=6))
    unknown = [
        pair
        for pair in combinations(range(size), 2)
        if pair not in transitive_closure(size, answers)
    ]
    choice = st.lists(st.sampled_from(unknown), max_size=most_open, unique=True)
    return size, answers, draw(choice) if unknown else []


def open_pairs(size: int, answers: list[Answer], awaited: list[Pair]) -> tuple[Order, OpenPairs]:
    order = Order(size)
    for answer in answers:
        order.absorb(*answer)
    return order, OpenPairs(order, dict.fromkeys(awaited, 0))


@settings(max_examples=60)
@given(situations(most_open=2), st.data())
def test_no_free_pair_can_follow_from_what_is_awaited(
    situation: tuple[int, list[Answer], list[Pair]], data: st.DataObject
) -> None:
    size, answers, awaited = situation
    _, opened = open_pairs(*situation)
    pair = unordered(*data.draw(pairs(size)))
    if opened.is_free(*pair):
        assert not may_follow(size, answers, awaited, pair)


@settings(max_examples=60)
@given(situations(most_open=1), st.data())
def test_with_one_open_pair_exactly_what_cannot_follow_is_free(
    situation: tuple[int, list[Answer], list[Pair]], data: st.DataObject
) -> None:
    size, answers, awaited = situation
    _, opened = open_pairs(*situation)
    pair = unordered(*data.draw(pairs(size)))
    assert opened.is_free(*pair) is not may_follow(size, answers, awaited, pair)


def test_two_open_pairs_block_what_follows_from_both_together() -> None:
    _, opened = open_pairs(5, [], [(0, 1), (1, 2)])
    assert not opened.is_free(0, 2)
    assert opened.is_free(0, 3)
    assert opened.is_free(3, 4)


def test_a_barred_pair_is_not_free_but_blocks_nothing_else() -> None:
    opened = OpenPairs(Order(3), {}, [(0, 1)])
    assert not opened.is_free(0, 1)
    assert opened.is_free(0, 2)
    assert opened.is_free(1, 2)
