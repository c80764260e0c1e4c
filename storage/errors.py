"""What can go wrong in the memory.

StorageError
├── Unavailable       the database cannot be reached, or is busy for too long
├── AlreadyThere      someone else has just stored the same
└── WrongSchema       the database is not at this program's revision
"""

from nextpair.selectors.errors import NextpairError


class StorageError(NextpairError):
    """The database cannot do this."""


class Unavailable(StorageError):
    """The database cannot be reached, or is busy; nothing was changed, try again."""


class AlreadyThere(StorageError):
    """Someone else has just stored something of this name; nothing was changed, try again."""


class WrongSchema(StorageError):
    """The database is not at the revision this program needs: run `nextpair serve`, or migrate."""
