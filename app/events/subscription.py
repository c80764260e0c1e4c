"""One stream: which news it has had, which are to come, and what it missed by being slow."""

import asyncio
from collections import deque
from dataclasses import dataclass

from nextpair.app.events.log_batches import LogBatch, ProgressSnapshot, format_event
from nextpair.selectors.base import End

MAX_BUFFERED_ENTRIES = 1000
"""Entries kept for a client that reads slowly; what comes after is read from the log again."""


@dataclass(slots=True)
class StreamCursor:
    """What a stream has told of a topic."""

    position: int
    settled: int = -1
    ended: End | None = None

    @staticmethod
    def of(snapshot: ProgressSnapshot) -> "StreamCursor":
        """Return what there is to be told after a look: nothing but what comes."""
        return StreamCursor(snapshot.position, snapshot.settled, snapshot.ended)


class Subscription:
    """One stream of a study or a topic, on the event loop.

    Parameters
    ----------
    only
        The one topic it is of, whose events have ids by which it can be resumed; None for all.
    """

    def __init__(self, key_id: str, study_id: int, only: int | None) -> None:
        self.key_id = key_id
        self.study_id = study_id
        self.topic_id = only
        self.started = False
        """Whether it has been noted from which position on this stream is told."""
        self.cursors: dict[int, StreamCursor] = {}
        self.end_reason: str | None = None
        """Why the stream has ended, if it has."""
        self.lagging_topics: set[int] = set()
        """Topics whose news have to be read from the log."""
        self._buffer: deque[LogBatch] = deque()
        self._buffered_entries = 0
        self._changed = asyncio.Event()

    def covers(self, study_id: int, topic_id: int) -> bool:
        """Say whether a topic's news are for this stream."""
        return study_id == self.study_id and self.topic_id in (None, topic_id)

    def push(self, batch: LogBatch) -> None:
        """Keep a batch to be told, or note that it has to be read later."""
        if batch.topic_id not in self.lagging_topics:
            if self._buffered_entries + len(batch.entries) > MAX_BUFFERED_ENTRIES and self._buffer:
                self.lagging_topics.add(batch.topic_id)
            else:
                self._buffer.append(batch)
                self._buffered_entries += len(batch.entries)
        self._changed.set()

    def close(self, why: str) -> None:
        """End the stream, whatever is still to be told."""
        self.end_reason = why
        self._changed.set()

    async def wait(self, seconds: float) -> bool:
        """Wait until there is news, or the stream has ended; False if nothing came for so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def pop(self) -> LogBatch | None:
        """Return the oldest batch that is waiting."""
        if not self._buffer:
            if not self.lagging_topics:
                self._changed.clear()
            return None
        batch = self._buffer.popleft()
        self._buffered_entries -= len(batch.entries)
        return batch

    def has_gap(self, batch: LogBatch) -> bool:
        """Say whether something before a batch has not been told."""
        return batch.after > self.position(batch.topic_id)

    def position(self, topic_id: int) -> int:
        """Return up to which position a topic's news have been told."""
        return self._cursor(topic_id).position

    def _cursor(self, topic_id: int) -> StreamCursor:
        return self.cursors.setdefault(topic_id, StreamCursor(0))

    def render(self, batch: LogBatch) -> bytes:
        """Write what of a batch has not been told; only the last event of a position has its id.

        Whoever is cut off before that comes back with the position before, and hears all of it.
        """
        seen = self._cursor(batch.topic_id)
        fresh = [(number, event) for number, event in batch.entries if number > seen.position]
        position = seen.position = max(seen.position, batch.upto)
        events = list(fresh)
        if batch.snapshot is not None:
            events += [(position, event) for event in self._progress_events(seen, batch.snapshot)]
        # Where the last entry has led to is still to be told, and so is its id.
        held_back = batch.snapshot is None or batch.snapshot.position < position
        return b"".join(self._with_ids(events, position, held_back))

    def _progress_events(self, seen: StreamCursor, snapshot: ProgressSnapshot) -> list[bytes]:
        events = []
        if snapshot.settled != seen.settled:
            content = {"settled": snapshot.settled, "documents": snapshot.documents}
            events.append(format_event("settled", snapshot.topic, content))
        if snapshot.ended is not None and seen.ended is None:
            content_of_end = {"judgments": snapshot.judged, "ended": snapshot.ended.value}
            events.append(format_event("finished", snapshot.topic, content_of_end))
        seen.settled, seen.ended = snapshot.settled, snapshot.ended
        return events

    def _with_ids(
        self, events: list[tuple[int, bytes]], position: int, held_back: bool
    ) -> list[bytes]:
        if self.topic_id is None:
            return [event + b"\n" for _, event in events]
        told = []
        for place, (number, event) in enumerate(events):
            last = place + 1 == len(events) or events[place + 1][0] != number
            shown = last and not (held_back and number == position)
            told.append(event + (b"id: %d\n\n" % number if shown else b"\n"))
        if not events and not held_back:
            # An id without an event: nothing new came of the entries whose ids were held back.
            told.append(b"id: %d\n\n" % position)
        return told
