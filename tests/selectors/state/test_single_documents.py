"""Documents judged one at a time: each gets its answers, and nobody judges one twice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.base import Idle
from nextpair.selectors.errors import OutOfSequence, UnknownJudgment
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.settings import Lease, Settings
from nextpair.selectors.state.single_documents import (
    SingleDocumentState,
    SingleJudgment,
    SingleQuestion,
)


def topic(size: int, votes: int = 1, stages: int = 1) -> SingleDocumentState:
    documents = [Document(f"d{place}") for place in range(size)]
    return SingleDocumentState(documents, Settings(votes=votes), stages=stages)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def work(state: SingleDocumentState, workers: int) -> list[SingleJudgment]:
    """Let workers take turns until nobody gets a question."""
    log: list[SingleJudgment] = []
    generator = rng()
    while True:
        before = len(log)
        for worker in map(str, range(workers)):
            asked = state.select(worker, (), generator)
            if isinstance(asked, SingleQuestion):
                log.append(SingleJudgment(len(log), asked.document, worker, asked.subject))
                state.absorb(log[-1])
        if len(log) == before:
            return log


@given(st.integers(0, 6), st.integers(1, 3), st.integers(1, 2))
def test_every_document_gets_its_answers_from_different_workers(
    size: int, votes: int, stages: int
) -> None:
    state = topic(size, votes, stages)
    assert state.forecast().expected == size * votes * stages
    log = work(state, workers=votes * stages + 1)
    assert len(log) == len(state) == size * votes * stages
    assert state.finished and state.count_judged() == size
    assert len({(one.worker, one.document) for one in log}) == len(log)
    reviewed = [one.subject for one in log if one.subject is not None]
    firsts = [one.number for one in log if one.subject is None]
    assert sorted(reviewed) == (firsts if stages == 2 else [])


def test_too_few_workers_wait_and_are_not_told_that_all_is_done() -> None:
    state = topic(3, votes=2)
    assert len(work(state, workers=1)) == 3
    assert state.select("0", (), rng()) is Idle.SEEN
    assert state.select("1", [Lease((n, n), "2") for n in range(3)], rng()) is Idle.WAIT
    assert not state.finished
    assert state.count_judged() == 3


def test_a_question_that_a_worker_holds_is_not_asked_again() -> None:
    state = topic(2)
    asked = state.select("ann", (), rng())
    assert isinstance(asked, SingleQuestion)
    other = state.select("bob", [Lease((asked.document,) * 2, "ann")], rng())
    assert isinstance(other, SingleQuestion) and other.document != asked.document
    both = [Lease((0, 0), "ann"), Lease((1, 1), "bob")]
    assert state.select("eve", both, rng()) is Idle.WAIT
    assert state.select("ann", (), rng(), barred=[(0, 0), (1, 1)]) is Idle.SEEN


def test_nobody_reviews_their_own_answer_nor_one_that_is_being_reviewed() -> None:
    state = topic(1, stages=2)
    state.absorb(SingleJudgment(1, 0, "ann"))
    assert state.select("ann", (), rng()) is Idle.SEEN
    assert state.select("bob", (), rng()) == SingleQuestion(0, 1)
    assert state.select("eve", [Lease((0, 0), "bob", 1)], rng()) is Idle.WAIT
    state.absorb(SingleJudgment(2, 0, "bob", 1))
    assert state.finished


def test_a_retraction_equals_never_having_happened() -> None:
    state, other = topic(3, 2, 2), topic(3, 2, 2)
    log = [
        SingleJudgment(1, 0, "a"),
        SingleJudgment(2, 1, "b"),
        SingleJudgment(3, 0, "b", 1),
        SingleJudgment(5, 2, "a"),
    ]
    for one in log:
        state.absorb(one)
    for one in (log[0], log[3]):
        other.absorb(one)
    remaining = state.retract(2, 3)
    assert remaining.count_missing() == other.count_missing() == 2 * 4 + 2
    assert remaining.answered_by("b") == {}
    assert remaining.select("b", (), rng()) == other.select("b", (), rng())
    with pytest.raises(UnknownJudgment, match="4"):
        state.retract(4)
    with pytest.raises(OutOfSequence):
        state.absorb(SingleJudgment(5, 1, "c"))
