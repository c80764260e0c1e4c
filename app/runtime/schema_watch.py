"""Notices when another program changes the database's tables: then nothing is written any more."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from nextpair.selectors.errors import NextpairError
from nextpair.storage.database import Database
from nextpair.storage.migrating import watch_schema

log = logging.getLogger("nextpair")

EVERY_SECONDS = 5.0
"""How often it is looked: one statement per process, and none for any request."""


@contextmanager
def schema_watched(database: Database) -> Iterator[None]:
    """Look at the revision of a database again and again, in a thread of its own."""
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
            # Requests are told, too; and what is there now is looked at the next time.
            log.warning("database: %s", error)
            continue
        if changed and database.outdated:
            log.error("nothing is written any more: %s", database.outdated)
        elif changed:
            log.warning("the database has the tables of this program again: it is written to")
