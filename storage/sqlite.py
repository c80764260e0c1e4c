"""SQLite: a file that only its owner can read, one writer at a time, and waits that end."""

import os
import sqlite3
import stat
import threading
import time
from collections import deque
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
MOST_PASSED = 16
"""How many turns others have before an upload that waits has one."""
CHECKPOINT_PAGES = 4000
"""Pages of the write-ahead log from which on a commit has to copy them into the file itself."""


class WriterQueue:
    """The threads of one process that wait for the one write lock of a SQLite file.

    They queue here, since SQLite itself would make them sleep and try again. Turns are handed on in
    the order in which they were asked for: a thread that takes one again and again keeps nobody
    out. An upload, which takes hundreds, waits behind everyone else, but not for ever.

    A lock that another program keeps must not cost this process all of its threads: once the lock
    has been waited for for a second, only some of them go on waiting.

    Parameters
    ----------
    most_waiting
        How many threads may wait for a lock that another program keeps.
    """

    def __init__(self, most_waiting: int) -> None:
        self._most_waiting = most_waiting
        self._mutex = threading.Lock()
        self._is_taken = False
        self._waiters: deque[threading.Lock] = deque()
        self._uploads: deque[threading.Lock] = deque()
        self._passed = 0
        self._waiting = 0
        self._refused_since: float | None = None

    @contextmanager
    def turn(self, seconds: float, *, upload: bool = False) -> Iterator[float]:
        """Have the only writing turn of this process; yield until when to wait for the file.

        Parameters
        ----------
        upload
            Whether it is one of the many turns of an upload: those who wait, too, go first.
        """
        until = time.monotonic() + seconds
        with self._counted():
            self._take(until, self._uploads if upload else self._waiters)
        try:
            yield until
        finally:
            self._hand_on()

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

    def _take(self, until: float, queue: deque[threading.Lock]) -> None:
        with self._mutex:
            if not self._is_taken:
                self._is_taken = True
                return
            # It is released by whoever hands on the turn.
            gate = threading.Lock()
            gate.acquire()
            queue.append(gate)
        try:
            self._wait(gate, until)
        except BaseException:
            self._leave(gate, queue)
            raise

    def _leave(self, gate: threading.Lock, queue: deque[threading.Lock]) -> None:
        with self._mutex:
            is_waiting = gate in queue
            if is_waiting:
                queue.remove(gate)
        if not is_waiting:
            # The turn came in the very moment in which it was given up.
            self._hand_on()

    def _hand_on(self) -> None:
        with self._mutex:
            gate = self._next()
            self._is_taken = gate is not None
            if gate is not None:
                gate.release()

    def _next(self) -> "threading.Lock | None":
        if self._uploads and (not self._waiters or self._passed >= MOST_PASSED):
            self._passed = 0
            return self._uploads.popleft()
        self._passed += bool(self._uploads)
        return self._waiters.popleft() if self._waiters else None

    def _wait(self, gate: threading.Lock, until: float) -> None:
        # At least one attempt: the time may have passed on the way here.
        while not gate.acquire(timeout=max(0.0, min(SLICE_SECONDS, self._left(until)))):
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
    # Uploads copy what they wrote themselves, and mostly in time: nobody else's commit has to.
    connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")


def _wait_for_locks(connection: sqlite3.Connection, seconds: float) -> None:
    connection.execute(f"PRAGMA busy_timeout={max(0, round(seconds * 1000))}")


def checkpoint(connection: Connection) -> None:
    """Copy what is in the write-ahead log into the file, while others read and write.

    What cannot be copied now, on a full disk for one, stays in the log, and is not lost.
    """
    # Past SQLAlchemy, which would begin a transaction.
    driver: Any = connection.connection.driver_connection
    with suppress(sqlite3.Error):
        driver.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


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
