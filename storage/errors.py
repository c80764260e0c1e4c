"""The errors of storage.

StorageError
├── Unavailable       the database cannot be reached, or is busy for too long
│   ├── Locked        another program holds the write lock; raised to callers that try again
│   ├── StorageFull   the disk of the database is full
│   └── ReadOnly      the database can be read, but not written to
├── AlreadyThere      another transaction has just inserted the same
└── WrongSchema       the database is not at this program's revision
"""

from nextpair.selectors.errors import NextpairError


class StorageError(NextpairError):
    """The database cannot do this."""

    code = "storage-error"


class Unavailable(StorageError):
    """The database cannot be reached, or is busy; nothing was changed, try again."""

    code = "unavailable"


class Locked(Unavailable):
    """Another program holds the database's write lock; nothing was changed, try again."""

    code = "locked"


class StorageFull(Unavailable):
    """The disk of the database is full: nothing was changed; free some space, then try again."""

    code = "storage-full"


class ReadOnly(Unavailable):
    """The database is read-only: make its file and folder, or its server, writable again."""

    code = "read-only"


class AlreadyThere(StorageError):
    """Someone else has just stored something of this name; nothing was changed, try again."""

    code = "already-there"


class WrongSchema(StorageError):
    """The database is not at the revision this program needs: run `nextpair serve`, or migrate."""

    code = "wrong-schema"
