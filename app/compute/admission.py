"""Who may compute now, who waits, and who is told to come back."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nextpair.app.compute.helper_handle import Helper
from nextpair.app.errors import Overloaded, TooManyHeavyCalls
from nextpair.app.settings import Settings

IDLE_SECONDS = 600.0
"""How long a helper without a job keeps its memory."""


@dataclass(slots=True)
class Place:
    """What one computation takes up: of its key's share, and once it has one, a helper."""

    key: str
    helper: Helper | None = None
    given_back: bool = False


class Places:
    """The helpers of this process, and the queue for them. All of it runs on the event loop.

    Parameters
    ----------
    note
        Is told how many computations are under way, whenever that changes.
    """

    def __init__(self, settings: Settings, note: Callable[[int], None]) -> None:
        self._note = note
        self._most = max(1, settings.heavy_processes // settings.processes)
        self._most_waiting = settings.heavy_waiting
        self._most_per_key = settings.heavy_per_key
        self._helpers = tuple(Helper(settings) for _ in range(self._most))
        self._free = list(self._helpers)
        self._queue: deque[asyncio.Future[Helper]] = deque()
        self._under_way = 0
        self._by_key: Counter[str] = Counter()
        self._endings: dict[Helper, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def admit(self, key: str) -> "Place":
        """Count a computation, or refuse it."""
        most = self._most_per_key
        if self._by_key[key] >= most:
            raise TooManyHeavyCalls(
                f"this key has {most} reports, rankings or files under way; wait for one to end"
            )
        if self._closed or self._under_way >= self._most + self._most_waiting:
            raise Overloaded(
                f"{self._under_way} reports, rankings or files are under way for all keys together;"
                " try again in a few seconds"
            )
        self._by_key[key] += 1
        self._under_way += 1
        self._note(self._under_way)
        return Place(key)

    def dismiss(self, place: "Place") -> None:
        if place.given_back:
            return
        place.given_back = True
        self._under_way -= 1
        self._note(self._under_way)
        self._by_key[place.key] -= 1
        if not self._by_key[place.key]:
            del self._by_key[place.key]

    async def take(self, place: "Place") -> Helper:
        """Wait for a helper."""
        if self._free:
            # The one used last has the most in memory.
            place.helper = self._free.pop()
            if (ending := self._endings.pop(place.helper, None)) is not None:
                ending.cancel()
            return place.helper
        coming: asyncio.Future[Helper] = asyncio.get_running_loop().create_future()
        self._queue.append(coming)
        try:
            place.helper = await coming
        except asyncio.CancelledError:
            if coming.done() and not coming.cancelled():
                self._put(coming.result())
            raise
        return place.helper

    def release(self, place: "Place") -> None:
        """Give a place to others, as soon as its helper has stopped working."""
        helper = place.helper
        if helper is None:
            self.dismiss(place)
        elif not helper.working:
            self.dismiss(place)
            self._put(helper)
        else:
            stopping = asyncio.create_task(self._stop(helper, place))
            self._tasks.add(stopping)
            stopping.add_done_callback(self._tasks.discard)

    async def _stop(self, helper: Helper, place: "Place") -> None:
        try:
            await helper.cancel()
        finally:
            self.dismiss(place)
            self._put(helper)

    def _put(self, helper: Helper) -> None:
        while self._queue:
            coming = self._queue.popleft()
            if not coming.done():
                coming.set_result(helper)
                return
        self._free.append(helper)
        if not self._closed:
            loop = asyncio.get_running_loop()
            self._endings[helper] = loop.call_later(IDLE_SECONDS, self._end_idle, helper)

    def _end_idle(self, helper: Helper) -> None:
        del self._endings[helper]
        ending = asyncio.create_task(self._end_if_free(helper))
        self._tasks.add(ending)
        ending.add_done_callback(self._tasks.discard)

    async def _end_if_free(self, helper: Helper) -> None:
        if helper in self._free:
            await helper.end()

    async def close(self) -> None:
        """End all helpers, and with them what they compute."""
        self._closed = True
        for ending in self._endings.values():
            ending.cancel()
        for helper in self._helpers:
            await helper.end()
        await asyncio.gather(*self._tasks, return_exceptions=True)
