"""The class chain against the order it follows."""

import numpy as np
from hypothesis import given
from strategies import Answer, arbitrary, consistent

from nextpair.selectors.errors import Contradiction
from nextpair.selectors.inference.exact_classes.class_chain import ClassChain
from nextpair.selectors.state.judgments import Comparison, Outcome
from nextpair.selectors.state.order import Order


def folded(size: int, answers: list[Answer], asks: bool = False) -> tuple[Order, ClassChain]:
    order = Order(size)
    chain = ClassChain(order)
    for first, second, outcome in answers:
        try:
            merge = order.absorb(first, second, outcome)
        except Contradiction:
            merge = None
        chain.absorb(Comparison(first, second, outcome, ()), merge)
        if asks:
            chain.kinds()
    return order, chain


def check(order: Order, chain: ClassChain) -> None:
    for better, worse in zip(chain.labels, chain.labels[1:], strict=False):
        assert order.relation(better, worse) is Outcome.BETTER
    assert chain.sizes == [len(order.members(label)) for label in chain.labels]
    assert [order.label(founder) for founder in chain.founders] == chain.labels
    for label, cluster in chain.clusters.items():
        relations = [order.relation(label, each) for each in chain.labels]
        assert cluster.low == relations.count(Outcome.WORSE)
        assert cluster.high == len(chain) - relations.count(Outcome.BETTER)
        assert cluster.low < cluster.high
        assert cluster.size == len(order.members(label))
        for rival, sign in cluster.rivals.items():
            better = order.relation(label, rival) is Outcome.BETTER
            assert sign == (1 if better else -1) == -chain.clusters[rival].rivals[label]
    everything = {*chain.labels, *chain.clusters}
    untouched = {label for label in range(order.size) if chain.untouched >> label & 1}
    assert everything | untouched == {
        label for label in range(order.size) if order.labels >> label & 1
    }
    assert not everything & untouched


@given(consistent())
def test_it_knows_what_the_order_knows(drawn: tuple[int, list[Answer]]) -> None:
    check(*folded(*drawn))


@given(arbitrary())
def test_what_the_order_refused_changes_nothing(drawn: tuple[int, list[Answer]]) -> None:
    check(*folded(*drawn))


@given(consistent())
def test_the_kinds_do_not_tell_how_often_they_were_asked_for(
    drawn: tuple[int, list[Answer]],
) -> None:
    _, chain = folded(*drawn, asks=True)
    _, quiet = folded(*drawn)
    assert chain.kinds() == quiet.kinds()
    members = [members.bit_count() for _, members in chain.kinds()]
    assert sum(members) == len(chain.clusters)


def test_a_complete_order_is_a_chain_of_all_classes() -> None:
    answers = [(place, place + 1, Outcome.WORSE) for place in range(5)]
    order, chain = folded(6, answers)
    assert chain.labels == list(range(5, -1, -1))
    assert not chain.clusters
    assert order.complete


def test_the_larger_of_two_clusters_in_one_gap_joins_first() -> None:
    better, tie = Outcome.BETTER, Outcome.TIE
    # 0 is above 1 and so are 2 and the pair 3, 4 by way of clusters that had no place yet.
    answers = [(3, 4, tie), (0, 1, better), (2, 1, better), (2, 0, Outcome.WORSE)]
    order, chain = folded(5, answers)
    assert [sorted(order.members(label)) for label in chain.labels] == [[3, 4]]
    assert np.all([cluster.high - cluster.low == 1 for cluster in chain.clusters.values()])
