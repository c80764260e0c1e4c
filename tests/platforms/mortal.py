"""A runner that can die at every step: before and after each commit, and each call it makes."""

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from botocore.httpsession import URLLib3Session
from in_process import Clock, hurried, installed
from platforms.scenes import PUBLIC, UNHARMED, Scene
from pydantic import SecretStr
from sqlalchemy import delete, event, func, insert, select, text

from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.registry import make_platform, read_access
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.settings import Settings
from nextpair.storage.database import Database
from nextpair.storage.hiring_tables import Base, Deed, Leader, Offer, Submission
from nextpair.storage.tables import Judgment, Worker

LOOKS = 7
"""After how many looks of the runner everything is settled that can be."""
BETWEEN = 1000.0
"""Seconds between looks: longer than a dead leader leads, and than a payment may be unseen."""
Rows = dict[str, list[dict[str, Any]]]


class Killed(BaseException):
    """The process is gone: nothing that handles errors may handle this."""


class Fate:
    """Counts the steps at which a process can die, and lets it die at one of them."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.steps = 0

    def step(self) -> None:
        """Die, or go on."""
        self.steps += 1
        if self.steps == self.at:
            raise Killed()


class Watched(Fate):
    """Has someone look at each step, and lets nobody die."""

    def __init__(self, look: Callable[[], None]) -> None:
        super().__init__()
        self._look = look

    def step(self) -> None:
        """Let them look."""
        super().step()
        self._look()


class MortalDatabase(Database):
    """A database whose process can die before and after each commit."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.fate = Fate()
        event.listen(self._engine, "connect", hurried)

    @contextmanager
    def write(self, *, wait: float | None = None) -> Iterator[Any]:
        """Commit, or die before or after."""
        with super().write(wait=wait) as connection:
            yield connection
            self.fate.step()
        self.fate.step()

    @contextmanager
    def autocommit(self) -> Iterator[Any]:
        """Commit with each statement, or die before or after."""
        self.fate.step()
        with super().autocommit() as connection:
            yield connection
        self.fate.step()

    def rows(self) -> Rows:
        """Copy everything."""
        with self.read() as connection:
            return {
                table.name: [dict(row._mapping) for row in connection.execute(select(table))]
                for table in Base.metadata.sorted_tables
            }

    def put_back(self, rows: Rows) -> None:
        """Let everything be as it was."""
        tables = Base.metadata.sorted_tables
        with Database.write(self) as connection:
            for table in reversed(tables):
                connection.execute(delete(table))
            for table in tables:
                if rows[table.name]:
                    connection.execute(insert(table), rows[table.name])
                if not self.is_sqlite and table.autoincrement_column is not None:
                    connection.execute(text(_COUNT_ON.format(table=table.name)))


_COUNT_ON = (
    "SELECT setval(pg_get_serial_sequence('{table}', 'id'), "
    "(SELECT coalesce(max(id), 0) + 1 FROM {table}), false)"
)


@dataclass(frozen=True)
class Moment:
    """All there is, there and here, right before the runner looks."""

    name: str
    rows: Rows
    there: Any
    now: float


@dataclass(frozen=True)
class Remains:
    """All there is, there and here, after a process that has died at some step."""

    rows: Rows
    there: Any = field(compare=False)
    pickled: bytes
    """What the platform has, to be compared: all but the log of what it was asked."""


class Play:
    """A scene, its moments, and what comes of each of them."""

    def __init__(self, scene: Scene, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.scene = scene
        self.url = url
        self.database = MortalDatabase(url)
        self.settings = Settings(
            database=SecretStr(url),
            public_url=PUBLIC,
            platforms={scene.platform.replace("-", "_"): _secrets(scene)},
        )
        self.moments = list(self._record())
        # A process is new after each death, but not its connections: to open them takes long.
        platform = make_platform(scene.platform, scene.options())
        access = read_access(scene.platform, self.settings.platforms)
        self._account = platform.open(access)
        monkeypatch.setattr(
            "nextpair.app.runtime.service_context.Database", lambda *_, **__: self.database
        )
        for kind in (httpx.Client, URLLib3Session):
            monkeypatch.setattr(kind, "send", self._deadly(kind.send))

    def _record(self) -> Iterator[Moment]:
        given = {self.scene.platform.replace("-", "_"): self.scene.access()}
        with installed(self.url, public_url=PUBLIC, platforms=given) as service:
            self.scene.prepare(service)
            runner = Runner(service.app.state.service, service.clock)
            for name in self.scene.play(service):
                if name != UNHARMED:
                    now = service.clock.now
                    yield Moment(name, self.database.rows(), self.scene.kept(), now)
                runner.tick()
                self.scene.settle()
                service.clock.move(15)
            runner.resign()

    def _deadly(self, send: Callable[..., Any]) -> Callable[..., Any]:
        def sent(*given: Any, **more: Any) -> Any:
            self.database.fate.step()
            answer = send(*given, **more)
            self.database.fate.step()
            return answer

        return sent

    def depose(self) -> None:
        """Let nobody lead, as when a dead leader is given up: clocks here are not the machine's."""
        with Database.write(self.database) as connection:
            connection.execute(delete(Leader))

    def close(self) -> None:
        """Give back all connections."""
        self._account.close()
        self.database.close()

    def live(self, moment: Moment, stride: int = 1) -> tuple[int, list[Remains], dict[str, Any]]:
        """Let a runner look from a moment on.

        Returns how many steps the first look had, what would be left if it died at each of them, or
        at one of so many, and what came of it all.
        """
        clock = self.back_to(moment)
        remains: list[Remains] = []

        def look() -> None:
            if (fate.steps - 1) % stride == 0:
                remains.append(self._remains())

        fate = self.database.fate = Watched(look)
        runner = self.process(clock)
        for _ in range(LOOKS):
            runner.tick()
            self.database.fate = Fate()
            clock.move(BETWEEN)
            self.scene.settle()
        return fate.steps, remains, self.outcome()

    def _remains(self) -> Remains:
        there = self.scene.kept()
        known = dict(there if isinstance(there, dict) else vars(there))
        for log in ("requests", "done"):
            known.pop(log, None)
        return Remains(self.database.rows(), there, pickle.dumps(known))

    def go_on(self, moment: Moment, remains: Remains, expected: Any) -> dict[str, Any]:
        """Let another runner look, with nothing but what one left that died then; say what comes.

        What has not been committed is not among it, and neither is what that process remembered.
        """
        clock = self.back_to(moment, remains)
        clock.move(BETWEEN)
        self.scene.settle()
        runner = self.process(clock)
        for _ in range(LOOKS - 1):
            runner.tick()
            clock.move(BETWEEN)
            self.scene.settle()
            if self.outcome() == expected:
                break
        return self.outcome()

    def back_to(self, moment: Moment, remains: Remains | None = None) -> Clock:
        """Let everything be as it was at a moment, or as someone left it, but some time later."""
        self.database.fate = Fate()
        self.database.put_back((remains or moment).rows)
        self.scene.put_back((remains or moment).there)
        clock = Clock()
        clock.now = moment.now + BETWEEN
        return clock

    def process(self, clock: Clock) -> Runner:
        """Begin anew: nothing is remembered but what the database has."""
        self.database.clock = clock
        runner = Runner(ServiceContext(self.settings, clock), clock)
        runner._account = lambda study: self._account  # type: ignore[method-assign]
        return runner

    def outcome(self) -> dict[str, Any]:
        """Say what came of it, there and here."""
        with self.database.read() as connection:
            deeds = connection.execute(
                select(Deed.kind, Deed.cost, Offer.number, Worker.name, Deed.state, Deed.message)
                .outerjoin(Offer, Offer.id == Deed.offer_id)
                .outerjoin(Worker, Worker.id == Deed.worker_id)
                .where((Deed.attempts > 0) | (Deed.cost > 0))
            )
            counted = select(func.count()).select_from(Judgment)
            offered = select(Offer.number, Offer.state)
            return {
                "there": self.scene.came_of_it(),
                "deeds": sorted(tuple(str(one) for one in row) for row in deeds),
                "offers": sorted(map(tuple, connection.execute(offered))),
                "sessions": sorted(connection.execute(select(Submission.state)).scalars()),
                "answers": connection.execute(counted).scalar_one(),
            }


def _secrets(scene: Scene) -> dict[str, SecretStr]:
    return {name: SecretStr(value) for name, value in scene.access().items()}
