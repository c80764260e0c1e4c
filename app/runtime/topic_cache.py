"""An LRU cache of topic projections, bounded in bytes, with one lock for each topic."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nextpair.app.runtime.projection import TopicProjection
from nextpair.storage.errors import Unavailable


class WouldBlock(Exception):
    """A lock or a topic is not available without blocking; try again where blocking is allowed."""


def weight_of(projection: TopicProjection) -> int:
    """Estimate the bytes that a projection takes, by measured constants; rather too many.

    The tie matrix grows with the square of the documents; not every selector has one.
    """
    size, features = len(projection.state.documents), projection.state.documents.features.shape[1]
    return (
        50_000
        + (1_000 + 105 * int(features)) * size
        + 800 * projection.head.position
        + 43 * size**2 // 10
    )


@dataclass(slots=True)
class Slot:
    """The cache entry of one topic: its projection, and the lock that whoever uses it holds.

    Parameters
    ----------
    users
        How many threads hold the lock or wait for it: a pinned entry is not evicted.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    projection: TopicProjection | None = None
    weight: int = 0
    users: int = 0

    @contextmanager
    def invalidated_on_error(self) -> Iterator[None]:
        """Drop the projection if the block raises: it may be half changed, and is loaded anew."""
        try:
            yield
        except BaseException:
            self.projection = None
            raise


class TopicCache:
    """Slots by topic. A projection is only a cache: the database has the whole truth.

    Parameters
    ----------
    wait_seconds
        How long to wait for the lock of a topic; its holder may be waiting for the database.
    """

    def __init__(self, most_bytes: int, wait_seconds: float) -> None:
        self._most = most_bytes
        self._wait_seconds = wait_seconds
        self._slots: OrderedDict[int, Slot] = OrderedDict()
        self._mutex = threading.Lock()
        self._bytes = 0

    @contextmanager
    def hold(self, topic_id: int, *, blocking: bool = True) -> Iterator[Slot]:
        """Take a topic's lock in this process, and yield its slot.

        Threads queue here, and not at the database, where each would occupy a connection. Without
        `blocking`, WouldBlock is raised where another thread has the lock.
        """
        slot = self._enter(topic_id)
        try:
            if not slot.lock.acquire(timeout=self._wait_seconds if blocking else 0):
                raise Unavailable("the topic is in use; try again") if blocking else WouldBlock()
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
            # Read once: another thread may have the slot's lock by now, and drop the projection.
            projection = slot.projection
            weight = weight_of(projection) if projection else 0
            self._bytes += weight - slot.weight
            slot.weight = weight
            if projection is None and not slot.users:
                # Otherwise calls for topics that do not exist would fill the memory.
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
        """Say whether a topic has a slot."""
        return topic_id in self._slots

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def bytes(self) -> int:
        """How many bytes the projections in memory take, by estimate."""
        return self._bytes
