"""Whoever serves removes what uploads have left behind whose process was killed."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from nextpair.app.provisioning.staging import sweep
from nextpair.selectors.errors import NextpairError
from nextpair.storage.database import Database

EVERY_SECONDS = 60.0
log = logging.getLogger("nextpair")


@contextmanager
def uploads_swept(database: Database) -> Iterator[None]:
    """Look for such uploads again and again, in a thread of its own."""
    stop = threading.Event()
    thread = threading.Thread(target=_sweep, args=(database, stop), name="sweep", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(database.busy_seconds)


def _sweep(database: Database, stop: threading.Event) -> None:
    while not stop.wait(EVERY_SECONDS):
        try:
            sweep(database, stop.is_set)
        except NextpairError as error:
            # What is left now is left the next time.
            log.warning("unfinished uploads: %s", error)
