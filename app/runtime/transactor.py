"""Unit of work: one act changes one topic, by compare-and-swap where it can, else under its lock.

What this process remembers of a topic is mostly still true, so the act decides from that first, and
the write itself finds out whether it was: one statement less, and others wait for the topic only
while it is written to. Any other end than a change that was written, an error for one, could come
from what is old; then the act decides again, under the lock.
"""

import time
from typing import Protocol

from nextpair.app.errors import UnknownTopic
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.topic_cache import Slot, TopicCache
from nextpair.app.runtime.unit_of_work import (
    Act,
    Result,
    Step,
    attempt,
    decide,
    is_simple,
    write,
    write_at_once,
)
from nextpair.storage import topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import Locked, Unavailable
from nextpair.storage.rows import TopicHead
from nextpair.storage.single_statement import News

LOCK_SECONDS = 0.2
"""How long a topic is kept from its readers while its writer waits for a lock on the file."""
TRIES = 4
"""How often a change is tried without the topic's lock, each time on what others have done."""


class CatchUp(Protocol):
    """Brings a topic in memory to its newest version."""

    def __call__(
        self, connection: Connection, slot: Slot, topic_id: int, head: TopicHead
    ) -> LiveTopic:
        """Bring it there."""


class Transactor:
    """Changes topics in the database, and then in memory."""

    def __init__(self, database: Database, topics: TopicCache, catch_up: CatchUp) -> None:
        self._database = database
        self._topics = topics
        self._catch_up = catch_up

    def change(self, topic_id: int, act: Act[Result]) -> Result:
        """Let an act change a topic, or find that there is nothing to change."""
        until = time.monotonic() + self._database.busy_seconds
        while True:
            try:
                return self._change(topic_id, act)
            except Locked as error:
                if time.monotonic() > until:
                    raise Unavailable(str(error)) from error
            # Whoever has the file may keep it for long: meanwhile the topic can be read.
            with self._database.write():
                pass

    def _change(self, topic_id: int, act: Act[Result]) -> Result:
        with self._topics.hold(topic_id) as slot:
            step = self._act_at_once(slot, act)
            if step is None:
                with self._database.write(wait=LOCK_SECONDS) as connection:
                    step = self._act_unlocked(connection, slot, act)
                    if step is None:
                        step = self._act_locked(connection, slot, topic_id, act)
            if step.change is not None and slot.live is not None:
                with slot.moving():
                    slot.live.apply(step.change)
        return step.result

    def _act_at_once(self, slot: Slot, act: Act[Result]) -> Step[Result] | None:
        """Act in a single statement, where statements are journeys."""
        if self._database.is_sqlite or slot.live is None:
            return None
        with self._database.at_once() as connection:
            for _ in range(TRIES):
                step = decide(connection, slot.live, act)
                if step is None or not is_simple(step):
                    return None
                told = write_at_once(connection, slot.live, step)
                if told is None:
                    return step
                change = _change_of(told, slot.live)
                if change is None:
                    return None
                with slot.moving():
                    slot.live.apply(change)
        return None

    def _act_unlocked(
        self, connection: Connection, slot: Slot, act: Act[Result]
    ) -> Step[Result] | None:
        """Act on what is remembered; where that was tried at once already, it is likely old."""
        if not self._database.is_sqlite or slot.live is None:
            return None
        return attempt(connection, slot.live, act)

    def _act_locked(
        self, connection: Connection, slot: Slot, topic_id: int, act: Act[Result]
    ) -> Step[Result]:
        head = topics.lock_topic(connection, topic_id)
        if head is None:
            raise UnknownTopic()
        live = self._catch_up(connection, slot, topic_id, head)
        step = act(connection, live, True)
        assert step is not None, "an act that has the lock decides"
        if step.change is not None and not write(connection, live, step):
            # Only a study that was changed in this very moment can do that.
            raise Unavailable("the study is being changed; try again")
        return step


def _change_of(told: News, live: LiveTopic) -> Change | None:
    """Return what others have done to a topic in memory; None if there is more to be read."""
    if told.head.golds != len(live.golds):
        return None
    votes = [vote for vote in told.votes if vote[-1] in live.hears]
    retracted = (number for number, purpose in told.retracted if purpose in live.hears)
    return Change(told.head, told.changed, votes, frozenset(retracted))
