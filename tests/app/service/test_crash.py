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
from installations import new_key, reserved_port, serving
from processes import ask_each, children, connections, is_gone

from nextpair.app.client import Client
from nextpair.app.wire.results import RankingOut
from nextpair.app.wire.topics import TopicIn
from nextpair.storage.database import Database

LOAD = float(os.environ.get("NEXTPAIR_TEST_LOAD", "1"))
KILLS = max(1, round(8 * LOAD))
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
                self.killed.append(doomed := self._chance.choice(busy))
                os.kill(doomed, signal.SIGKILL)
                until(lambda doomed=doomed: is_gone(doomed), "the process is gone")  # type: ignore[misc]


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


def test_leases_outlive_processes_that_are_killed_and_come_back_when_they_end(
    postgresql_url: str,
) -> None:
    key = new_key(postgresql_url)
    with serving(postgresql_url, 2) as (address, pid):
        with persistent(Place(address, key, "held")) as client:
            client.create_study("held", selector="merge-tie-random", votes=3, lease_seconds=86_400)
            client.add_topic("held", pool("t", documents=2))

            def pairs_for(worker: str) -> list[set[str]]:
                got = client.next("held", worker, topic="t").assignments
                return [{shown.id for shown in one.shown} for one in got]

            (taken,) = pairs_for("bob")
            assert pairs_for("cid") == [taken]
            assert pairs_for("ann") == []
            _kill_all(pid)
            assert pairs_for("ann") == []
            # A day later; what the living remember of it goes with them.
            _let_leases_end(postgresql_url)
            _kill_all(pid)
            assert pairs_for("ann") == [taken]


def _kill_all(pid: int) -> None:
    doomed = children(pid)
    assert doomed
    for child in doomed:
        os.kill(child, signal.SIGKILL)
    until(lambda: all(is_gone(one) for one in doomed), "all processes are gone")


def _let_leases_end(url: str) -> None:
    database = Database(url)
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE assignments SET expires_at = 0")
    database.close()


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
def port() -> Iterator[int]:
    """A port nobody listens on, or will meanwhile."""
    with reserved_port() as found:
        yield found


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[Path]:
    """A folder for copies of a database."""
    folder = tmp_path / "copies"
    folder.mkdir()
    yield folder


def test_what_was_acknowledged_outlives_the_whole_service_being_killed(
    sqlite_url: str, port: int, copies: Path
) -> None:
    key = new_key(sqlite_url)
    place = Place(f"http://127.0.0.1:{port}", key, "judged")
    supply = Supply(place, documents=20)
    restarter = Restarter(sqlite_url, port, supply, copies)
    try:
        _study(restarter.start(), key)
        names = [f"worker-{number}" for number in range(12)]
        notes = crowd(place, names, PEOPLE, restarter, stay=True)

        _check_told(place, supply.topics, notes)
        _check(sqlite_url, restarter.pid, 2, place, supply.topics)
        restarter._check_file()
    finally:
        restarter.stop()


def test_no_process_serves_on_when_the_one_that_started_it_is_killed(
    sqlite_url: str, port: int
) -> None:
    new_key(sqlite_url)
    with serving(sqlite_url, 2, port) as (_, pid):
        orphans = children(pid)
        assert len(orphans) == 2
        os.kill(pid, signal.SIGKILL)
        until(lambda: all(is_gone(one) for one in orphans), "the orphans end")
    # A process is gone a moment before the last of its threads has let go of its socket.
    until(lambda: not _listens(port), "nobody listens")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
