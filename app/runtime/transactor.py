"""Optimistic concurrency: a decision commits by compare-and-swap, or else under a row lock.

The projection in this process is mostly up to date. So a decision is made on it first, and its
write is a compare-and-swap on the topic's version. This saves the statement that takes the lock,
and other processes wait for the topic only while it is being written. Every other outcome (an
error, or nothing to change) could come from a stale projection. Then the decision is made again
with the topic's row locked, on a projection that has caught up.
"""

import time
from typing import Protocol

from nextpair.app.errors import UnknownTopic
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.topic_cache import Slot, TopicCache
from nextpair.app.runtime.unit_of_work import (
    Decision,
    Result,
    UnitOfWork,
    commit_in_single_statement,
    decide_without_lock,
    fits_single_statement,
    try_optimistically,
    write,
)
from nextpair.storage import topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import Locked, Unavailable
from nextpair.storage.rows import TopicHead
from nextpair.storage.single_statement import ConcurrentDelta

LOCK_SECONDS = 0.2
"""How long readers are kept from a topic while its writer waits for the lock on the SQLite file."""
TRIES = 4
"""How often a single-statement commit is tried, each time after applying the changes of others."""


class CatchUp(Protocol):
    """Brings the projection of a topic to the newest version."""

    def __call__(
        self, connection: Connection, slot: Slot, topic_id: int, head: TopicHead
    ) -> TopicProjection:
        """Read what has happened since the projection's version, and apply it."""


class Transactor:
    """Commits decisions on topics to the database, and then applies them to the projections.

    Order of locks, which prevents deadlocks: first the lock of the topic's slot in this process,
    then the write lock (SQLite) or the topic's row (PostgreSQL), then a worker's row.
    """

    def __init__(self, database: Database, topics: TopicCache, catch_up: CatchUp) -> None:
        self._database = database
        self._topics = topics
        self._catch_up = catch_up

    def transact(self, topic_id: int, decide: Decision[Result]) -> Result:
        """Make a decision on a topic and commit it; return its result after the commit."""
        deadline = time.monotonic() + self._database.busy_seconds
        while True:
            try:
                return self._transact(topic_id, decide)
            except Locked as error:
                if time.monotonic() > deadline:
                    raise Unavailable(str(error)) from error
            # Another program may hold the file's lock for long. Wait for it without the slot's
            # lock, so that the topic can be read meanwhile.
            with self._database.write():
                pass

    def _transact(self, topic_id: int, decide: Decision[Result]) -> Result:
        with self._topics.hold(topic_id) as slot:
            work = self._commit_in_single_statement(slot, decide)
            if work is None:
                with self._database.write(wait=LOCK_SECONDS) as connection:
                    work = self._write_optimistically(connection, slot, decide)
                    if work is None:
                        work = self._write_locked(connection, slot, topic_id, decide)
            if work.delta is not None and slot.projection is not None:
                with slot.invalidated_on_error():
                    slot.projection.apply(work.delta)
        return work.result

    def _commit_in_single_statement(
        self, slot: Slot, decide: Decision[Result]
    ) -> UnitOfWork[Result] | None:
        """Decide and commit with one statement, where each statement is a network round trip."""
        if self._database.is_sqlite or slot.projection is None:
            return None
        with self._database.autocommit() as connection:
            for _ in range(TRIES):
                work = decide_without_lock(connection, slot.projection, decide)
                if work is None or not fits_single_statement(work):
                    return None
                concurrent = commit_in_single_statement(connection, slot.projection, work)
                if concurrent is None:
                    return work
                delta = _delta_of(concurrent, slot.projection)
                if delta is None:
                    return None
                with slot.invalidated_on_error():
                    slot.projection.apply(delta)
        return None

    def _write_optimistically(
        self, connection: Connection, slot: Slot, decide: Decision[Result]
    ) -> UnitOfWork[Result] | None:
        """Decide on the projection as it is.

        On PostgreSQL the single statement has tried that already: the projection is likely stale.
        """
        if not self._database.is_sqlite or slot.projection is None:
            return None
        return try_optimistically(connection, slot.projection, decide)

    def _write_locked(
        self, connection: Connection, slot: Slot, topic_id: int, decide: Decision[Result]
    ) -> UnitOfWork[Result]:
        """Lock the topic's row, catch up, then decide and write."""
        head = topics.lock_topic(connection, topic_id)
        if head is None:
            raise UnknownTopic()
        projection = self._catch_up(connection, slot, topic_id, head)
        work = decide(connection, projection, True)
        assert work is not None, "a decision under the lock must not be put off"
        if work.delta is not None and not write(connection, projection, work):
            # The topic's row is locked, so only a concurrent change of the study can cause this.
            raise Unavailable("the study is being changed; try again")
        return work


def _delta_of(concurrent: ConcurrentDelta, projection: TopicProjection) -> TopicDelta | None:
    """Return what others have changed as a delta; None if it is not complete."""
    if concurrent.head.golds != len(projection.golds):
        return None
    purposes = projection.folded_purposes
    records = [record for record in concurrent.records if record[-1] in purposes]
    retracted = (number for number, purpose in concurrent.retracted if purpose in purposes)
    return TopicDelta(concurrent.head, concurrent.changed, records, frozenset(retracted))
