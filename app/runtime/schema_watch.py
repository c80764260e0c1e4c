"""Watches the database's schema revision: if another program changes it, writing stops."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from nextpair.selectors.errors import NextpairError
from nextpair.storage.database import Database
from nextpair.storage.schema_revisions import watch_schema

log = logging.getLogger("nextpair")

EVERY_SECONDS = 5.0
"""How often the revision is read: one statement per process, instead of one per request."""


@contextmanager
def schema_watched(database: Database) -> Iterator[None]:
    """Check the revision of a database periodically, in a thread of its own."""
    stop = threading.Event()
    thread = threading.Thread(target=_watch, args=(database, stop), name="schema", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(database.busy_seconds)


def _watch(database: Database, stop: threading.Event) -> None:
    while not stop.wait(EVERY_SECONDS):
        try:
            changed = watch_schema(database)
        except NextpairError as error:
            # Requests get the same error; the revision is read again next time.
            log.warning("database: %s", error)
            continue
        if changed and database.outdated:
            log.error("nothing is written any more: %s", database.outdated)
        elif changed:
            log.warning("the database has the tables of this program again: it is written to")
