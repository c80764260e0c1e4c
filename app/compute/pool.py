"""Heavy calls within limits: some are worked on, some wait, and all others are told to come back.

Equal calls are one computation. A computation that nobody waits for any more is cancelled.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nextpair.app.compute.admission import Place, Places
from nextpair.app.compute.helper_handle import Helper
from nextpair.app.compute.jobs import Extent, Job
from nextpair.app.errors import HelperLost
from nextpair.app.settings import MB, Settings

FRESH_SECONDS = 60.0
"""How long an answer is given again: leases run out without another version of the topic."""
KEPT_BYTES = 32 * MB
"""Of answers to be given again."""
STALL_SECONDS = 60.0
"""How long the reader of a file may take nothing of it before its place is given to others."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A complete answer."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Flight:
    """One computation, and how many calls wait for it."""

    version: tuple[int, ...]
    at: float
    waiting: int = 0
    begun: bool = False
    task: "asyncio.Task[Whole] | None" = None


class HeavyPool:
    """Hands jobs to helper processes. All of it runs on the event loop."""

    def __init__(self, settings: Settings, note: Callable[[int], None]) -> None:
        self._places = Places(settings, note)
        self._flights: OrderedDict[tuple[Any, ...], _Flight] = OrderedDict()

    async def answer(self, job: Job, extent: Extent, key: str, now: float) -> Whole:
        """Compute a job, or wait for an equal one that will do."""
        flight = self._flights.get(job.question)
        if flight is None or not self._suits(flight, extent):
            flight = self._take_off(job, extent, key, now)
            self._flights[job.question] = flight
            self._flights.move_to_end(job.question)
        assert flight.task is not None
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            self._forget_if_done_for(job, flight)

    def _take_off(self, job: Job, extent: Extent, key: str, now: float) -> _Flight:
        place = self._places.admit(key)
        flight = _Flight(extent.version, asyncio.get_running_loop().time())
        flight.task = asyncio.create_task(self._fly(flight, place, job, extent, now))

        def note_end(task: "asyncio.Task[Whole]") -> None:
            if place.helper is None:
                # It was cancelled before it had one, and perhaps before it began at all.
                self._places.dismiss(place)
            if not task.cancelled():
                # Whoever waited has been told of it, and there may be nobody.
                task.exception()

        flight.task.add_done_callback(note_end)
        return flight

    def _suits(self, flight: _Flight, extent: Extent) -> bool:
        """Say whether an earlier computation answers a call as well as one of its own would."""
        assert flight.task is not None
        if not flight.begun:
            # It has yet to read, and will then read what is newest.
            return True
        age = asyncio.get_running_loop().time() - flight.at
        return flight.version == extent.version and age < FRESH_SECONDS

    def _forget_if_done_for(self, job: Job, flight: _Flight) -> None:
        assert flight.task is not None
        task = flight.task
        if not task.done():
            if flight.waiting:
                return
            task.cancel()
            failed = True
        else:
            failed = task.cancelled() or task.exception() is not None
        if failed and self._flights.get(job.question) is flight:
            del self._flights[job.question]
        self._shrink()

    def _shrink(self) -> None:
        """Forget the oldest answers that are too many or too old."""
        now, held = asyncio.get_running_loop().time(), 0
        for question, flight in reversed(list(self._flights.items())):
            if flight.task is None or not flight.task.done() or flight.task.cancelled():
                continue
            held += 0 if flight.task.exception() else len(flight.task.result().body)
            if held > KEPT_BYTES or now - flight.at > FRESH_SECONDS:
                del self._flights[question]

    async def _fly(
        self, flight: _Flight, place: Place, job: Job, extent: Extent, now: float
    ) -> Whole:
        helper = await self._places.take(place)
        flight.begun, flight.at = True, asyncio.get_running_loop().time()
        try:
            headers = await helper.begin(job, extent, now)
            parts = []
            while (part := await helper.chunk()) is not None:
                parts.append(part)
            return Whole(b"".join(parts), headers)
        finally:
            self._places.release(place)

    async def download(self, job: Job, extent: Extent, key: str, now: float) -> "Download":
        """Begin a computation that is sent on as it comes, to one call alone."""
        place = self._places.admit(key)
        try:
            await self._places.take(place)
            assert place.helper is not None
            headers = await place.helper.begin(job, extent, now)
        except BaseException:
            self._places.release(place)
            raise
        return Download(place.helper, headers, lambda: self._places.release(place))

    async def close(self) -> None:
        """End all helpers, and with them what they compute."""
        flights = [flight.task for flight in self._flights.values() if flight.task is not None]
        for task in flights:
            task.cancel()
        await self._places.close()
        await asyncio.gather(*flights, return_exceptions=True)


class Download:
    """A file on its way; whoever opens one closes it."""

    def __init__(
        self, helper: Helper, headers: Mapping[str, str], release: Callable[[], None]
    ) -> None:
        self.headers = headers
        self._helper = helper
        self._release: Callable[[], None] | None = release

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the parts; who takes none for long gets no more."""
        loop = asyncio.get_running_loop()
        while self._release is not None and (part := await self._helper.chunk()) is not None:
            stalled = loop.call_later(STALL_SECONDS, self.close)
            try:
                yield part
            finally:
                stalled.cancel()
            if self._release is None:
                raise HelperLost("nothing of the file was read for too long")

    def close(self) -> None:
        """Give the place to others."""
        release, self._release = self._release, None
        if release is not None:
            release()
