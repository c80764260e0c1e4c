"""The topics a process has in memory: as many as fit, the least recently used go first."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nextpair.app.runtime.projection import LiveTopic
from nextpair.storage.errors import Unavailable


class WouldWait(Exception):
    """What was asked for cannot be had without waiting for others; ask again, patiently."""


def weight_of(live: LiveTopic) -> int:
    """Estimate how many bytes a topic takes, by what was measured; rather too many than too few.

    The tie matrix grows with the square of the documents; not every selector draws one.
    """
    size, features = len(live.state.documents), live.state.documents.features.shape[1]
    return (
        50_000
        + (1_000 + 105 * int(features)) * size
        + 800 * live.head.position
        + 43 * size**2 // 10
    )


@dataclass(slots=True)
class Slot:
    """One topic's place in memory, and the lock whoever uses it holds."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    live: LiveTopic | None = None
    weight: int = 0
    users: int = 0

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Move the topic in memory on; if that ends half-way it is forgotten, and read anew."""
        try:
            yield
        except BaseException:
            self.live = None
            raise


class TopicCache:
    """Slots by topic. What is in one is only a memory: the database knows everything.

    Parameters
    ----------
    wait_seconds
        How long to wait for a topic that others have, who may wait for the database themselves.
    """

    def __init__(self, most_bytes: int, wait_seconds: float) -> None:
        self._most = most_bytes
        self._wait_seconds = wait_seconds
        self._slots: OrderedDict[int, Slot] = OrderedDict()
        self._mutex = threading.Lock()
        self._bytes = 0

    @contextmanager
    def hold(self, topic_id: int, *, patient: bool = True) -> Iterator[Slot]:
        """Wait for one's turn with a topic in this process, and have it alone.

        Threads queue here and not at the database, where each would keep a connection waiting.
        Who is not patient gets WouldWait instead.
        """
        slot = self._enter(topic_id)
        try:
            if not slot.lock.acquire(timeout=self._wait_seconds if patient else 0):
                raise Unavailable("the topic is in use; try again") if patient else WouldWait()
            try:
                yield slot
            finally:
                slot.lock.release()
        finally:
            self._leave(topic_id, slot)

    def _enter(self, topic_id: int) -> Slot:
        with self._mutex:
            slot = self._slots.setdefault(topic_id, Slot())
            self._slots.move_to_end(topic_id)
            slot.users += 1
            return slot

    def _leave(self, topic_id: int, slot: Slot) -> None:
        with self._mutex:
            slot.users -= 1
            # Looked at once: whoever has the slot's lock by now may forget the topic meanwhile.
            live = slot.live
            weight = weight_of(live) if live else 0
            self._bytes += weight - slot.weight
            slot.weight = weight
            if live is None and not slot.users:
                # Whoever asks for topics that are not there must not fill the memory.
                del self._slots[topic_id]
            if self._bytes > self._most:
                self._evict()

    def _evict(self) -> None:
        for topic_id, slot in list(self._slots.items()):
            if self._bytes <= self._most:
                break
            if not slot.users:
                del self._slots[topic_id]
                self._bytes -= slot.weight

    def has(self, topic_id: int) -> bool:
        """Say whether a topic is in memory."""
        return topic_id in self._slots

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def bytes(self) -> int:
        """How much the topics in memory take, by estimate."""
        return self._bytes
