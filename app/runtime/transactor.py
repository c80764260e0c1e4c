"""Unit of work: one act changes one topic, by compare-and-swap where it can, else under its lock.

What this process remembers of a topic is mostly still true, so the act decides from that first, and
the write itself finds out whether it was: one statement less, and others wait for the topic only
while it is written to. Any other end than a change that was written, an error for one, could come
from what is old; then the act decides again, under the lock.
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
"""How long a topic is kept from its readers while its writer waits for a lock on the file."""
TRIES = 4
"""How often a change is tried without the topic's lock, each time on what others have done."""


class CatchUp(Protocol):
    """Brings a topic in memory to its newest version."""

    def __call__(
        self, connection: Connection, slot: Slot, topic_id: int, head: TopicHead
    ) -> TopicProjection:
        """Bring it there."""


class Transactor:
    """Changes topics in the database, and then in memory."""

    def __init__(self, database: Database, topics: TopicCache, catch_up: CatchUp) -> None:
        self._database = database
        self._topics = topics
        self._catch_up = catch_up

    def transact(self, topic_id: int, decide: Decision[Result]) -> Result:
        """Let an act change a topic, or find that there is nothing to change."""
        until = time.monotonic() + self._database.busy_seconds
        while True:
            try:
                return self._transact(topic_id, decide)
            except Locked as error:
                if time.monotonic() > until:
                    raise Unavailable(str(error)) from error
            # Whoever has the file may keep it for long: meanwhile the topic can be read.
            with self._database.write():
                pass

    def _transact(self, topic_id: int, decide: Decision[Result]) -> Result:
        with self._topics.hold(topic_id) as slot:
            step = self._commit_in_single_statement(slot, decide)
            if step is None:
                with self._database.write(wait=LOCK_SECONDS) as connection:
                    step = self._commit_optimistically(connection, slot, decide)
                    if step is None:
                        step = self._commit_locked(connection, slot, topic_id, decide)
            if step.delta is not None and slot.projection is not None:
                with slot.invalidated_on_error():
                    slot.projection.apply(step.delta)
        return step.result

    def _commit_in_single_statement(
        self, slot: Slot, decide: Decision[Result]
    ) -> UnitOfWork[Result] | None:
        """Act in a single statement, where statements are journeys."""
        if self._database.is_sqlite or slot.projection is None:
            return None
        with self._database.autocommit() as connection:
            for _ in range(TRIES):
                step = decide_without_lock(connection, slot.projection, decide)
                if step is None or not fits_single_statement(step):
                    return None
                told = commit_in_single_statement(connection, slot.projection, step)
                if told is None:
                    return step
                change = _change_of(told, slot.projection)
                if change is None:
                    return None
                with slot.invalidated_on_error():
                    slot.projection.apply(change)
        return None

    def _commit_optimistically(
        self, connection: Connection, slot: Slot, decide: Decision[Result]
    ) -> UnitOfWork[Result] | None:
        """Act on what is remembered; where that was tried at once already, it is likely old."""
        if not self._database.is_sqlite or slot.projection is None:
            return None
        return try_optimistically(connection, slot.projection, decide)

    def _commit_locked(
        self, connection: Connection, slot: Slot, topic_id: int, decide: Decision[Result]
    ) -> UnitOfWork[Result]:
        head = topics.lock_topic(connection, topic_id)
        if head is None:
            raise UnknownTopic()
        projection = self._catch_up(connection, slot, topic_id, head)
        step = decide(connection, projection, True)
        assert step is not None, "an act that has the lock decides"
        if step.delta is not None and not write(connection, projection, step):
            # Only a study that was changed in this very moment can do that.
            raise Unavailable("the study is being changed; try again")
        return step


def _change_of(told: ConcurrentDelta, projection: TopicProjection) -> TopicDelta | None:
    """Return what others have done to a topic in memory; None if there is more to be read."""
    if told.head.golds != len(projection.golds):
        return None
    votes = [vote for vote in told.records if vote[-1] in projection.folded_purposes]
    retracted = (
        number for number, purpose in told.retracted if purpose in projection.folded_purposes
    )
    return TopicDelta(told.head, told.changed, votes, frozenset(retracted))
