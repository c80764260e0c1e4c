"""Reads logs for all streams of a process, in threads: what is new, and what one stream missed."""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from nextpair.app.events.log import PAGE, Batch, Look, read_batch, take_look
from nextpair.app.judging.service import Service
from nextpair.app.keys import still_open
from nextpair.storage import topics

SPARING = 100.0
"""To look where a topic has come to takes its lock: at most one part in so many of the time."""
LONGEST_PAUSE = 60.0
"""Seconds between two looks at most."""

Followed = frozenset[tuple[int, int | None]]
"""A study, and one topic of it or all."""


@dataclass(frozen=True, slots=True)
class News:
    """What one reading found.

    Parameters
    ----------
    batches
        Each with the id of its study.
    keys
        Those that still open something, of the keys that were asked about.
    """

    batches: list[tuple[int, Batch]]
    keys: frozenset[str]


class LogReader:
    """Knows how far each log has been read, and where its topic had come to."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._read: dict[int, int] = {}
        self._looks: dict[int, Look] = {}
        self._next_look: dict[int, float] = {}
        self._unlooked: set[int] = set()
        """Topics of whose newest entries it is still to be told where they led."""

    def forget(self) -> None:
        """Begin anew: nobody follows anything."""
        for memory in (self._read, self._looks, self._next_look, self._unlooked):
            memory.clear()

    def begin(self, study_id: int, only: int | None) -> Mapping[int, Look]:
        """Look at what a new stream follows, of which all that comes later will be read."""
        with self._service.database.read() as connection:
            found = topics.topic_positions(connection, [study_id])
        return {
            topic_id: self._look_roughly(topic_id, position)
            for _, topic_id, position in found
            if only in (None, topic_id)
        }

    def _look_roughly(self, topic_id: int, position: int) -> Look:
        """Look at a topic, or take an earlier look if it is too soon for another."""
        known = self._looks.get(topic_id)
        if known is None or (known.position < position and self._is_due(topic_id)):
            known = self._look(topic_id)
        self._read.setdefault(topic_id, max(position, known.position))
        return replace(known, position=max(position, known.position))

    def news(self, followed: Followed, key_ids: Collection[str], now: float) -> News:
        """Read what is new: one statement for all topics, one for all keys, and then the news."""
        studies = {study_id for study_id, _ in followed}
        with self._service.database.read() as connection:
            found = topics.topic_positions(connection, studies)
            keys = still_open(connection, key_ids, now)
        batches = [
            (study_id, batch)
            for study_id, topic_id, position in found
            if (study_id, None) in followed or (study_id, topic_id) in followed
            for batch in self._news_of(topic_id, position)
        ]
        return News(batches, keys)

    def _news_of(self, topic_id: int, position: int) -> list[Batch]:
        after, look = self._read.setdefault(topic_id, 0), None
        if position <= after and topic_id not in self._unlooked:
            return []
        if self._is_due(topic_id):
            look = self._look(topic_id)
            position = max(position, look.position)
            self._unlooked.discard(topic_id)
        else:
            self._unlooked.add(topic_id)
        batches = [Batch(topic_id, after, after, ())]
        while batches[-1].upto < position:
            batches.append(read_batch(self._service, topic_id, batches[-1].upto, position))
        self._read[topic_id] = position
        batches[-1] = replace(batches[-1], look=look)
        return [batch for batch in batches if batch.entries or batch.look]

    def missed(self, topic_id: int, after: int) -> Batch:
        """Read what came after a position, or a page of it; the last page has a look."""
        batch = read_batch(self._service, topic_id, after, after + PAGE)
        if batch.upto == after + PAGE:
            return batch
        look = self._looks.get(topic_id)
        if look is None or look.position < batch.upto:
            look = self._look(topic_id)
        return replace(batch, look=look) if look.position == batch.upto else batch

    def _is_due(self, topic_id: int) -> bool:
        return time.monotonic() >= self._next_look.get(topic_id, 0.0)

    def _look(self, topic_id: int) -> Look:
        begun = time.thread_time()
        look = self._looks[topic_id] = take_look(self._service, topic_id)
        pause = min((time.thread_time() - begun) * SPARING, LONGEST_PAUSE)
        self._next_look[topic_id] = time.monotonic() + pause
        return look
