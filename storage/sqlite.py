"""SQLite: a file that only its owner can read, one writer at a time, and waits that end."""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL

from nextpair.storage.errors import Locked, Unavailable

WAIT = "nextpair_wait"
"""The execution option of a transaction that writes: how many seconds to wait for the lock."""
SLICE_SECONDS = 0.1
"""How often a thread that waits for its turn looks whether it should go on waiting."""
BLOCKED_SECONDS = 1.0
"""After how long a lock that others hold is not just a short transaction of theirs."""


class WriterQueue:
    """The threads of one process that wait for the one write lock of a SQLite file.

    They queue here, since SQLite itself would make them sleep and try again. A lock that another
    program keeps must not cost this process all of its threads: once the lock has been waited for
    for a second, only some of them go on waiting.

    Parameters
    ----------
    most_waiting
        How many threads may wait for a lock that another program keeps.
    """

    def __init__(self, most_waiting: int) -> None:
        self._most_waiting = most_waiting
        self._turn = threading.Lock()
        self._mutex = threading.Lock()
        self._waiting = 0
        self._refused_since: float | None = None

    @contextmanager
    def turn(self, seconds: float) -> Iterator[float]:
        """Have the only writing turn of this process; yield until when to wait for the file."""
        until = time.monotonic() + seconds
        with self._counted():
            self._wait(until)
        try:
            yield until
        finally:
            self._turn.release()

    @contextmanager
    def locking(self) -> Iterator[None]:
        """Note since when the file's lock has been waited for, until it is had."""
        if self._refused_since is None:
            self._refused_since = time.monotonic()
        with self._counted():
            yield
        self._refused_since = None

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._mutex:
            self._waiting += 1
        try:
            yield
        finally:
            with self._mutex:
                self._waiting -= 1

    def _wait(self, until: float) -> None:
        # At least one attempt: the time may have passed on the way here.
        while not self._turn.acquire(timeout=max(0.0, min(SLICE_SECONDS, self._left(until)))):
            if self._is_crowded():
                raise Unavailable("too many wait for the database already; try again")
            if self._left(until) <= 0:
                raise Locked()

    def _left(self, until: float) -> float:
        return until - time.monotonic()

    def _is_crowded(self) -> bool:
        since = self._refused_since
        blocked = since is not None and time.monotonic() - since > BLOCKED_SECONDS
        return blocked and self._waiting > self._most_waiting


def sqlite_engine(url: URL, pool_size: int, busy_seconds: float, queue: WriterQueue) -> Engine:
    """Make an engine whose transactions lock the file from their beginning if they write."""
    engine = create_engine(
        url,
        pool_size=pool_size,
        hide_parameters=True,
        max_overflow=-1,
        # Transactions are begun below: the driver would begin them too late to lock.
        connect_args={"isolation_level": None, "timeout": busy_seconds},
    )
    event.listen(engine, "do_connect", lambda *_: _make_private(url))
    event.listen(engine, "connect", _prepare)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        until = connection.get_execution_options().get(WAIT)
        if until is None:
            connection.exec_driver_sql("BEGIN")
            return
        driver: Any = connection.connection.driver_connection
        _wait_for_locks(driver, until - time.monotonic())
        try:
            with queue.locking():
                connection.exec_driver_sql("BEGIN IMMEDIATE")
        finally:
            _wait_for_locks(driver, busy_seconds)

    return engine


def _prepare(connection: sqlite3.Connection, _: Any) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    # FULL: a judgment that was acknowledged survives a power cut, not only a crash.
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _wait_for_locks(connection: sqlite3.Connection, seconds: float) -> None:
    connection.execute(f"PRAGMA busy_timeout={max(0, round(seconds * 1000))}")


def _make_private(url: URL) -> None:
    """Let nobody but its owner read the database: it holds the secret that signs tokens.

    A file that is not there yet is made before SQLite does it with whatever umask there is; its
    log and index, which SQLite makes, take its mode. It is never opened here once it is there: to
    close a file gives up every lock that this process has on it.
    """
    name = url.database or ""
    if name.startswith("file:"):
        return
    # What cannot be made or changed here, SQLite has an error for.
    with suppress(OSError):
        os.close(os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    for part in (name, f"{name}-wal", f"{name}-shm"):
        with suppress(OSError):
            found = os.stat(part)
            if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o077:
                os.chmod(part, 0o600)
