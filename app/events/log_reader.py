"""Reads logs for all streams of a process, in threads: what is new, and what one stream missed."""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from nextpair.app.events.log_batches import PAGE, Batch, Look, read_batch, take_look
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.security.api_keys import still_open
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
    ended
        Those that open nothing any more, of the keys that were asked about.
    distant
        Topics, and how much there is to read of them, that are to be looked at elsewhere.
    """

    batches: list[tuple[int, Batch]]
    ended: frozenset[str]
    distant: list[tuple[int, int]]


class LogReader:
    """Knows how far each log has been read, and where its topic had come to.

    Large topics are looked at elsewhere: that takes long, and nobody could judge meanwhile.
    """

    def __init__(self, service: ServiceContext) -> None:
        self._service = service
        self._read: dict[int, int] = {}
        self._looks: dict[int, Look] = {}
        self._next_look: dict[int, float] = {}
        self._unlooked: set[int] = set()
        """Topics of whose newest entries it is still to be told where they led."""
        self._looked: set[int] = set()
        """Topics that were looked at elsewhere, which is still to be told."""

    def forget(self) -> None:
        """Begin anew: nobody follows anything."""
        for memory in (self._read, self._looks, self._next_look, self._unlooked, self._looked):
            memory.clear()

    def begin(self, study_id: int, only: int | None) -> Mapping[int, Look | int]:
        """Look at what a new stream follows, of which all that comes later will be read.

        Of a large topic only the position is returned.
        """
        with self._service.database.read() as connection:
            found = topics.topic_positions(connection, [study_id])
        begun: dict[int, Look | int] = {}
        for _, topic_id, documents, position in found:
            if only in (None, topic_id):
                heavy = self._is_heavy(documents + position)
                begun[topic_id] = position if heavy else self._look_roughly(topic_id, position)
                self._read.setdefault(topic_id, position)
        return begun

    def _is_heavy(self, entries: int) -> bool:
        return entries > self._service.settings.heavy_from

    def _look_roughly(self, topic_id: int, position: int) -> Look:
        """Look at a topic, or take an earlier look if it is too soon for another."""
        known = self._looks.get(topic_id)
        if known is None or (known.position < position and self._is_due(topic_id)):
            known = self._look(topic_id)
        return replace(known, position=position)

    def news(self, followed: Followed, key_ids: Collection[str], now: float) -> News:
        """Read what is new: one statement for all topics, one for all keys, and then the news."""
        studies = {study_id for study_id, _ in followed}
        with self._service.database.read() as connection:
            found = topics.topic_positions(connection, studies)
            ended = frozenset(key_ids) - still_open(connection, key_ids, now)
        news = News([], ended, [])
        for study_id, topic_id, documents, position in found:
            if (study_id, None) in followed or (study_id, topic_id) in followed:
                heavy = self._is_heavy(documents + position)
                batches = self._news_of(topic_id, position, heavy)
                news.batches.extend((study_id, batch) for batch in batches)
                if heavy and topic_id in self._unlooked and self._is_due(topic_id):
                    news.distant.append((topic_id, documents + position))
        return news

    def _news_of(self, topic_id: int, position: int, heavy: bool) -> list[Batch]:
        after = self._read.setdefault(topic_id, 0)
        if position > after:
            self._unlooked.add(topic_id)
        if topic_id not in self._unlooked and topic_id not in self._looked:
            return []
        look = self._own_look(topic_id, heavy)
        # Entries that a look knows of are told before it.
        position = max(position, look.position) if look else position
        batches = [Batch(topic_id, after, after, ())]
        while batches[-1].upto < position:
            batches.append(read_batch(self._service, topic_id, batches[-1].upto, position))
        self._read[topic_id] = position
        if look is not None and look.position >= position:
            self._unlooked.discard(topic_id)
        batches[-1] = replace(batches[-1], look=look)
        return [batch for batch in batches if batch.entries or batch.look]

    def _own_look(self, topic_id: int, heavy: bool) -> Look | None:
        """Return a look that is still to be told, if there is one or it is time for one."""
        if topic_id in self._looked:
            self._looked.discard(topic_id)
            return self._looks[topic_id]
        return None if heavy or not self._is_due(topic_id) else self._look(topic_id)

    def take(self, topic_id: int, look: Look) -> None:
        """Note a look from elsewhere, to be told with the next news."""
        self._looks[topic_id] = look
        self._looked.add(topic_id)

    def missed(self, topic_id: int, after: int) -> Batch:
        """Read what came after a position, or a page of it; the last page has a look if it can."""
        batch = read_batch(self._service, topic_id, after, after + PAGE)
        if batch.upto == after + PAGE:
            return batch
        look = self._looks.get(topic_id)
        if look is None or look.position < batch.upto:
            # It is told with the next news, to all.
            self._unlooked.add(topic_id)
            return batch
        return replace(batch, look=look) if look.position == batch.upto else batch

    def _is_due(self, topic_id: int) -> bool:
        return time.monotonic() >= self._next_look.get(topic_id, 0.0)

    def _look(self, topic_id: int) -> Look:
        begun = time.thread_time()
        look = self._looks[topic_id] = take_look(self._service, topic_id)
        self.pause(topic_id, (time.thread_time() - begun) * SPARING)
        return look

    def pause(self, topic_id: int, seconds: float) -> None:
        """Do not look at a topic again for a while."""
        self._next_look[topic_id] = time.monotonic() + min(seconds, LONGEST_PAUSE)
