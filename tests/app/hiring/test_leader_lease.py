"""The leader lease: one runner leads, and another takes over when it is gone."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from crowds import PATIENCE, until
from in_process import installed
from platforms.fake_mturk import MTurk
from platforms.fake_mturk_server import Server, serving
from platforms.hiring_study import AT, HIRING, HiringStudy, hiring_study, set_up
from platforms.scenarios import PUBLIC

from nextpair.app.hiring.runner import Runner
from nextpair.storage.database import Database

KEYS = {"AKIAFIRST": "open", "AKIASECOND": "sesame"}


def test_a_leader_that_was_given_up_goes_no_further_when_it_comes_back(sqlite_url: str) -> None:
    money = {**HIRING, "at_once": 12, "budget": 5000}
    with hiring_study(sqlite_url, hiring=money) as one:
        one.start()
        second = Runner(one.service.app.state.service, one.service.clock)
        publish = one.mturk._CreateHITWithHITType
        created: list[str] = []

        def sleep(body: dict[str, object]) -> dict[str, object]:
            created.append(str(body["UniqueRequestToken"]))
            if len(created) == 1:
                # The call takes so long that another takes over: it meets the same command again.
                one.service.clock.move(121)
                one.fake.lock.release()
                assert second.tick()
                one.fake.lock.acquire()
            return publish(body)

        # The fake itself publishes, but takes its time.
        one.mturk._CreateHITWithHITType = sleep  # type: ignore[method-assign]
        one.tick()
        assert sorted(hit.places for hit in one.mturk.hits.values()) == [3, 9]
        assert len(set(created)) == 2
        assert created.count(created[0]) == 2, "both were at the first one, with the same token"
        assert len(created) == 3, "and only the new leader at the second"
        assert one.hiring["state"] == "running"
        second.resign()


@pytest.fixture
def fake() -> Iterator[Server]:
    """A fake Mechanical Turk, which tells two processes apart by their keys."""
    with serving(MTurk()) as running:
        running.secrets |= KEYS
        yield running


@contextmanager
def process(fake: Server, url: str, key: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run `nextpair runner` with a key of its own."""
    access = {**fake.access(KEYS[key]), "access_key_id": key}
    environment = {
        **os.environ,
        "NEXTPAIR_DATABASE": url,
        "NEXTPAIR_PUBLIC_URL": PUBLIC,
        "NEXTPAIR_RUNNER_SECONDS": "0.05",
        **{f"NEXTPAIR_PLATFORMS__MTURK__{k.upper()}": v for k, v in access.items()},
    }
    command = [sys.executable, "-m", "nextpair.app.cli", "runner"]
    with subprocess.Popen(command, env=environment) as running:
        try:
            yield running
        finally:
            running.kill()


def _connections(database: Database) -> int:
    mine = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    with database.read() as connection:
        return int(connection.exec_driver_sql(mine).scalar_one())


def test_of_two_processes_on_postgresql_only_one_acts_until_it_is_killed(
    fake: Server, postgresql_url: str
) -> None:
    with ExitStack() as stack:
        given = {"mturk": fake.access()}
        service = stack.enter_context(installed(postgresql_url, public_url=PUBLIC, platforms=given))
        set_up(service)
        one = HiringStudy(service, fake)
        one.start()
        database = service.app.state.service.database
        alone = _connections(database)
        running = {key: stack.enter_context(process(fake, postgresql_url, key)) for key in KEYS}
        until(lambda: _connections(database) >= alone + 2, "both are there")
        seen = len(fake.callers)
        until(lambda: len(fake.callers) > seen + 20, "and look again and again")
        (leader,) = set(fake.callers)
        other = next(key for key in KEYS if key != leader)
        one.work("AGOOD")
        until(lambda: fake.mturk.spent == 72, "the leader pays")
        running[leader].send_signal(signal.SIGKILL)
        running[leader].wait(PATIENCE)
        fake.callers.clear()
        one.work("ABETTER")
        with database.write() as connection:
            # Two minutes later.
            connection.exec_driver_sql("UPDATE leaders SET until = 0")
        until(lambda: fake.mturk.spent == 2 * 72, "the other one takes over")
        assert set(fake.callers) == {other}
        assert fake.mturk.count("ApproveAssignment") == len(fake.mturk.bonuses) == 2
        # What was paid is noted a moment later.
        until(lambda: service.get(f"{AT}/hiring")["spent"] == 2 * 72, "it is written down")
