"""What a driver's error means: busy, full, read-only, or already there."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from nextpair.storage.errors import AlreadyThere, ReadOnly, StorageFull, Unavailable

FULL, READ_ONLY = "53100", "25006"
"""PostgreSQL's codes for a full disk, and for a server or session that may only read."""
LOST = "the connection to the database was lost, perhaps after it had written: send it again"
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DISK = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""SQLite's codes for a disk that did not do as it was told, for whatever reason."""


@contextmanager
def translated_errors(file: Path | None, busy: type[Unavailable]) -> Iterator[None]:
    """Let no error of a driver out: its message may hold what a person wrote.

    Parameters
    ----------
    file
        That of a SQLite database.
    busy
        What a lock becomes that others hold.
    """
    try:
        yield
    except PoolTimeout as error:
        raise Unavailable("every connection to the database is in use; try again") from error
    except IntegrityError as error:
        raise AlreadyThere() from error
    except DBAPIError as error:
        kind = _kind_of(error, file, busy)
        if kind is None:
            raise
        if kind is Unavailable and error.connection_invalidated:
            # It may have been lost between the commit and its answer.
            raise Unavailable(LOST) from error
        raise kind() from error


def _kind_of(
    error: DBAPIError, file: Path | None, busy: type[Unavailable]
) -> type[Unavailable] | None:
    """Say what is the matter with a database; none if it is with what it was asked."""
    state = getattr(error.orig, "sqlstate", None)
    # The lowest byte is the error, the others are its particulars.
    code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
    if state == FULL or code == sqlite3.SQLITE_FULL:
        return StorageFull
    if state == READ_ONLY or code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return ReadOnly
    if code in _LOCKED:
        return busy
    if code in _DISK and file is not None:
        return _state_of_disk(file)
    broken = isinstance(error, (OperationalError, InterfaceError)) or error.connection_invalidated
    return Unavailable if broken else None


def _state_of_disk(file: Path) -> type[Unavailable]:
    """Say why a disk may not do as it is told."""
    with suppress(OSError):
        found = os.statvfs(file.parent)
        if found.f_flag & os.ST_RDONLY:
            return ReadOnly
        if not found.f_bavail:
            return StorageFull
    return Unavailable
