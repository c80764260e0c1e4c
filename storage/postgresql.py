"""PostgreSQL: every wait has a timeout, also one for a server that has become unreachable.

The server's own timeouts (`statement_timeout`, `lock_timeout`) do not help where its replies are
lost, and those of TCP (`tcp_user_timeout`, keepalives) not where a proxy still acknowledges what is
sent. So the client has a timeout, too.
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
"""Seconds more than the server's own timeouts, so that its error message comes first."""
PROBE_SECONDS = 2
"""Connect timeout while the server is silent, which is also psycopg's minimum."""
PAUSE = 0.5
"""Seconds before a server that was silent is tried again."""
IDLE_SECONDS = 10.0
"""A connection that was idle for so long is probed before use."""
Answer = TypeVar("Answer")


class CircuitBreaker:
    """A circuit breaker: fails at once while the server is silent, but for one probe at a time."""

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
    """A connection with a client-side timeout: `silence` seconds without data from the server."""

    silence: float = math.inf
    breaker: CircuitBreaker | None = None

    def wait(self, gen: Any, *given: Any, **named: Any) -> Any:
        """Wait for a reply; on a timeout, close the connection and open the circuit."""
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
        """Say whether the server still replies on this connection."""
        silence, breaker, autocommit = self.silence, self.breaker, self.autocommit
        # One dead connection is no evidence that the server is silent.
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
    """No data has come from the server for too long."""


def _bounded(gen: Generator[Any, Any, Answer], seconds: float) -> Generator[Any, Any, Answer]:
    """Wrap a psycopg generator: raise once the connection was not ready for so many seconds."""
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
    """Make an engine whose connections have timeouts for every wait."""
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
        asked = idle > IDLE_SECONDS or _has_data(connection)
        if asked and not connection.is_alive(min(float(PROBE_SECONDS), busy_seconds / 3)):
            # The pool then makes another one.
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


def _has_data(connection: BoundedConnection) -> bool:
    """Say whether the server has sent data unasked, which mostly means that it has closed."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _limits(busy_seconds: float, idle_seconds: float) -> dict[str, Any]:
    wait, idle = round(busy_seconds * 1000), round(idle_seconds * 1000)
    # A client that vanishes within a transaction must not keep its locks.
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
    """Lift the timeouts for this transaction: for migrations."""
    connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    driver: BoundedConnection = connection.connection.driver_connection
    driver.silence = math.inf
    # For this transaction only: the pool replaces the connection afterwards.
    connection.connection.invalidate(soft=True)
