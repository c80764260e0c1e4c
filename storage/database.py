"""One database: SQLite on a laptop, PostgreSQL when many processes or machines serve."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from nextpair.selectors.errors import BadOption
from nextpair.storage.clock import TIME_SOURCE
from nextpair.storage.errors import AlreadyThere, Unavailable

__all__ = ["Connection", "Database"]

_WRITE = {"nextpair_write": True}


class Database:
    """Hands out transactions, and nothing else.

    A write on SQLite takes the database's one write lock at its beginning, so that it never has to
    be given up half-way; threads of one process queue for it here, since SQLite itself would make
    them sleep and try again.

    Parameters
    ----------
    busy_seconds
        How long to wait for what others have locked.
    idle_seconds
        How long a transaction on PostgreSQL may do nothing before it loses its locks: not little,
        since on a busy machine its process may get no turn.
    alone
        Only one thread uses it, which then keeps one connection for what it does at once.

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
        alone: bool = False,
    ) -> None:
        self.url = _parse(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._engine = (
            _sqlite_engine(self.url, pool_size, busy_seconds)
            if self.is_sqlite
            else _postgresql_engine(self.url, pool_size, busy_seconds, idle_seconds)
        )
        self._writer = threading.Lock() if self.is_sqlite else None
        self.clock: Callable[[], float] | None = None
        self._alone = alone
        self._kept: Connection | None = None

    @contextmanager
    def write(self, *, patient: bool = True) -> Iterator[Connection]:
        """Begin a transaction that changes something; it is committed when the block ends well.

        Parameters
        ----------
        patient
            Whether to wait for other threads of this process that write to SQLite; otherwise
            Unavailable is raised if there are any.
        """
        with self._turn(patient), _translated(), self._engine.connect() as connection:
            connection.execution_options(**_WRITE, **{TIME_SOURCE: self.clock})
            with connection.begin():
                yield connection

    @contextmanager
    def _turn(self, patient: bool) -> Iterator[None]:
        if self._writer is None:
            yield
            return
        if not self._writer.acquire(blocking=patient):
            raise Unavailable()
        try:
            yield
        finally:
            self._writer.release()

    @contextmanager
    def at_once(self) -> Iterator[Connection]:
        """Give a connection on which each statement is a transaction by itself."""
        with _translated():
            connection, self._kept = self._kept or self._connect_at_once(), None
            try:
                yield connection
            except BaseException:
                # Whatever went wrong, it may have been the connection.
                connection.close()
                raise
            if self._alone:
                self._kept = connection
            else:
                connection.close()

    def _connect_at_once(self) -> Connection:
        return self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Begin a transaction that only reads, and sees everything as of one moment."""
        with _translated(), self._engine.connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def ping(self) -> None:
        """Raise Unavailable if the database does not answer."""
        with self.read() as connection:
            connection.execute(text("SELECT 1"))

    def close(self) -> None:
        """Give back every connection."""
        if self._kept is not None:
            self._kept.close()
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


def _sqlite_engine(url: URL, pool_size: int, busy_seconds: float) -> Engine:
    engine = create_engine(
        url,
        pool_size=pool_size,
        hide_parameters=True,
        max_overflow=-1,
        # Transactions are begun below: the driver would begin them too late to lock.
        connect_args={"isolation_level": None, "timeout": busy_seconds},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        # FULL: a judgment that was acknowledged survives a power cut, not only a crash.
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("nextpair_write")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _postgresql_engine(
    url: URL, pool_size: int, busy_seconds: float, idle_seconds: float
) -> Engine:
    wait, idle = round(busy_seconds * 1000), round(idle_seconds * 1000)
    return create_engine(
        url,
        pool_size=pool_size,
        hide_parameters=True,
        max_overflow=pool_size,
        pool_timeout=busy_seconds,
        connect_args={
            "connect_timeout": 10,
            # A machine that vanishes in the middle of a transaction must not keep its locks.
            "options": f"-c lock_timeout={wait} -c idle_in_transaction_session_timeout={idle}",
        },
    )


@contextmanager
def _translated() -> Iterator[None]:
    """Let no error of a driver out: its message may hold what a person wrote."""
    try:
        yield
    except PoolTimeout as error:
        raise Unavailable("every connection to the database is in use; try again") from error
    except IntegrityError as error:
        raise AlreadyThere() from error
    except (OperationalError, InterfaceError) as error:
        raise Unavailable() from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise Unavailable() from error
        raise
