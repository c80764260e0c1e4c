"""Serving processes are killed in the middle of load: whatever was acknowledged is there.

The sizes fit a test suite. For a longer run by hand, ten times as many kills:

    NEXTPAIR_TEST_LOAD=10 .venv/bin/python -m pytest tests/app/service/test_crash.py
"""

import os
import random
import shutil
import signal
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from audits import (
    check_database,
    check_handed,
    check_log,
    check_ranking,
    check_votes,
    folded,
    read_log,
)
from crowds import Habits, Notes, Place, crowd, persistent, pool, until
from installations import new_key, serving
from processes import ask_each, children, connections, is_gone

from nextpair.app.client import Client
from nextpair.app.wire.judging import DocumentShown
from nextpair.app.wire.results import RankingOut
from nextpair.app.wire.topics import TopicIn

LOAD = float(os.environ.get("NEXTPAIR_TEST_LOAD", "1"))
KILLS = max(1, round(20 * LOAD))
RESTARTS = max(1, round(2 * LOAD))
LEASE = 2.0
"""Seconds, so that what was in the hands of the dead comes back while the test runs."""
PEOPLE = Habits(error=0.1, undo=0.05, skip=0.03, forget=0.03, counts=(1, 1, 3), seconds=0.1)


class Supply:
    """Topics that are added while workers have run out of questions, so that load never ends."""

    def __init__(self, place: Place, documents: int) -> None:
        self._place = place
        self._documents = documents
        self.topics: list[TopicIn] = []

    def refill(self, client: Client) -> None:
        """Add a topic unless one is being judged."""
        if client.study_progress(self._place.study).finished == len(self.topics):
            topic = pool(f"topic-{len(self.topics)}", self._documents)
            client.add_topic(self._place.study, topic)
            self.topics.append(topic)


class Killer:
    """Kills processes that are serving, at random moments."""

    def __init__(self, pid: int, supply: Supply, port: int) -> None:
        self._pid = pid
        self._supply = supply
        self._port = port
        self._chance = random.Random(7)
        self.killed: list[int] = []

    def __call__(self, client: Client, over: threading.Event) -> None:
        while len(self.killed) < KILLS and not over.wait(self._chance.uniform(0.05, 0.6)):
            self._supply.refill(client)
            busy = [one for one in children(self._pid) if connections(one, self._port)]
            if busy:
                self.killed.append(self._chance.choice(busy))
                os.kill(self.killed[-1], signal.SIGKILL)


def _study(address: str, key: str) -> Place:
    with Client(address, key) as client:
        client.create_study(
            "judged", selector="merge-tie-random", votes=3, lease_seconds=LEASE, seed=3
        )
    return Place(address, key, "judged")


def _check(url: str, pid: int, processes: int, place: Place, topics: list[TopicIn]) -> None:
    """Every process says what follows from the log, and all topics are finished."""

    def rankings() -> list[RankingOut]:
        with Client(place.address, place.key) as client:
            return [client.ranking(place.study, topic.id) for topic in topics]

    check_database(url)
    log = read_log(place, topics)
    answers = ask_each(pid, processes, rankings)
    assert all(answer == answers[0] for answer in answers)
    with Client(place.address, place.key) as client:
        study = client.study(place.study)
        assert client.study_progress(place.study).finished == len(topics)
        seeds = {topic.id: topic.seed for topic in client.topics(place.study)}
    for topic, ranking in zip(topics, answers[0], strict=True):
        check_ranking(ranking, folded(topic, log[topic.id], study, seeds[topic.id]))


def _check_told(place: Place, topics: list[TopicIn], notes: list[Notes]) -> None:
    log = read_log(place, topics)
    check_handed(notes, renewals=True)
    check_log(log, notes)
    check_votes(log, notes, votes=3)


def test_what_was_acknowledged_outlives_processes_that_are_killed(postgresql_url: str) -> None:
    key = new_key(postgresql_url)
    with serving(postgresql_url, 3) as (address, pid):
        place = _study(address, key)
        supply = Supply(place, documents=24)
        killer = Killer(pid, supply, port=int(address.rpartition(":")[2]))

        names = [f"worker-{number}" for number in range(16)]
        notes = crowd(place, names, PEOPLE, killer, stay=True)

        assert len(killer.killed) == len(set(killer.killed)) == KILLS
        _check_told(place, supply.topics, notes)
        _check(postgresql_url, pid, 3, place, supply.topics)
        _check_that_leases_of_the_dead_come_back(place, pid)


def _id(document: DocumentShown) -> str:
    return document.id


def _check_that_leases_of_the_dead_come_back(place: Place, pid: int) -> None:
    with persistent(place) as client:
        client.add_topic(place.study, pool("last", documents=2))
        for worker in ("bob", "cid"):
            (taken,) = client.next(place.study, worker, topic="last").assignments
        assert not client.next(place.study, "ann", topic="last").assignments
        for child in children(pid):
            os.kill(child, signal.SIGKILL)

        def comes_back() -> bool:
            got = client.next(place.study, "ann", topic="last").assignments
            return bool(got) and sorted(got[0].shown, key=_id) == sorted(taken.shown, key=_id)

        until(comes_back, "the pair comes back")


class Restarter:
    """Kills a whole service in the middle of load, and starts it again on the same file."""

    def __init__(self, url: str, port: int, supply: Supply, folder: Path) -> None:
        self._url = url
        self._port = port
        self._supply = supply
        self._folder = folder
        self._chance = random.Random(11)
        self._stack = ExitStack()
        self.pid = 0

    def start(self) -> str:
        """Start the service; return its address."""
        address, self.pid = self._stack.enter_context(serving(self._url, 2, self._port))
        return address

    def stop(self) -> None:
        """Stop the service as one should."""
        self._stack.close()

    def __call__(self, client: Client, over: threading.Event) -> None:
        for _ in range(RESTARTS):
            self._supply.refill(client)
            until(lambda: any(connections(one, self._port) for one in children(self.pid)), "load")
            over.wait(self._chance.uniform(0.2, 1.0))
            self._kill()
            self._check_file()
            self.start()
        self._supply.refill(client)

    def _kill(self) -> None:
        doomed = [*children(self.pid), self.pid]
        for process in doomed:
            os.kill(process, signal.SIGKILL)
        self._stack.close()
        until(lambda: all(is_gone(one) for one in doomed), "all processes are gone")

    def _check_file(self) -> None:
        """Look at a copy: the service must find everything as the dead left it."""
        file = Path(self._url.removeprefix("sqlite:///"))
        for part in file.parent.glob(f"{file.name}*"):
            shutil.copy(part, self._folder)
        with sqlite3.connect(self._folder / file.name) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()


@pytest.fixture
def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[Path]:
    """A folder for copies of a database."""
    folder = tmp_path / "copies"
    folder.mkdir()
    yield folder


def test_what_was_acknowledged_outlives_the_whole_service_being_killed(
    sqlite_url: str, free_port: int, copies: Path
) -> None:
    key = new_key(sqlite_url)
    place = Place(f"http://127.0.0.1:{free_port}", key, "judged")
    supply = Supply(place, documents=20)
    restarter = Restarter(sqlite_url, free_port, supply, copies)
    try:
        _study(restarter.start(), key)
        names = [f"worker-{number}" for number in range(12)]
        notes = crowd(place, names, PEOPLE, restarter, stay=True)

        _check_told(place, supply.topics, notes)
        _check(sqlite_url, restarter.pid, 2, place, supply.topics)
        restarter._check_file()
    finally:
        restarter.stop()


def test_no_process_serves_on_when_the_one_that_started_it_is_killed(sqlite_url: str) -> None:
    new_key(sqlite_url)
    with serving(sqlite_url, 2) as (address, pid):
        orphans = children(pid)
        assert len(orphans) == 2
        os.kill(pid, signal.SIGKILL)
        until(lambda: all(is_gone(one) for one in orphans), "the orphans end")
    # A process is gone a moment before the last of its threads has let go of its socket.
    until(lambda: not _listens(int(address.rpartition(":")[2])), "nobody listens")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
