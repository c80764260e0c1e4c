"""PostgreSQL: every wait has an end, also one for a server that has fallen silent.

The server's own limits (`statement_timeout`, `lock_timeout`) do not help against a server that
cannot be heard, and those of TCP (`tcp_user_timeout`, keepalives) not against a proxy that still
takes what is sent. So the client has a limit, too.
"""

import math
import select
import threading
import time
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DisconnectionError

from nextpair.storage.errors import Unavailable

MARGIN = 0.5
"""Seconds more than the server's own limits, so that its own word for it comes first."""
PROBE_SECONDS = 2
"""How long an attempt to reach a silent server may take, which is also psycopg's least."""
PAUSE = 0.5
"""Seconds before a server that was silent is tried again."""
IDLE_SECONDS = 10.0
"""A connection that was not used for so long is asked whether it still lives."""
Answer = TypeVar("Answer")


class CircuitBreaker:
    """Refuses at once while a server is silent, except one attempt at a time that finds out."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self.is_open = False
        self._next = 0.0

    def check(self) -> None:
        """Raise if the server was silent a moment ago, unless it is time to try it again."""
        if not self.is_open:
            return
        with self._mutex:
            now = time.monotonic()
            if self.is_open and now < self._next:
                raise Unavailable("the database does not answer; nothing was changed, try again")
            self._next = now + PROBE_SECONDS + PAUSE

    def trip(self) -> None:
        """Note that the server is silent."""
        with self._mutex:
            self.is_open = True
            self._next = time.monotonic() + PAUSE

    def reset(self) -> None:
        """Note that the server answers."""
        if self.is_open:
            with self._mutex:
                self.is_open = False


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that waits only so long for the next word of the server."""

    silence: float = math.inf
    breaker: CircuitBreaker | None = None

    def wait(self, gen: Any, *given: Any, **named: Any) -> Any:
        """Wait for an answer; a connection on which none comes is closed."""
        try:
            answer = super().wait(_bounded(gen, self.silence), *given, **named)
        except _Silent:
            self.close()
            if self.breaker is not None:
                self.breaker.trip()
            raise psycopg.OperationalError("the server is silent") from None
        if self.breaker is not None:
            self.breaker.reset()
        return answer

    def is_alive(self, seconds: float) -> bool:
        """Say whether the server still answers here."""
        silence, breaker, autocommit = self.silence, self.breaker, self.autocommit
        # One dead connection says nothing about the server.
        self.silence, self.breaker = seconds, None
        try:
            self.autocommit = True
            self.execute("SELECT 1")
            self.autocommit = autocommit
        except psycopg.Error:
            return False
        finally:
            self.silence, self.breaker = silence, breaker
        return True


class _Silent(Exception):
    """The server has not said anything for too long."""


def _bounded(gen: Generator[Any, Any, Answer], seconds: float) -> Generator[Any, Any, Answer]:
    """Pass on what is waited for and what came, until nothing has come for so long."""
    until = time.monotonic() + seconds
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if ready:
                until = time.monotonic() + seconds
            elif time.monotonic() > until:
                raise _Silent
            wanted = gen.send(ready)
    except StopIteration as end:
        answer: Answer = end.value
        return answer


def postgresql_engine(
    url: URL, pool_size: int, busy_seconds: float, idle_seconds: float, breaker: CircuitBreaker
) -> Engine:
    """Make an engine whose connections give up what takes too long."""
    engine = create_engine(
        url,
        pool_size=pool_size,
        hide_parameters=True,
        max_overflow=pool_size,
        pool_timeout=busy_seconds,
        connect_args=_limits(busy_seconds, idle_seconds),
    )

    @event.listens_for(engine, "do_connect")
    def connect(_: Any, record: Any, words: Any, named: dict[str, Any]) -> BoundedConnection:
        return _connect(breaker, busy_seconds + MARGIN, *words, **named)

    @event.listens_for(engine, "checkin")
    def note(connection: Any, record: Any) -> None:
        record.info["idle_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def check(connection: BoundedConnection, record: Any, _: Any) -> None:
        idle = time.monotonic() - record.info.get("idle_since", math.inf)
        asked = idle > IDLE_SECONDS or _has_news(connection)
        if asked and not connection.is_alive(min(float(PROBE_SECONDS), busy_seconds / 3)):
            # The pool makes another one.
            raise DisconnectionError("the connection has died")

    return engine


def _connect(
    breaker: CircuitBreaker, silence: float, *words: Any, **named: Any
) -> BoundedConnection:
    if breaker.is_open:
        named["connect_timeout"] = PROBE_SECONDS
    try:
        made = BoundedConnection.connect(*words, **named)
    except psycopg.errors.ConnectionTimeout:
        breaker.trip()
        raise
    breaker.reset()
    made.silence, made.breaker = silence, breaker
    return made


def _has_news(connection: BoundedConnection) -> bool:
    """Say whether the server has said something unasked, which is mostly goodbye."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _limits(busy_seconds: float, idle_seconds: float) -> dict[str, Any]:
    wait, idle = round(busy_seconds * 1000), round(idle_seconds * 1000)
    # A machine that vanishes in the middle of a transaction must not keep its locks.
    session = {
        "lock_timeout": wait,
        "statement_timeout": wait,
        "idle_in_transaction_session_timeout": idle,
    }
    return {
        "connect_timeout": max(PROBE_SECONDS, round(busy_seconds * 2 / 3)),
        "keepalives": 1,
        "keepalives_idle": max(1, round(busy_seconds / 3)),
        "keepalives_interval": max(1, round(busy_seconds / 9)),
        "keepalives_count": 3,
        "tcp_user_timeout": wait,
        "options": " ".join(f"-c {name}={value}" for name, value in session.items()),
    }


def lift_timeouts(connection: Any) -> None:
    """Let this transaction's statements take as long as they need: those of a migration."""
    connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    driver: BoundedConnection = connection.connection.driver_connection
    driver.silence = math.inf
    # It is for this transaction only.
    connection.connection.invalidate(soft=True)
