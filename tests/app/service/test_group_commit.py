"""Group commit: requests of the same moment share a transaction, and are answered after it."""

import asyncio
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from crowds import PATIENCE
from in_process import STUDY, TOPIC, Clock, InProcess, installed
from sqlalchemy import event, text

from nextpair.app.errors import AnswerConflict
from nextpair.app.judging.acknowledgement import Acknowledgement
from nextpair.app.judging.issuer import IssuedAssignments
from nextpair.app.judging.next_question import next_in_topic
from nextpair.app.judging.next_request import NextRequest
from nextpair.app.judging.submit_answer import SubmittedAnswer, submit_answer
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.topic_cache import Slot
from nextpair.app.security.tokens import AssignmentRef

WORKERS = [f"worker-{number}" for number in range(6)]
NOW = 1000.0
TASKS: list[asyncio.Task[Any]] = []
"""The requests that were made at once."""


def clock() -> float:
    return NOW


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[InProcess]:
    """The only process on a SQLite file, with a projection and workers in its caches."""
    with installed(f"sqlite:///{tmp_path}/nextpair.db") as made:
        made.make_study()
        made.make_topic(12)
        for worker in WORKERS:
            made.judge(made.one(worker, topic=TOPIC))
        yield made


@pytest.fixture
def service(alone: InProcess) -> ServiceContext:
    real: ServiceContext = alone.app.state.service
    return real


def ask(worker: str) -> Callable[[ServiceContext], IssuedAssignments]:
    def use_case(service: ServiceContext) -> IssuedAssignments:
        return next_in_topic(service, service.topic_id(STUDY, TOPIC), NextRequest(worker), NOW)

    return use_case


def answer(
    issued: IssuedAssignments, at: Callable[[], float] = clock
) -> Callable[[ServiceContext], Acknowledgement]:
    (row,) = issued.assignments
    said = SubmittedAnswer({"preference": "left"})

    def use_case(service: ServiceContext) -> Acknowledgement:
        return submit_answer(service, AssignmentRef(row.topic_id, row.number), said, at)

    return use_case


def execute_together(
    service: ServiceContext, use_cases: list[Callable[[ServiceContext], Any]]
) -> list[Any]:
    async def all_of_them() -> list[Any]:
        TASKS.clear()
        TASKS.extend(asyncio.create_task(service.execute(use_case)) for use_case in use_cases)
        return await asyncio.gather(*TASKS, return_exceptions=True)

    return asyncio.run(all_of_them())


def transaction_ends(service: ServiceContext) -> list[str]:
    """Record the commits and rollbacks of a service from now on."""
    ends: list[str] = []
    engine = service.database._engine
    event.listen(engine, "commit", lambda _: ends.append("commit"))
    event.listen(engine, "rollback", lambda _: ends.append("rollback"))
    return ends


def count_rows(service: ServiceContext, table: str) -> int:
    with service.database.read() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def test_many_questions_and_answers_take_one_commit(service: ServiceContext) -> None:
    ends = transaction_ends(service)
    issued = execute_together(service, [ask(worker) for worker in WORKERS])
    assert ends == ["commit"]
    told = execute_together(service, [answer(each) for each in issued])
    assert ends == ["commit", "commit"]
    assert [each.judgment.number for each in told] == list(range(7, 13))
    assert count_rows(service, "judgments") == 12


def test_no_request_is_answered_before_the_commit(service: ServiceContext) -> None:
    at_commit: list[int] = []

    def count_waiting(_: object) -> None:
        at_commit.append(sum(not task.done() for task in TASKS))

    event.listen(service.database._engine, "commit", count_waiting)
    execute_together(service, [ask(worker) for worker in WORKERS])
    assert at_commit == [len(WORKERS)]


def test_one_that_is_refused_does_not_hold_up_the_others(service: ServiceContext) -> None:
    issued = execute_together(service, [ask(worker) for worker in WORKERS])
    wrong = SubmittedAnswer({"preference": "both"})
    row = issued[2].assignments[0]

    def badly(service: ServiceContext) -> Acknowledgement:
        return submit_answer(service, AssignmentRef(row.topic_id, row.number), wrong, clock)

    told = execute_together(service, [answer(issued[0]), badly, answer(issued[1])])
    assert isinstance(told[1], Exception)
    assert [told[place].judgment.number for place in (0, 2)] == [7, 8]
    assert count_rows(service, "judgments") == 8


def hold_attempts(
    service: ServiceContext, monkeypatch: pytest.MonkeyPatch
) -> list[threading.Thread]:
    """Record from now on which threads try to take a topic's lock."""
    hold = service.topics.hold
    threads: list[threading.Thread] = []

    def noted(topic_id: int, *, blocking: bool = True) -> AbstractContextManager[Slot]:
        threads.append(threading.current_thread())
        return hold(topic_id, blocking=blocking)

    monkeypatch.setattr(service.topics, "hold", noted)
    return threads


async def come(tries: list[threading.Thread], count: int) -> None:
    """Wait until there were so many attempts to take a topic's lock."""
    async with asyncio.timeout(PATIENCE):
        while len(tries) < count:
            await asyncio.sleep(0)


def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a thread was asked for")

    monkeypatch.setattr("nextpair.app.runtime.service_context.run_in_threadpool", refuse)


def test_a_decision_that_changes_nothing_is_confirmed_within_the_group(
    service: ServiceContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_threads(monkeypatch)
    issued = execute_together(service, [ask(worker) for worker in WORKERS])
    first, again = execute_together(service, [answer(issued[0]), answer(issued[0])])
    assert first.judgment == again.judgment
    other = SubmittedAnswer({"preference": "right"})
    row = issued[0].assignments[0]

    def change_it(service: ServiceContext) -> Acknowledgement:
        return submit_answer(service, AssignmentRef(row.topic_id, row.number), other, clock)

    refused, told = execute_together(service, [change_it, answer(issued[1])])
    assert isinstance(refused, AnswerConflict)
    assert told.judgment.number == 8
    assert count_rows(service, "judgments") == 8


def test_a_contended_topic_is_tried_again(
    service: ServiceContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_threads(monkeypatch)
    monkeypatch.setattr("nextpair.app.runtime.group_commit.PATIENCE", math.inf)
    tries = hold_attempts(service, monkeypatch)

    async def ask_while_it_is_held() -> IssuedAssignments:
        with service.topics.hold(service.topic_id(STUDY, TOPIC)):
            tries.clear()
            asking = asyncio.create_task(service.execute(ask(WORKERS[0])))
            await come(tries, 2)
            assert not asking.done()
        return await asking

    assert asyncio.run(ask_while_it_is_held()).assignments[0].number == 7


def test_an_answer_that_waited_until_its_lease_ran_out_is_late(
    service: ServiceContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Meanwhile its pair may have been given to someone else.
    monkeypatch.setattr("nextpair.app.runtime.group_commit.PATIENCE", math.inf)
    tries = hold_attempts(service, monkeypatch)
    (issued,) = execute_together(service, [ask(WORKERS[0])])
    (row,) = issued.assignments
    time = Clock()
    time.now = row.expires_at

    async def answer_while_it_is_held() -> Acknowledgement:
        with service.topics.hold(service.topic_id(STUDY, TOPIC)):
            tries.clear()
            answering = asyncio.create_task(service.execute(answer(issued, time)))
            await come(tries, 1)
            time.move(0.1)
        return await answering

    judged = asyncio.run(answer_while_it_is_held())
    assert (judged.late, judged.judgment.created_at) == (True, row.expires_at + 0.1)


def test_a_request_that_has_waited_long_enough_gets_a_thread_of_its_own(
    service: ServiceContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nextpair.app.runtime.group_commit.PATIENCE", 0.0)
    topic_id = service.topic_id(STUDY, TOPIC)
    tries = hold_attempts(service, monkeypatch)

    async def ask_while_it_is_held() -> IssuedAssignments:
        with service.topics.hold(topic_id):
            tries.clear()
            asking = asyncio.create_task(service.execute(ask(WORKERS[0])))
            # Once for those that are committed together, and once in a thread.
            await come(tries, 2)
            assert tries[-1] is not threading.main_thread()
        return await asking

    assert asyncio.run(ask_while_it_is_held()).assignments[0].number == 7
    assert count_rows(service, "assignments") == 7


def test_an_error_after_a_write_rolls_back_the_group_and_each_is_run_again(
    service: ServiceContext,
) -> None:
    def ask_and_fail(service: ServiceContext) -> IssuedAssignments:
        issued = ask(WORKERS[1])(service)
        if service.commit_group is not None:
            raise RuntimeError("after the change")
        return issued

    ends = transaction_ends(service)
    first, second = execute_together(service, [ask(WORKERS[0]), ask_and_fail])
    assert ends == ["rollback", "commit", "commit"]
    assert {first.assignments[0].number, second.assignments[0].number} == {7, 8}
    assert count_rows(service, "assignments") == 8


def test_a_failed_commit_leaves_nothing_in_projections_that_is_not_in_the_database(
    alone: InProcess, service: ServiceContext
) -> None:
    broken = [True]

    def fail(_: object) -> None:
        if broken:
            broken.clear()
            raise RuntimeError("the disk is gone for a moment")

    event.listen(service.database._engine, "commit", fail)
    issued = execute_together(service, [ask(worker) for worker in WORKERS])
    numbers = sorted(each.assignments[0].number for each in issued)
    assert numbers == list(range(7, 13))
    assert count_rows(service, "assignments") == 12
    told = execute_together(service, [answer(each) for each in issued])
    assert sorted(each.judgment.number for each in told) == list(range(7, 13))
    with installed(alone.url) as other, other.app.state.service.projection_of(1) as fresh:
        with service.projection_of(1) as projection:
            assert projection.head == fresh.head
            assert (
                projection.pairwise_state.scores().tolist()
                == fresh.pairwise_state.scores().tolist()
            )
