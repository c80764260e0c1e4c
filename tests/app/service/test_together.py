"""Requests that come at the same moment are committed together, and none is told before."""

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
from nextpair.app.judging.acknowledgement import Judged
from nextpair.app.judging.issuer import Handed
from nextpair.app.judging.next_question import next_in_topic
from nextpair.app.judging.next_request import Wish
from nextpair.app.judging.submit_answer import Answer, absorb_judgment
from nextpair.app.runtime.service import Service
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
    """The only process on a SQLite file, with a topic it has read and workers it knows."""
    with installed(f"sqlite:///{tmp_path}/nextpair.db") as made:
        made.make_study()
        made.make_topic(12)
        for worker in WORKERS:
            made.judge(made.one(worker, topic=TOPIC))
        yield made


@pytest.fixture
def service(alone: InProcess) -> Service:
    real: Service = alone.app.state.service
    return real


def ask(worker: str) -> Callable[[Service], Handed]:
    def use_case(service: Service) -> Handed:
        return next_in_topic(service, service.topic_id(STUDY, TOPIC), Wish(worker), NOW)

    return use_case


def answer(handed: Handed, at: Callable[[], float] = clock) -> Callable[[Service], Judged]:
    (row,) = handed.assignments
    said = Answer({"preference": "left"})

    def use_case(service: Service) -> Judged:
        return absorb_judgment(service, AssignmentRef(row.topic_id, row.number), said, at)

    return use_case


def at_once(service: Service, use_cases: list[Callable[[Service], Any]]) -> list[Any]:
    async def all_of_them() -> list[Any]:
        TASKS.clear()
        TASKS.extend(asyncio.create_task(service.do(use_case)) for use_case in use_cases)
        return await asyncio.gather(*TASKS, return_exceptions=True)

    return asyncio.run(all_of_them())


def counted(service: Service) -> list[str]:
    """Count what a service commits and rolls back from now on."""
    ends: list[str] = []
    engine = service.database._engine
    event.listen(engine, "commit", lambda _: ends.append("commit"))
    event.listen(engine, "rollback", lambda _: ends.append("rollback"))
    return ends


def stored(service: Service, table: str) -> int:
    with service.database.read() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def test_many_questions_and_answers_take_one_commit(service: Service) -> None:
    ends = counted(service)
    handed = at_once(service, [ask(worker) for worker in WORKERS])
    assert ends == ["commit"]
    told = at_once(service, [answer(each) for each in handed])
    assert ends == ["commit", "commit"]
    assert [each.judgment.number for each in told] == list(range(7, 13))
    assert stored(service, "judgments") == 12


def test_nobody_is_told_before_the_commit(service: Service) -> None:
    at_commit: list[int] = []

    def count_waiting(_: object) -> None:
        at_commit.append(sum(not task.done() for task in TASKS))

    event.listen(service.database._engine, "commit", count_waiting)
    at_once(service, [ask(worker) for worker in WORKERS])
    assert at_commit == [len(WORKERS)]


def test_one_that_is_refused_does_not_hold_up_the_others(service: Service) -> None:
    handed = at_once(service, [ask(worker) for worker in WORKERS])
    wrong = Answer({"preference": "both"})
    row = handed[2].assignments[0]

    def badly(service: Service) -> Judged:
        return absorb_judgment(service, AssignmentRef(row.topic_id, row.number), wrong, clock)

    told = at_once(service, [answer(handed[0]), badly, answer(handed[1])])
    assert isinstance(told[1], Exception)
    assert [told[place].judgment.number for place in (0, 2)] == [7, 8]
    assert stored(service, "judgments") == 8


def tried(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """Note from now on which threads try to get a topic."""
    hold = service.topics.hold
    threads: list[threading.Thread] = []

    def noted(topic_id: int, *, patient: bool = True) -> AbstractContextManager[Slot]:
        threads.append(threading.current_thread())
        return hold(topic_id, patient=patient)

    monkeypatch.setattr(service.topics, "hold", noted)
    return threads


async def come(tries: list[threading.Thread], count: int) -> None:
    """Wait until so many have tried to get a topic."""
    async with asyncio.timeout(PATIENCE):
        while len(tries) < count:
            await asyncio.sleep(0)


def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a thread was asked for")

    monkeypatch.setattr("nextpair.app.runtime.service.run_in_threadpool", refuse)


def test_what_changes_nothing_is_found_out_in_the_group(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_threads(monkeypatch)
    handed = at_once(service, [ask(worker) for worker in WORKERS])
    first, again = at_once(service, [answer(handed[0]), answer(handed[0])])
    assert first.judgment == again.judgment
    other = Answer({"preference": "right"})
    row = handed[0].assignments[0]

    def change_it(service: Service) -> Judged:
        return absorb_judgment(service, AssignmentRef(row.topic_id, row.number), other, clock)

    refused, told = at_once(service, [change_it, answer(handed[1])])
    assert isinstance(refused, AnswerConflict)
    assert told.judgment.number == 8
    assert stored(service, "judgments") == 8


def test_a_topic_that_a_thread_is_at_is_waited_for(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_threads(monkeypatch)
    monkeypatch.setattr("nextpair.app.runtime.group_commit.PATIENCE", math.inf)
    tries = tried(service, monkeypatch)

    async def ask_while_it_is_held() -> Handed:
        with service.topics.hold(service.topic_id(STUDY, TOPIC)):
            tries.clear()
            asking = asyncio.create_task(service.do(ask(WORKERS[0])))
            await come(tries, 2)
            assert not asking.done()
        return await asking

    assert asyncio.run(ask_while_it_is_held()).assignments[0].number == 7


def test_an_answer_that_waited_until_its_lease_ran_out_is_late(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Meanwhile its pair may have been given to someone else.
    monkeypatch.setattr("nextpair.app.runtime.group_commit.PATIENCE", math.inf)
    tries = tried(service, monkeypatch)
    (handed,) = at_once(service, [ask(WORKERS[0])])
    (row,) = handed.assignments
    time = Clock()
    time.now = row.expires_at

    async def answer_while_it_is_held() -> Judged:
        with service.topics.hold(service.topic_id(STUDY, TOPIC)):
            tries.clear()
            answering = asyncio.create_task(service.do(answer(handed, time)))
            await come(tries, 1)
            time.move(0.1)
        return await answering

    judged = asyncio.run(answer_while_it_is_held())
    assert (judged.late, judged.judgment.created_at) == (True, row.expires_at + 0.1)


def test_who_has_waited_long_enough_gets_a_thread(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nextpair.app.runtime.group_commit.PATIENCE", 0.0)
    topic_id = service.topic_id(STUDY, TOPIC)
    tries = tried(service, monkeypatch)

    async def ask_while_it_is_held() -> Handed:
        with service.topics.hold(topic_id):
            tries.clear()
            asking = asyncio.create_task(service.do(ask(WORKERS[0])))
            # Once for those that are committed together, and once in a thread.
            await come(tries, 2)
            assert tries[-1] is not threading.main_thread()
        return await asking

    assert asyncio.run(ask_while_it_is_held()).assignments[0].number == 7
    assert stored(service, "assignments") == 7


def test_what_fails_after_it_was_written_undoes_the_group_and_each_is_run_again(
    service: Service,
) -> None:
    def ask_and_fail(service: Service) -> Handed:
        handed = ask(WORKERS[1])(service)
        if service.group is not None:
            raise RuntimeError("after the change")
        return handed

    ends = counted(service)
    first, second = at_once(service, [ask(WORKERS[0]), ask_and_fail])
    assert ends == ["rollback", "commit", "commit"]
    assert {first.assignments[0].number, second.assignments[0].number} == {7, 8}
    assert stored(service, "assignments") == 8


def test_a_commit_that_fails_leaves_nothing_in_memory_that_is_not_in_the_file(
    alone: InProcess, service: Service
) -> None:
    broken = [True]

    def fail(_: object) -> None:
        if broken:
            broken.clear()
            raise RuntimeError("the disk is gone for a moment")

    event.listen(service.database._engine, "commit", fail)
    handed = at_once(service, [ask(worker) for worker in WORKERS])
    numbers = sorted(each.assignments[0].number for each in handed)
    assert numbers == list(range(7, 13))
    assert stored(service, "assignments") == 12
    told = at_once(service, [answer(each) for each in handed])
    assert sorted(each.judgment.number for each in told) == list(range(7, 13))
    with installed(alone.url) as other, other.app.state.service.look(1) as fresh:
        with service.look(1) as live:
            assert live.head == fresh.head
            assert live.pairs.scores().tolist() == fresh.pairs.scores().tolist()
