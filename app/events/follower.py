"""One stream: which news it has had, which are to come, and what it missed by being slow."""

import asyncio
from collections import deque
from dataclasses import dataclass

from nextpair.app.events.log_batches import Batch, Look, event_of
from nextpair.selectors.base import End

MOST_WAITING = 1000
"""Entries kept for a client that reads slowly; what comes after is read from the log again."""


@dataclass(slots=True)
class Seen:
    """What a stream has told of a topic."""

    position: int
    settled: int = -1
    ended: End | None = None

    @staticmethod
    def of(look: Look) -> "Seen":
        """Return what there is to be told after a look: nothing but what comes."""
        return Seen(look.position, look.settled, look.ended)


class Follower:
    """One stream of a study or a topic, on the event loop.

    Parameters
    ----------
    only
        The one topic it is of, whose events have ids by which it can be resumed; None for all.
    """

    def __init__(self, key_id: str, study_id: int, only: int | None) -> None:
        self.key_id = key_id
        self.study_id = study_id
        self.only = only
        self.begun = False
        """Whether it has been noted from which position on this stream is told."""
        self.seen: dict[int, Seen] = {}
        self.end: str | None = None
        """Why the stream has ended, if it has."""
        self.behind: set[int] = set()
        """Topics whose news have to be read from the log."""
        self._waiting: deque[Batch] = deque()
        self._entries = 0
        self._news = asyncio.Event()

    def wants(self, study_id: int, topic_id: int) -> bool:
        """Say whether a topic's news are for this stream."""
        return study_id == self.study_id and self.only in (None, topic_id)

    def offer(self, batch: Batch) -> None:
        """Keep a batch to be told, or note that it has to be read later."""
        if batch.topic_id not in self.behind:
            if self._entries + len(batch.entries) > MOST_WAITING and self._waiting:
                self.behind.add(batch.topic_id)
            else:
                self._waiting.append(batch)
                self._entries += len(batch.entries)
        self._news.set()

    def close(self, why: str) -> None:
        """End the stream, whatever is still to be told."""
        self.end = why
        self._news.set()

    async def wait(self, seconds: float) -> bool:
        """Wait until there is news, or the stream has ended; False if nothing came for so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    def take(self) -> Batch | None:
        """Return the oldest batch that is waiting."""
        if not self._waiting:
            if not self.behind:
                self._news.clear()
            return None
        batch = self._waiting.popleft()
        self._entries -= len(batch.entries)
        return batch

    def tell_waiting(self) -> tuple[bytes, int | None]:
        """Write all that is waiting in one piece, as each costs a journey through the service.

        Return with it a topic that was missed in part, if there is one: what comes after is left.
        """
        told: list[bytes] = []
        while (batch := self.take()) is not None:
            if self.has_gap(batch):
                return b"".join(told), batch.topic_id
            told.append(self.tell(batch))
        return b"".join(told), self.behind.pop() if self.behind else None

    def has_gap(self, batch: Batch) -> bool:
        """Say whether something before a batch has not been told."""
        return batch.after > self.position(batch.topic_id)

    def position(self, topic_id: int) -> int:
        """Return up to which position a topic's news have been told."""
        return self._seen(topic_id).position

    def _seen(self, topic_id: int) -> Seen:
        return self.seen.setdefault(topic_id, Seen(0))

    def tell(self, batch: Batch) -> bytes:
        """Write what of a batch has not been told; only the last event of a position has its id.

        Whoever is cut off before that comes back with the position before, and hears all of it.
        """
        seen = self._seen(batch.topic_id)
        fresh = [(number, event) for number, event in batch.entries if number > seen.position]
        position = seen.position = max(seen.position, batch.upto)
        events = list(fresh)
        if batch.look is not None:
            events += [(position, event) for event in self._arrivals(seen, batch.look)]
        # Where the last entry has led to is still to be told, and so is its id.
        held_back = batch.look is None or batch.look.position < position
        return b"".join(self._numbered(events, position, held_back))

    def _arrivals(self, seen: Seen, look: Look) -> list[bytes]:
        events = []
        if look.settled != seen.settled:
            content = {"settled": look.settled, "documents": look.documents}
            events.append(event_of("settled", look.topic, content))
        if look.ended is not None and seen.ended is None:
            content_of_end = {"judgments": look.judged, "ended": look.ended.value}
            events.append(event_of("finished", look.topic, content_of_end))
        seen.settled, seen.ended = look.settled, look.ended
        return events

    def _numbered(
        self, events: list[tuple[int, bytes]], position: int, held_back: bool
    ) -> list[bytes]:
        if self.only is None:
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
