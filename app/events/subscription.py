"""One subscription: its cursor in each log, its buffer, and how a slow client catches up."""

import asyncio
from collections import deque
from dataclasses import dataclass

from nextpair.app.events.log_batches import LogBatch, ProgressSnapshot, format_event
from nextpair.selectors.base import End

MAX_BUFFERED_ENTRIES = 1000
"""Entries buffered for a slow client; those that exceed it are read from the log again."""


@dataclass(slots=True)
class StreamCursor:
    """Up to where a subscription has received the events of a topic, and the progress it knows."""

    position: int
    settled: int = -1
    ended: End | None = None

    @staticmethod
    def at(snapshot: ProgressSnapshot) -> "StreamCursor":
        """Return the cursor of a subscription that starts at a snapshot."""
        return StreamCursor(snapshot.position, snapshot.settled, snapshot.ended)


class Subscription:
    """One subscription to a study or a topic. Used on the event loop only.

    Parameters
    ----------
    topic_id
        The one topic, whose events have ids by which the stream can be resumed; None for all
        topics of the study.
    """

    def __init__(self, key_id: str, study_id: int, topic_id: int | None) -> None:
        self.key_id = key_id
        self.study_id = study_id
        self.topic_id = topic_id
        self.started = False
        """Whether the cursors are set, so that batches can be delivered."""
        self.cursors: dict[int, StreamCursor] = {}
        self.end_reason: str | None = None
        """Why the subscription has ended; None while it is open."""
        self.lagging_topics: set[int] = set()
        """Topics whose events have to be read from the log, since the buffer was full."""
        self._buffer: deque[LogBatch] = deque()
        self._buffered_entries = 0
        self._changed = asyncio.Event()

    def covers(self, study_id: int, topic_id: int) -> bool:
        """Say whether a topic is part of this subscription."""
        return study_id == self.study_id and self.topic_id in (None, topic_id)

    def push(self, batch: LogBatch) -> None:
        """Buffer a batch, or mark its topic as lagging if the buffer is full."""
        if batch.topic_id not in self.lagging_topics:
            if self._buffered_entries + len(batch.entries) > MAX_BUFFERED_ENTRIES and self._buffer:
                self.lagging_topics.add(batch.topic_id)
            else:
                self._buffer.append(batch)
                self._buffered_entries += len(batch.entries)
        self._changed.set()

    def close(self, reason: str) -> None:
        """End the subscription, whatever is still buffered."""
        self.end_reason = reason
        self._changed.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for a batch or the end of the subscription; return False at the timeout."""
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def pop(self) -> LogBatch | None:
        """Take the oldest batch from the buffer; None if it is empty."""
        if not self._buffer:
            if not self.lagging_topics:
                self._changed.clear()
            return None
        batch = self._buffer.popleft()
        self._buffered_entries -= len(batch.entries)
        return batch

    def render_buffered(self) -> tuple[bytes, int | None]:
        """Render all buffered batches as one chunk: each chunk passes through the whole service.

        Return with it a lagging topic, if there is one; batches after a gap stay in the buffer.
        """
        chunks: list[bytes] = []
        while (batch := self.pop()) is not None:
            if self.has_gap(batch):
                return b"".join(chunks), batch.topic_id
            chunks.append(self.render(batch))
        return b"".join(chunks), self.lagging_topics.pop() if self.lagging_topics else None

    def has_gap(self, batch: LogBatch) -> bool:
        """Say whether entries between the cursor and a batch are missing."""
        return batch.after > self.position(batch.topic_id)

    def position(self, topic_id: int) -> int:
        """Return the position up to which the events of a topic have been sent."""
        return self._cursor(topic_id).position

    def _cursor(self, topic_id: int) -> StreamCursor:
        return self.cursors.setdefault(topic_id, StreamCursor(0))

    def render(self, batch: LogBatch) -> bytes:
        """Render the new events of a batch; only the last event of a position has its id.

        A client that is cut off before that reconnects with the previous position, and so gets all
        events of the position again.
        """
        cursor = self._cursor(batch.topic_id)
        new_entries = [
            (number, event) for number, event in batch.entries if number > cursor.position
        ]
        position = cursor.position = max(cursor.position, batch.upto)
        events = list(new_entries)
        if batch.snapshot is not None:
            events += [(position, event) for event in self._progress_events(cursor, batch.snapshot)]
        # The id of the last entry is withheld until the snapshot after it has been sent.
        id_withheld = batch.snapshot is None or batch.snapshot.position < position
        return b"".join(self._with_ids(events, position, id_withheld))

    def _progress_events(self, cursor: StreamCursor, snapshot: ProgressSnapshot) -> list[bytes]:
        events = []
        if snapshot.settled != cursor.settled:
            content = {"settled": snapshot.settled, "documents": snapshot.documents}
            events.append(format_event("settled", snapshot.topic, content))
        if snapshot.ended is not None and cursor.ended is None:
            content_of_end = {"judgments": snapshot.judged, "ended": snapshot.ended.value}
            events.append(format_event("finished", snapshot.topic, content_of_end))
        cursor.settled, cursor.ended = snapshot.settled, snapshot.ended
        return events

    def _with_ids(
        self, events: list[tuple[int, bytes]], position: int, id_withheld: bool
    ) -> list[bytes]:
        if self.topic_id is None:
            return [event + b"\n" for _, event in events]
        frames = []
        for place, (number, event) in enumerate(events):
            last = place + 1 == len(events) or events[place + 1][0] != number
            shown = last and not (id_withheld and number == position)
            frames.append(event + (b"id: %d\n\n" % number if shown else b"\n"))
        if not events and not id_withheld:
            # An id without an event: the snapshot has no change, and the id was withheld so far.
            frames.append(b"id: %d\n\n" % position)
        return frames
