"""Translates errors of database drivers: busy, full, read-only, or a duplicate."""

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
"""SQLite's codes for I/O errors of any cause."""


@contextmanager
def translated_errors(file: Path | None, busy: type[Unavailable]) -> Iterator[None]:
    """Translate the errors of a driver, whose messages may contain what a person wrote.

    Parameters
    ----------
    file
        The file of a SQLite database.
    busy
        The error to raise where others hold the lock.
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
            # It may have been lost after the commit, before the reply.
            raise Unavailable(LOST) from error
        raise kind() from error


def _kind_of(
    error: DBAPIError, file: Path | None, busy: type[Unavailable]
) -> type[Unavailable] | None:
    """Return the error that describes the database's state; None if the statement was wrong."""
    state = getattr(error.orig, "sqlstate", None)
    # The lowest byte is the primary code, the others make the extended one.
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
    """Return the likely cause of an I/O error."""
    with suppress(OSError):
        found = os.statvfs(file.parent)
        if found.f_flag & os.ST_RDONLY:
            return ReadOnly
        if not found.f_bavail:
            return StorageFull
    return Unavailable
