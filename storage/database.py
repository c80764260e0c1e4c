"""One database: SQLite on a laptop, PostgreSQL when many processes or machines serve."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from nextpair.selectors.errors import BadOption
from nextpair.storage.clock import TIME_SOURCE
from nextpair.storage.driver_errors import translated_errors
from nextpair.storage.errors import Locked, Unavailable, WrongSchema
from nextpair.storage.postgresql import CircuitBreaker, lift_timeouts, postgresql_engine
from nextpair.storage.sqlite import WAIT, WriterQueue, checkpoint, sqlite_engine

__all__ = ["Connection", "Database"]

LONGEST_REST = 0.05
"""Seconds for which an upload leaves the database to others, at most, after each transaction."""


class Database:
    """Hands out transactions, and nothing else.

    A write on SQLite takes the database's one write lock at its beginning, so that it never has to
    be given up half-way.

    Every wait has an end, so whoever begins a transaction is told within `busy_seconds`, and a
    little, that the database is busy or silent. Nobody may begin one on an event loop.

    Parameters
    ----------
    busy_seconds
        How long to wait for what others have locked, and for a server that says nothing.
    idle_seconds
        How long a transaction on PostgreSQL may do nothing before it loses its locks: not little,
        since on a busy machine its process may get no turn.
    most_waiting
        How many threads may wait for a lock that another program keeps on a SQLite file.

    Attributes
    ----------
    clock
        In place of the database's own clock, for tests that move time.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 10,
        busy_seconds: float = 30.0,
        idle_seconds: float = 30.0,
        most_waiting: int = 1000,
    ) -> None:
        self.url = _parse(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.busy_seconds = busy_seconds
        self.outdated = ""
        """Why nothing may be written any more: the tables are not those this program knows."""
        self._queue = WriterQueue(most_waiting)
        self._breaker = CircuitBreaker()
        self._engine = (
            sqlite_engine(self.url, pool_size, busy_seconds, self._queue)
            if self.is_sqlite
            else postgresql_engine(self.url, pool_size, busy_seconds, idle_seconds, self._breaker)
        )
        self.clock: Callable[[], float] | None = None

    @contextmanager
    def write(self, *, wait: float | None = None) -> Iterator[Connection]:
        """Begin a transaction that changes something; it is committed when the block ends well.

        Parameters
        ----------
        wait
            How many seconds to wait for others who write to a SQLite file before Locked is raised;
            otherwise Unavailable is raised, after `busy_seconds`.
        """
        self._check()
        try:
            with self._begin(self.busy_seconds if wait is None else wait) as connection:
                yield connection
        except Locked as error:
            if wait is not None:
                raise
            raise Unavailable(str(error)) from error

    @contextmanager
    def write_part(self) -> Iterator[Connection]:
        """Begin one of the many small transactions of an upload: all others go first.

        Afterwards it leaves the database to others for as long as it had it: other processes are
        not in the queue of this one, and look only now and then whether a SQLite file is free.
        """
        self._check()
        try:
            with self._begin(self.busy_seconds, upload=True) as connection:
                began = time.monotonic()
                yield connection
        except Locked as error:
            raise Unavailable(str(error)) from error
        took = time.monotonic() - began
        if self.is_sqlite:
            with self._connect() as connection:
                checkpoint(connection)
        time.sleep(min(took, LONGEST_REST))

    @contextmanager
    def _begin(self, seconds: float, *, upload: bool = False) -> Iterator[Connection]:
        if not self.is_sqlite:
            with self._connect() as connection, connection.begin():
                connection.execution_options(**{TIME_SOURCE: self.clock})
                yield connection
            return
        turn = self._queue.turn(seconds, upload=upload)
        with turn as until, self._connect(Locked) as connection:
            connection.execution_options(**{WAIT: until, TIME_SOURCE: self.clock})
            with connection.begin():
                yield connection

    @contextmanager
    def _connect(self, busy: type[Unavailable] = Unavailable) -> Iterator[Connection]:
        file = Path(self.url.database or "") if self.is_sqlite else None
        with translated_errors(file, busy), self._engine.connect() as connection:
            yield connection

    def _check(self) -> None:
        self._breaker.check()
        if self.outdated:
            raise WrongSchema(self.outdated)

    @contextmanager
    def autocommit(self) -> Iterator[Connection]:
        """Give a connection on which each statement is a transaction by itself."""
        self._check()
        with self._connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def read_one_statement(self) -> Iterator[Connection]:
        """Give a connection to read with one statement: no journeys to begin and end."""
        if self.is_sqlite:
            with self.read() as connection:
                yield connection
            return
        self._breaker.check()
        with self._connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Begin a transaction that only reads, and sees everything as of one moment."""
        self._breaker.check()
        with self._connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def lift_timeouts(self, connection: Connection) -> None:
        """Let a transaction take as long as it needs: a migration does not hold up requests."""
        if not self.is_sqlite:
            lift_timeouts(connection)

    def ping(self) -> None:
        """Raise Unavailable if the database does not answer."""
        with self.read() as connection:
            connection.execute(text("SELECT 1"))

    def close(self) -> None:
        """Give back every connection."""
        self._engine.dispose()


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        # The message must not repeat the address: it may hold a password.
        raise BadOption("a database is sqlite:///FILE or postgresql://USER@HOST/NAME") from None
    backend = parsed.get_backend_name()
    if backend == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise BadOption("a database in memory would lose every judgment: give sqlite:///FILE")
    if backend not in ("sqlite", "postgresql", "postgres"):
        raise BadOption(f"a database is sqlite:///… or postgresql://…, not {backend}://…")
    return parsed if backend == "sqlite" else parsed.set(drivername="postgresql+psycopg")
