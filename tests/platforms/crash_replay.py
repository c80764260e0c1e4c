"""Replays of a scenario in which the process crashes at any step: around each commit and call."""

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from botocore.httpsession import URLLib3Session
from in_process import Clock, hurried, installed
from platforms.scenarios import NO_CRASH, PUBLIC, Scenario
from pydantic import SecretStr
from sqlalchemy import delete, event, func, insert, select, text

from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.registry import make_platform, read_access
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.settings import ServiceSettings
from nextpair.storage.database import Database
from nextpair.storage.hiring_tables import (
    Base,
    LeaseTable,
    OfferTable,
    OutboxTable,
    SubmissionTable,
)
from nextpair.storage.tables import JudgmentTable, WorkerTable

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


class ObservedSteps(CrashPoint):
    """Calls an observer at each step, and never crashes."""

    def __init__(self, observe: Callable[[], None]) -> None:
        super().__init__()
        self._observe = observe

    def step(self) -> None:
        """Call the observer."""
        super().step()
        self._observe()


class CrashingDatabase(Database):
    """A database whose process can crash before and after each commit."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.crash_point = CrashPoint()
        event.listen(self._engine, "connect", hurried)

    @contextmanager
    def write(self, *, wait: float | None = None) -> Iterator[Any]:
        """Commit, or crash before or after."""
        with super().write(wait=wait) as connection:
            yield connection
            self.crash_point.step()
        self.crash_point.step()

    @contextmanager
    def autocommit(self) -> Iterator[Any]:
        """Commit with each statement, or crash before or after."""
        self.crash_point.step()
        with super().autocommit() as connection:
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


@dataclass(frozen=True)
class Remains:
    """The state of the platform and of the database after a crash at some step."""

    rows: Rows
    platform: Any = field(compare=False)
    pickled: bytes
    """The state of the platform without its log of requests, for comparisons."""


class CrashReplay:
    """Replays a scenario from each of its checkpoints."""

    def __init__(self, scenario: Scenario, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.scenario = scenario
        self.url = url
        self.database = CrashingDatabase(url)
        self.settings = ServiceSettings(
            database=SecretStr(url),
            public_url=PUBLIC,
            platforms={scenario.platform.replace("-", "_"): _secrets(scenario)},
        )
        self.checkpoints = list(self._record())
        # After a crash the process is new, but not its connections: to open them takes long.
        platform = make_platform(scenario.platform, scenario.options())
        access = read_access(scenario.platform, self.settings.platforms)
        self._account = platform.open(access)
        monkeypatch.setattr(
            "nextpair.app.runtime.service_context.Database", lambda *_, **__: self.database
        )
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
        self, checkpoint: Checkpoint, stride: int = 1
    ) -> tuple[int, list[Remains], dict[str, Any]]:
        """Run from a checkpoint without a crash.

        Returns how many steps the first tick had, what a crash would leave at each of them (or at
        every `stride`-th), and the outcome.
        """
        clock = self.rewind(checkpoint)
        remains: list[Remains] = []

        def observe() -> None:
            if (steps.steps - 1) % stride == 0:
                remains.append(self._remains())

        steps = self.database.crash_point = ObservedSteps(observe)
        runner = self.new_process(clock)
        for _ in range(TICKS):
            runner.tick()
            self.database.crash_point = CrashPoint()
            clock.move(SECONDS_BETWEEN_TICKS)
            self.scenario.settle_payments()
        return steps.steps, remains, self.outcome()

    def _remains(self) -> Remains:
        platform = self.scenario.snapshot()
        state = dict(platform if isinstance(platform, dict) else vars(platform))
        for log in ("requests", "done"):
            state.pop(log, None)
        return Remains(self.database.rows(), platform, pickle.dumps(state))

    def recover(self, checkpoint: Checkpoint, remains: Remains, expected: Any) -> dict[str, Any]:
        """Let another process go on after a crash, and return the outcome.

        It has only what the crash has left: nothing uncommitted, and no memory of the process.
        """
        clock = self.rewind(checkpoint, remains)
        clock.move(SECONDS_BETWEEN_TICKS)
        self.scenario.settle_payments()
        runner = self.new_process(clock)
        for _ in range(TICKS - 1):
            runner.tick()
            clock.move(SECONDS_BETWEEN_TICKS)
            self.scenario.settle_payments()
            if self.outcome() == expected:
                break
        return self.outcome()

    def rewind(self, checkpoint: Checkpoint, remains: Remains | None = None) -> Clock:
        """Restore a checkpoint, or what a crash has left, some time later."""
        self.database.crash_point = CrashPoint()
        self.database.restore_snapshot((remains or checkpoint).rows)
        self.scenario.restore_snapshot((remains or checkpoint).platform)
        clock = Clock()
        clock.now = checkpoint.now + SECONDS_BETWEEN_TICKS
        return clock

    def new_process(self, clock: Clock) -> Runner:
        """Start a new process: all of its state is in the database."""
        self.database.clock = clock
        runner = Runner(ServiceContext(self.settings, clock), clock)
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
                    WorkerTable.name,
                    OutboxTable.state,
                    OutboxTable.message,
                )
                .outerjoin(OfferTable, OfferTable.id == OutboxTable.offer_id)
                .outerjoin(WorkerTable, WorkerTable.id == OutboxTable.worker_id)
                .where((OutboxTable.attempts > 0) | (OutboxTable.cost > 0))
            )
            counted = select(func.count()).select_from(JudgmentTable)
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
