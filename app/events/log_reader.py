"""Reads logs for all streams of a process, in threads: what is new, and what one stream missed."""

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
from nextpair.app.runtime.service import Service
from nextpair.app.security.api_keys import still_open
from nextpair.storage import topics

SNAPSHOT_DUTY_RATIO = 100.0
"""To look where a topic has come to takes its lock: at most one part in so many of the time."""
MAX_SNAPSHOT_PAUSE = 60.0
"""Seconds between two looks at most."""

FollowedTopics = frozenset[tuple[int, int | None]]
"""A study, and one topic of it or all."""


@dataclass(frozen=True, slots=True)
class LogUpdates:
    """What one reading found.

    Parameters
    ----------
    batches
        Each with the id of its study.
    ended
        Those that open nothing any more, of the keys that were asked about.
    distant
        Topics, and how much there is to read of them, that are to be looked at elsewhere.
    """

    batches: list[tuple[int, LogBatch]]
    expired_keys: frozenset[str]
    remote_topics: list[tuple[int, int]]


class LogReader:
    """Knows how far each log has been read, and where its topic had come to.

    Large topics are looked at elsewhere: that takes long, and nobody could judge meanwhile.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._positions: dict[int, int] = {}
        self._snapshots: dict[int, ProgressSnapshot] = {}
        self._next_snapshot: dict[int, float] = {}
        self._stale: set[int] = set()
        """Topics of whose newest entries it is still to be told where they led."""
        self._unreported: set[int] = set()
        """Topics that were looked at elsewhere, which is still to be told."""

    def forget(self) -> None:
        """Begin anew: nobody follows anything."""
        for memory in (
            self._positions,
            self._snapshots,
            self._next_snapshot,
            self._stale,
            self._unreported,
        ):
            memory.clear()

    def start_following(
        self, study_id: int, only: int | None
    ) -> Mapping[int, ProgressSnapshot | int]:
        """Look at what a new stream follows, of which all that comes later will be read.

        Of a large topic only the position is returned.
        """
        with self._service.database.read() as connection:
            found = topics.topic_positions(connection, [study_id])
        begun: dict[int, ProgressSnapshot | int] = {}
        for _, topic_id, documents, position in found:
            if only in (None, topic_id):
                heavy = self._is_heavy(documents + position)
                begun[topic_id] = position if heavy else self._rough_snapshot(topic_id, position)
                self._positions.setdefault(topic_id, position)
        return begun

    def _is_heavy(self, entries: int) -> bool:
        return entries > self._service.settings.heavy_from

    def _rough_snapshot(self, topic_id: int, position: int) -> ProgressSnapshot:
        """Look at a topic, or take an earlier look if it is too soon for another."""
        known = self._snapshots.get(topic_id)
        if known is None or (known.position < position and self._is_due(topic_id)):
            known = self._snapshot(topic_id)
        return replace(known, position=position)

    def read_updates(
        self, followed: FollowedTopics, key_ids: Collection[str], now: float
    ) -> LogUpdates:
        """Read what is new: one statement for all topics, one for all keys, and then the news."""
        studies = {study_id for study_id, _ in followed}
        with self._service.database.read() as connection:
            found = topics.topic_positions(connection, studies)
            ended = frozenset(key_ids) - still_open(connection, key_ids, now)
        updates = LogUpdates([], ended, [])
        for study_id, topic_id, documents, position in found:
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
        # Entries that a look knows of are told before it.
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
        """Return a look that is still to be told, if there is one or it is time for one."""
        if topic_id in self._unreported:
            self._unreported.discard(topic_id)
            return self._snapshots[topic_id]
        return None if heavy or not self._is_due(topic_id) else self._snapshot(topic_id)

    def accept_snapshot(self, topic_id: int, snapshot: ProgressSnapshot) -> None:
        """Note a look from elsewhere, to be told with the next news."""
        self._snapshots[topic_id] = snapshot
        self._unreported.add(topic_id)

    def read_missed(self, topic_id: int, after: int) -> LogBatch:
        """Read what came after a position, or a page of it; the last page has a look if it can."""
        batch = read_batch(self._service, topic_id, after, after + PAGE)
        if batch.upto == after + PAGE:
            return batch
        snapshot = self._snapshots.get(topic_id)
        if snapshot is None or snapshot.position < batch.upto:
            # It is told with the next news, to all.
            self._stale.add(topic_id)
            return batch
        return replace(batch, snapshot=snapshot) if snapshot.position == batch.upto else batch

    def _is_due(self, topic_id: int) -> bool:
        return time.monotonic() >= self._next_snapshot.get(topic_id, 0.0)

    def _snapshot(self, topic_id: int) -> ProgressSnapshot:
        begun = time.thread_time()
        snapshot = self._snapshots[topic_id] = take_snapshot(self._service, topic_id)
        self.defer_snapshot(topic_id, (time.thread_time() - begun) * SNAPSHOT_DUTY_RATIO)
        return snapshot

    def defer_snapshot(self, topic_id: int, seconds: float) -> None:
        """Do not look at a topic again for a while."""
        self._next_snapshot[topic_id] = time.monotonic() + min(seconds, MAX_SNAPSHOT_PAUSE)
