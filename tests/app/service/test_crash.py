"""Serving processes are killed in the middle of load: whatever was acknowledged is there.

The sizes fit a test suite. Longer runs, with other faults as well: `python -m benchmarks.hold`.
"""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from audits import check_everywhere, check_told
from crowds import Habits, Place, crowd, persistent, pool, until
from faults import Killer, Restarter, Supply
from installations import new_key, reserved_port, serving
from processes import children, is_gone

from nextpair.app.client import Client
from nextpair.storage.database import Database

LOAD = float(os.environ.get("NEXTPAIR_TEST_LOAD", "1"))
KILLS = max(1, round(2 * LOAD))
RESTARTS = max(1, round(LOAD))
LEASE = 2.0
"""Seconds, so that what was in the hands of the dead comes back while the test runs."""
PEOPLE = Habits(error=0.1, undo=0.05, skip=0.03, forget=0.03, counts=(1, 1, 3), seconds=0.1)


def _study(address: str, key: str) -> Place:
    with Client(address, key) as client:
        client.create_study(
            "judged", selector="merge-tie-random", votes=3, lease_seconds=LEASE, seed=3
        )
    return Place(address, key, "judged")


def test_what_was_acknowledged_outlives_processes_that_are_killed(postgresql_url: str) -> None:
    key = new_key(postgresql_url)
    with serving(postgresql_url, 3) as (address, pid):
        place = _study(address, key)
        supply = Supply(place, documents=16)
        killer = Killer(pid, supply, int(address.rpartition(":")[2]), KILLS)

        names = [f"worker-{number}" for number in range(8)]
        notes = crowd(place, names, PEOPLE, killer, stay=True)

        assert len(killer.killed) == len(set(killer.killed)) == KILLS
        check_told(place, supply.topics, notes, votes=3)
        check_everywhere(postgresql_url, pid, 3, place, supply.topics)


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
    supply = Supply(place, documents=16)
    restarter = Restarter(sqlite_url, port, supply, copies, RESTARTS)
    try:
        _study(restarter.start(), key)
        names = [f"worker-{number}" for number in range(8)]
        notes = crowd(place, names, PEOPLE, restarter, stay=True)

        check_told(place, supply.topics, notes, votes=3)
        check_everywhere(sqlite_url, restarter.pid, 2, place, supply.topics)
        restarter.check_file()
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
