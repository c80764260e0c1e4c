"""Reads logs for all subscriptions of a process, in threads: what is new, and what was missed."""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from nextpair.app.events.log_batches import (
    PAGE,
    LogBatch,
    ProgressSnapshot,
    read_batch,
    take_snapshot,
)
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.security.api_keys import still_open
from nextpair.storage import topics

SNAPSHOT_DUTY_RATIO = 100.0
"""Taking a snapshot locks the topic: it takes at most one part in this many of the time."""
MAX_SNAPSHOT_PAUSE = 60.0
"""Seconds between two snapshots at most."""

FollowedTopics = frozenset[tuple[int, int | None]]
"""Pairs of a study and one of its topics, or None for all of them."""


@dataclass(frozen=True, slots=True)
class LogUpdates:
    """The result of one poll of the logs.

    Parameters
    ----------
    batches
        Each with the id of its study.
    expired_keys
        The keys of subscriptions that are no longer valid.
    remote_topics
        Large topics whose snapshot a helper process should take, each with its number of entries.
    """

    batches: list[tuple[int, LogBatch]]
    expired_keys: frozenset[str]
    remote_topics: list[tuple[int, int]]


class LogReader:
    """Keeps the position up to which each log was read, and the last snapshot of its topic.

    Snapshots of large topics are taken by helper processes: they take long, and would hold the
    topic's lock meanwhile, so that nobody could judge.
    """

    def __init__(self, service: ServiceContext) -> None:
        self._service = service
        self._positions: dict[int, int] = {}
        self._snapshots: dict[int, ProgressSnapshot] = {}
        self._next_snapshot: dict[int, float] = {}
        self._stale: set[int] = set()
        """Topics with entries that are newer than the last snapshot."""
        self._unreported: set[int] = set()
        """Topics with a remote snapshot that has not been sent yet."""

    def forget(self) -> None:
        """Clear all state: there is no subscription left."""
        for memory in (
            self._positions,
            self._snapshots,
            self._next_snapshot,
            self._stale,
            self._unreported,
        ):
            memory.clear()

    def start_following(
        self, study_id: int, only_topic: int | None
    ) -> Mapping[int, ProgressSnapshot | int]:
        """Return the current snapshots of the topics of a new subscription, and follow their logs.

        For a large topic only the position is returned.
        """
        with self._service.database.read() as connection:
            positions = topics.topic_positions(connection, [study_id])
        started: dict[int, ProgressSnapshot | int] = {}
        for _, topic_id, documents, position in positions:
            if only_topic in (None, topic_id):
                heavy = self._is_heavy(documents + position)
                started[topic_id] = position if heavy else self._rough_snapshot(topic_id, position)
                self._positions.setdefault(topic_id, position)
        return started

    def _is_heavy(self, entries: int) -> bool:
        return entries > self._service.settings.heavy_from

    def _rough_snapshot(self, topic_id: int, position: int) -> ProgressSnapshot:
        """Take a snapshot, or return the last one if it is too soon for another."""
        snapshot = self._snapshots.get(topic_id)
        if snapshot is None or (snapshot.position < position and self._is_due(topic_id)):
            snapshot = self._snapshot(topic_id)
        return replace(snapshot, position=position)

    def read_updates(
        self, followed: FollowedTopics, key_ids: Collection[str], now: float
    ) -> LogUpdates:
        """Poll: one statement for all positions, one for all keys, then only what is new."""
        studies = {study_id for study_id, _ in followed}
        with self._service.database.read() as connection:
            positions = topics.topic_positions(connection, studies)
            expired_keys = frozenset(key_ids) - still_open(connection, key_ids, now)
        updates = LogUpdates([], expired_keys, [])
        for study_id, topic_id, documents, position in positions:
            if (study_id, None) in followed or (study_id, topic_id) in followed:
                heavy = self._is_heavy(documents + position)
                batches = self._updates_of(topic_id, position, heavy)
                updates.batches.extend((study_id, batch) for batch in batches)
                if heavy and topic_id in self._stale and self._is_due(topic_id):
                    updates.remote_topics.append((topic_id, documents + position))
        return updates

    def _updates_of(self, topic_id: int, position: int, heavy: bool) -> list[LogBatch]:
        after = self._positions.setdefault(topic_id, 0)
        if position > after:
            self._stale.add(topic_id)
        if topic_id not in self._stale and topic_id not in self._unreported:
            return []
        snapshot = self._local_snapshot(topic_id, heavy)
        # The entries that a snapshot includes are sent before it.
        position = max(position, snapshot.position) if snapshot else position
        batches = [LogBatch(topic_id, after, after, ())]
        while batches[-1].upto < position:
            batches.append(read_batch(self._service, topic_id, batches[-1].upto, position))
        self._positions[topic_id] = position
        if snapshot is not None and snapshot.position >= position:
            self._stale.discard(topic_id)
        batches[-1] = replace(batches[-1], snapshot=snapshot)
        return [batch for batch in batches if batch.entries or batch.snapshot]

    def _local_snapshot(self, topic_id: int, heavy: bool) -> ProgressSnapshot | None:
        """Return a snapshot to be sent, if there is an unreported one or a new one is due."""
        if topic_id in self._unreported:
            self._unreported.discard(topic_id)
            return self._snapshots[topic_id]
        return None if heavy or not self._is_due(topic_id) else self._snapshot(topic_id)

    def accept_snapshot(self, topic_id: int, snapshot: ProgressSnapshot) -> None:
        """Take a remote snapshot, which is sent with the next updates."""
        self._snapshots[topic_id] = snapshot
        self._unreported.add(topic_id)

    def read_missed(self, topic_id: int, after: int) -> LogBatch:
        """Read a page of the log after a position; the last page has a snapshot if there is one."""
        batch = read_batch(self._service, topic_id, after, after + PAGE)
        if batch.upto == after + PAGE:
            return batch
        snapshot = self._snapshots.get(topic_id)
        if snapshot is None or snapshot.position < batch.upto:
            # The snapshot is sent with the next updates, to all.
            self._stale.add(topic_id)
            return batch
        return replace(batch, snapshot=snapshot) if snapshot.position == batch.upto else batch

    def _is_due(self, topic_id: int) -> bool:
        return time.monotonic() >= self._next_snapshot.get(topic_id, 0.0)

    def _snapshot(self, topic_id: int) -> ProgressSnapshot:
        started = time.thread_time()
        snapshot = self._snapshots[topic_id] = take_snapshot(self._service, topic_id)
        self.defer_snapshot(topic_id, (time.thread_time() - started) * SNAPSHOT_DUTY_RATIO)
        return snapshot

    def defer_snapshot(self, topic_id: int, seconds: float) -> None:
        """Take no snapshot of a topic for a while."""
        self._next_snapshot[topic_id] = time.monotonic() + min(seconds, MAX_SNAPSHOT_PAUSE)
