"""Replays of a scenario in which the process crashes at any step: around each commit and call."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from botocore.httpsession import URLLib3Session
from in_process import Clock, installed
from platforms.scenarios import NO_CRASH, PUBLIC, Scenario
from pydantic import SecretStr
from sqlalchemy import delete, event, func, insert, select, text

from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.registry import make_platform, read_access
from nextpair.app.runtime.service import Service
from nextpair.app.settings import Settings
from nextpair.storage.database import Database
from nextpair.storage.hiring_tables import (
    Base,
    LeaseTable,
    OfferTable,
    OutboxTable,
    SubmissionTable,
)
from nextpair.storage.tables import Judgment, Worker

TICKS = 7
"""After how many ticks of the runner everything is settled that can be."""
SECONDS_BETWEEN_TICKS = 1000.0
"""Longer than the leader lease of a dead process, and than a payment takes to be listed."""
Rows = dict[str, list[dict[str, Any]]]


class Crash(BaseException):
    """The process is gone: no handler of errors may catch this."""


class CrashPoint:
    """Counts the steps at which a process can crash, and crashes it at one of them."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.steps = 0

    def step(self) -> None:
        """Crash, or go on."""
        self.steps += 1
        if self.steps == self.at:
            raise Crash()


class CrashingDatabase(Database):
    """A database whose process can crash before and after each commit."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.crash_point = CrashPoint()
        event.listen(self._engine, "connect", self._disable_sync)

    def _disable_sync(self, connection: Any, _: object) -> None:
        # The process crashes here and not the machine, so that no disk needs to be waited for.
        sqlite, postgresql = "PRAGMA synchronous = OFF", "SET synchronous_commit = off"
        connection.execute(sqlite if self.is_sqlite else postgresql)
        if not self.is_sqlite:
            connection.commit()

    @contextmanager
    def write(self, *, wait: float | None = None) -> Iterator[Any]:
        """Commit, or crash before or after."""
        with super().write(wait=wait) as connection:
            yield connection
            self.crash_point.step()
        self.crash_point.step()

    @contextmanager
    def at_once(self) -> Iterator[Any]:
        """Commit with each statement, or crash before or after."""
        self.crash_point.step()
        with super().at_once() as connection:
            yield connection
        self.crash_point.step()

    def rows(self) -> Rows:
        """Copy all rows."""
        with self.read() as connection:
            return {
                table.name: [dict(row._mapping) for row in connection.execute(select(table))]
                for table in Base.metadata.sorted_tables
            }

    def restore_snapshot(self, rows: Rows) -> None:
        """Restore all rows."""
        tables = Base.metadata.sorted_tables
        with Database.write(self) as connection:
            for table in reversed(tables):
                connection.execute(delete(table))
            for table in tables:
                if rows[table.name]:
                    connection.execute(insert(table), rows[table.name])
                if not self.is_sqlite and table.autoincrement_column is not None:
                    connection.execute(text(_RESET_SEQUENCE.format(table=table.name)))


_RESET_SEQUENCE = (
    "SELECT setval(pg_get_serial_sequence('{table}', 'id'), "
    "(SELECT coalesce(max(id), 0) + 1 FROM {table}), false)"
)


@dataclass(frozen=True)
class Checkpoint:
    """The state of the platform and of the database, right before the runner ticks."""

    name: str
    rows: Rows
    platform: Any
    now: float


class CrashReplay:
    """Replays a scenario from each of its checkpoints."""

    def __init__(self, scenario: Scenario, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.scenario = scenario
        self.url = url
        self.database = CrashingDatabase(url)
        self.settings = Settings(
            database=SecretStr(url),
            public_url=PUBLIC,
            platforms={scenario.platform.replace("-", "_"): _secrets(scenario)},
        )
        self.checkpoints = list(self._record())
        # After a crash the process is new, but not its connections: to open them takes long.
        platform = make_platform(scenario.platform, scenario.options())
        access = read_access(scenario.platform, self.settings.platforms)
        self._account = platform.open(access)
        monkeypatch.setattr("nextpair.app.runtime.service.Database", lambda *_, **__: self.database)
        for kind in (httpx.Client, URLLib3Session):
            monkeypatch.setattr(kind, "send", self._crashing(kind.send))

    def _record(self) -> Iterator[Checkpoint]:
        given = {self.scenario.platform.replace("-", "_"): self.scenario.access()}
        with installed(self.url, public_url=PUBLIC, platforms=given) as service:
            self.scenario.prepare(service)
            runner = Runner(service.app.state.service, service.clock)
            for name in self.scenario.run(service):
                if name != NO_CRASH:
                    now = service.clock.now
                    yield Checkpoint(name, self.database.rows(), self.scenario.snapshot(), now)
                runner.tick()
                self.scenario.settle_payments()
                service.clock.move(15)
            runner.resign()

    def _crashing(self, send: Callable[..., Any]) -> Callable[..., Any]:
        def sent(*args: Any, **options: Any) -> Any:
            self.database.crash_point.step()
            answer = send(*args, **options)
            self.database.crash_point.step()
            return answer

        return sent

    def expire_lease(self) -> None:
        """End the leader lease, as time would: clocks here are not the machine's."""
        with Database.write(self.database) as connection:
            connection.execute(delete(LeaseTable))

    def close(self) -> None:
        """Close all connections."""
        self._account.close()
        self.database.close()

    def replay(
        self, checkpoint: Checkpoint, at: int | None = None, expected: Any = None
    ) -> tuple[int, dict[str, Any]]:
        """Run from a checkpoint; after a crash, another process goes on.

        Returns how many steps the first tick had, and the outcome.
        """
        clock = self.rewind(checkpoint)
        crash_point = self.database.crash_point = CrashPoint(at)
        runner, steps = None, 0
        for tick in range(TICKS):
            try:
                runner = runner or self.new_process(clock)
                runner.tick()
            except Crash:
                runner = None
            steps = steps or crash_point.steps
            clock.move(SECONDS_BETWEEN_TICKS)
            self.scenario.settle_payments()
            if tick and expected is not None and self.outcome() == expected:
                break
        return steps, self.outcome()

    def rewind(self, checkpoint: Checkpoint) -> Clock:
        """Restore everything, but some time later."""
        self.database.crash_point = CrashPoint()
        self.database.restore_snapshot(checkpoint.rows)
        self.scenario.restore_snapshot(checkpoint.platform)
        clock = Clock()
        clock.now = checkpoint.now + SECONDS_BETWEEN_TICKS
        return clock

    def new_process(self, clock: Clock) -> Runner:
        """Start a new process: all of its state is in the database."""
        self.database.clock = clock
        runner = Runner(Service(self.settings, clock), clock)
        runner._account = lambda study: self._account  # type: ignore[method-assign]
        return runner

    def outcome(self) -> dict[str, Any]:
        """Return the outcome at the platform and here."""
        with self.database.read() as connection:
            commands = connection.execute(
                select(
                    OutboxTable.kind,
                    OutboxTable.cost,
                    OfferTable.number,
                    Worker.name,
                    OutboxTable.state,
                    OutboxTable.message,
                )
                .outerjoin(OfferTable, OfferTable.id == OutboxTable.offer_id)
                .outerjoin(Worker, Worker.id == OutboxTable.worker_id)
                .where((OutboxTable.attempts > 0) | (OutboxTable.cost > 0))
            )
            counted = select(func.count()).select_from(Judgment)
            offered = select(OfferTable.number, OfferTable.state)
            return {
                "platform": self.scenario.outcome_at_platform(),
                "commands": sorted(tuple(str(value) for value in row) for row in commands),
                "offers": sorted(map(tuple, connection.execute(offered))),
                "sessions": sorted(connection.execute(select(SubmissionTable.state)).scalars()),
                "answers": connection.execute(counted).scalar_one(),
            }


def _secrets(scenario: Scenario) -> dict[str, SecretStr]:
    return {name: SecretStr(value) for name, value in scenario.access().items()}
