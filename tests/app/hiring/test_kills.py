"""Killing the runner at every step, and starting it again: nothing is published or paid twice."""

import copy
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from in_process import Clock
from platforms.hired import hired
from platforms.mturk import MTurk
from platforms.mturk_server import Server, serving
from pydantic import SecretStr

from nextpair.app.hiring.runner import Runner
from nextpair.app.judging.service import Service
from nextpair.app.platforms.finding import make_platform, read_access
from nextpair.app.settings import Settings
from nextpair.storage import deeds
from nextpair.storage.database import Database
from nextpair.storage.hiring_rows import DeedState

LEAST_STEPS = 30


class Killed(BaseException):
    """The process is gone: nothing that handles errors may handle this."""


class Fate:
    """Counts the steps at which a process can die, and lets it die at one of them."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.steps = 0

    def step(self) -> None:
        """Die, or go on."""
        self.steps += 1
        if self.steps == self.at:
            raise Killed()


class MortalDatabase(Database):
    """A database whose process can die before and after each commit."""

    fate: Fate

    @contextmanager
    def write(self, *, patient: bool = True) -> Iterator[Any]:
        """Commit, or die before or after."""
        with super().write(patient=patient) as connection:
            yield connection
            self.fate.step()
        self.fate.step()


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, MTurk]]:
    """Two moments: hiring was just started; and two have handed in, one of them a fool."""
    folder = tmp_path_factory.mktemp("before")
    found = {}
    with hired(f"sqlite:///{folder / 'live.db'}") as one:
        one.start()
        found["started"] = _kept(folder, "started", one.mturk)
        one.tick()
        one.work("AGOOD")
        one.work("ABAD", fool=True)
        one.take("ALEFT")
        found["handed in"] = _kept(folder, "handed-in", one.mturk)
    return found


def _kept(folder: Path, name: str, mturk: MTurk) -> tuple[Path, MTurk]:
    target = folder / f"{name}.db"
    with closing(sqlite3.connect(folder / "live.db")) as live:
        with closing(sqlite3.connect(target)) as copied:
            live.backup(copied)
    return target, copy.deepcopy(mturk)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One server for all deaths; each has a state of its own behind it."""
    with serving(MTurk()) as running:
        yield running


def _service(url: str, server: Server, fate: Fate) -> Service:
    settings = Settings(
        database=url,
        public_url="https://judge.example.org",
        platforms={"mturk": server.access()},
    )
    service = Service(settings)
    service.database.close()
    service.database = MortalDatabase(url)
    service.database.fate = fate
    return service


class Line:
    """The way to MTurk: the process can die right before a call and right after its answer."""

    def __init__(self, server: Server) -> None:
        given = {"mturk": {name: SecretStr(one) for name, one in server.access().items()}}
        opened = make_platform("mturk", {}).open(read_access("mturk", given))
        self.account = cast(Any, opened)
        self.fate = Fate(None)
        self._send = self.account._mturk._make_api_call
        self.account._mturk._make_api_call = self._call

    def _call(self, operation: str, body: dict[str, Any]) -> Any:
        self.fate.step()
        answer = self._send(operation, body)
        self.fate.step()
        return answer


@pytest.fixture(scope="module")
def line(server: Server) -> Line:
    """One way for all deaths: opening it takes long."""
    return Line(server)


def _live(url: str, server: Server, line: Line, at: int | None) -> int:
    """Let a runner look some times; where it dies, another one goes on.

    Returns how many steps the first looks had, in which everything is done.
    """
    fate, clock = Fate(at), Clock()
    clock.move(3600)
    line.fate = fate
    service = _service(url, server, fate)
    runner = Runner(service, clock)
    # The same line to the platform before and after a death, so that it can count what was sent.
    runner._account = lambda study: line.account  # type: ignore[method-assign]
    steps = 0
    for look in range(3):
        steps = fate.steps if look == 2 else steps
        try:
            runner.tick()
        except Killed:
            # The next process: it remembers nothing, and waits until the old one is given up.
            runner._name = "another"
            runner._looked.clear()
        clock.move(130)
    service.database.close()
    return steps


def _outcome(mturk: MTurk, url: str) -> dict[str, Any]:
    """Say what came of it, there and here."""
    database = Database(url)
    with database.read() as connection:
        rows = deeds.list_deeds(connection, 1, 0, 1000)
        spent = deeds.spent(connection, 1)
    database.close()
    return {
        "hits": sorted((hit.places, hit.expires) for hit in mturk.hits.values()),
        "statuses": sorted(
            (one.worker, one.status) for hit in mturk.hits.values() for one in hit.assignments
        ),
        "bonuses": sorted(one["WorkerId"] for one in mturk.bonuses),
        "qualifications": len(mturk.qualifications),
        "away": sorted(worker for _, worker in mturk.granted),
        "paid": mturk.spent,
        "told": spent,
        "deeds": sorted((row.kind, row.token, row.state) for row in rows if row.attempts),
    }


@pytest.mark.parametrize("moment", ["started", "handed in"])
def test_dying_at_any_step_changes_nothing_in_the_end(
    moment: str,
    before: dict[str, tuple[Path, MTurk]],
    server: Server,
    line: Line,
    tmp_path: Path,
) -> None:
    def run(at: int | None) -> tuple[int, dict[str, Any]]:
        file, mturk = before[moment]
        copied = tmp_path / f"{at}.db"
        shutil.copy(file, copied)
        server.mturk = copy.deepcopy(mturk)
        server.calls.clear()
        url = f"sqlite:///{copied}"
        steps = _live(url, server, line, at)
        outcome = _outcome(server.mturk, url)
        copied.unlink()
        return steps, outcome

    steps, expected = run(None)
    assert steps >= LEAST_STEPS
    assert expected["told"] == expected["paid"]
    assert {state for _, _, state in expected["deeds"]} == {DeedState.DONE}
    if moment == "handed in":
        assert expected["bonuses"] == ["AGOOD"]
        assert ("ABAD", "Rejected") in expected["statuses"]
    for at in range(1, steps + 1):
        assert run(at)[1] == expected, f"after dying at step {at}"


@pytest.mark.parametrize("operation", ["CreateHITWithHITType", "SendBonus"])
def test_a_process_that_is_killed_for_real_does_nothing_twice(
    operation: str, before: dict[str, tuple[Path, MTurk]], server: Server, tmp_path: Path
) -> None:
    moment = "started" if operation == "CreateHITWithHITType" else "handed in"
    file, mturk = before[moment]
    shutil.copy(file, tmp_path / "nextpair.db")
    server.mturk = copy.deepcopy(mturk)
    environment = {
        **os.environ,
        "NEXTPAIR_DATABASE": f"sqlite:///{tmp_path / 'nextpair.db'}",
        "NEXTPAIR_PUBLIC_URL": "https://judge.example.org",
        **{f"NEXTPAIR_PLATFORMS__MTURK__{k.upper()}": v for k, v in server.access().items()},
    }
    words = [sys.executable, "-m", "nextpair.app.cli", "runner", "--once"]
    database = Database(environment["NEXTPAIR_DATABASE"])
    with database.write() as connection:
        # The clock that the fixture had was ahead of this machine's.
        connection.exec_driver_sql("UPDATE leaders SET until = 0")
    server.kill_after = operation
    with subprocess.Popen(words, env=environment) as process:
        server.victim = process.pid
        assert process.wait(120) == -signal.SIGKILL
    server.kill_after = ""
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE leaders SET until = 0")
    assert subprocess.run(words, env=environment, timeout=120).returncode == 0
    database.close()
    if operation == "SendBonus":
        assert [one["WorkerId"] for one in server.mturk.bonuses] == ["AGOOD"]
        assert server.mturk.spent == 72
    else:
        assert len(server.mturk.hits) == 1
