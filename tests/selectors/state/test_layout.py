"""The layout of an order: a chain of classes, and possible places of all other documents."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome
from nextpair.selectors.state.layout import lay_out
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import fold


def drawn(size: int, seed: int) -> Order:
    rng, order = np.random.default_rng(seed), Order(size)
    for _ in range(int(rng.integers(0, 15)) if size > 1 else 0):
        first, second = rng.choice(size, 2, replace=False).tolist()
        if order.relation(first, second) is None:
            order.absorb(first, second, list(Outcome)[rng.integers(3)])
    return order


@given(st.integers(0, 9), st.integers(0, 10**6))
def test_every_document_is_where_the_order_allows(size: int, seed: int) -> None:
    order = drawn(size, seed)
    layout = lay_out(order)
    everywhere = [*layout.classes, *(one.documents for one in layout.unplaced)]
    assert sorted(n for documents in everywhere for n in documents) == list(range(size))
    for place, members in enumerate(layout.classes):
        for worse in layout.classes[place + 1 :]:
            assert order.relation(members[0], worse[0]) is Outcome.BETTER
    for one in layout.unplaced:
        for place, members in enumerate(layout.classes):
            for document in one.documents:
                known = order.relation(members[0], document)
                if known is Outcome.BETTER:
                    assert 2 * place + 1 < one.first
                if known is Outcome.WORSE:
                    assert 2 * place + 1 > one.last


def test_a_total_order_is_all_chain_and_an_empty_one_has_none() -> None:
    done = lay_out(Order.of_classes(4, [(2,), (0, 3), (1,)]))
    assert done.classes == [(2,), (0, 3), (1,)]
    assert done.unplaced == []
    untouched = lay_out(Order(3))
    assert untouched.classes == []
    assert [(one.documents, one.first, one.last) for one in untouched.unplaced] == [
        ((0, 1, 2), 0, 0)
    ]


def test_a_document_in_doubt_has_the_interval_of_its_credible_classes() -> None:
    documents = [Document(f"d{n}") for n in range(12)]
    log, number = [], 0
    for first in range(12):
        for second in range(first + 1, 12):
            # The last document is only ever compared with the best class, and called worse.
            if second == 11 and first % 3:
                continue
            outcome = (
                Outcome.BETTER
                if second == 11 or first % 3 < second % 3
                else Outcome.TIE
                if first % 3 == second % 3
                else Outcome.WORSE
            )
            number += 1
            log.append(Judgment(number, f"d{first}", f"d{second}", outcome, "ann"))
    topic = fold(documents, log, Settings("placement"))
    layout = topic.layout()
    assert len(layout.classes) == 3
    for one in layout.unplaced:
        assert 0 <= one.first <= one.last <= 6
    (doubted,) = (one for one in layout.unplaced if 11 in one.documents)
    assert doubted.first >= 2
