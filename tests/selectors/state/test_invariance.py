"""The reported order is invariant to import order, ids, sides and names."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import arbitrary, consistent

from nextpair.selectors.base import selector_names
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome
from nextpair.selectors.state.reported_order import ReportedOrder
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic, fold

Answer = tuple[int, int, Outcome]
CLOSE = {"rel": 1e-5, "abs": 1e-7}
"""Sums of the same numbers in another order, and solvers that stop at a tolerance, differ less."""


def play(
    selector: str,
    answers: Sequence[Answer],
    places: Sequence[int],
    names: Sequence[str] = ("ann", "bob", "eve"),
    *,
    swapped: bool = False,
    reversed_ids: bool = False,
    votes: int = 1,
) -> Topic:
    """Fold answers about documents 0, 1, ... that were imported in the order of `places`."""
    size = len(places)

    def name(document: int) -> str:
        return f"d{size - document if reversed_ids else document:02}"

    documents = [Document(name(one), prior=float(one)) for one in places]
    log = []
    for number, (first, second, outcome) in enumerate(answers, start=1):
        told = (second, first, outcome.reversed) if swapped else (first, second, outcome)
        worker = names[number % len(names)]
        log.append(Judgment(number, name(told[0]), name(told[1]), told[2], worker))
    return fold(documents, log, Settings(selector=selector, votes=votes))


def by_document(
    found: ReportedOrder, places: Sequence[int], values: Sequence[object]
) -> list[object]:
    """List values by document instead of by position."""
    listed: list[object] = [None] * len(places)
    for document, value in zip(places, values, strict=True):
        listed[document] = value
    return listed


def compare(topic: Topic, permuted: Topic, places: Sequence[int], rating: str | None) -> None:
    """Check that two topics report the same, the second one's documents permuted."""
    first, second = topic.reported(rating), permuted.reported(rating)
    same = range(len(places))

    def both(name: str) -> tuple[list[object], list[object]]:
        return (
            by_document(first, same, list(getattr(first, name))),
            by_document(second, places, list(getattr(second, name))),
        )

    levels = both("levels")
    assert levels[0] == levels[1]
    for name in ("scores", "standard_errors"):
        left, right = both(name)
        assert left == pytest.approx(right, nan_ok=True, **CLOSE), name
    left, right = both("status")
    assert left == right
    assert first.has_classes == second.has_classes


cases = st.one_of(consistent(most=25), arbitrary(most=25))


@pytest.mark.parametrize("selector", selector_names())
@settings(max_examples=50)
@given(case=cases, data=st.data())
def test_documents_may_be_imported_in_any_order(
    selector: str, case: tuple[int, list[Answer]], data: st.DataObject
) -> None:
    size, answers = case
    places = data.draw(st.permutations(range(size)))
    one = play(selector, answers, range(size))
    other = play(selector, answers, places, reversed_ids=data.draw(st.booleans()))
    compare(one, other, places, None)


@pytest.mark.parametrize("selector", selector_names())
@settings(max_examples=30)
@given(case=cases)
def test_sides_and_names_of_workers_change_nothing(
    selector: str, case: tuple[int, list[Answer]]
) -> None:
    size, answers = case
    one = play(selector, answers, range(size))
    compare(one, play(selector, answers, range(size), swapped=True), range(size), None)
    renamed = play(selector, answers, range(size), ("zoe", "ann", "bob"))
    compare(one, renamed, range(size), None)
