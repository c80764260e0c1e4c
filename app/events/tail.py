"""One tail of the log for all streams of this process: it is read once, whoever listens."""

import asyncio
import logging
import pickle
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from nextpair.app.compute.jobs import Extent, Job
from nextpair.app.compute.pool import HeavyPool
from nextpair.app.errors import TooManyStreams
from nextpair.app.events.follower import Follower, Seen
from nextpair.app.events.log_batches import PAGE, Look, look_from_afar
from nextpair.app.events.log_reader import LONGEST_PAUSE, LogReader, News
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.selectors.errors import NextpairError

log = logging.getLogger("nextpair")

PING_SECONDS = 15.0
"""How long a stream is silent before it says that it is there."""
READERS = 2
"""Threads that read what single streams have missed."""
MOST_AT_ONCE = 5
"""Streams that are told without a pause: other requests get their turn in between."""
SPREAD = 0.5
"""Over how much of the time between two looks the streams are told, some after the others."""

LOOKING = "events"
"""Whose key heavy calls of streams count for."""
LOOKING_PAUSE = 10.0
"""How many times as long as looking at a large topic took nobody looks at it again."""

Result = TypeVar("Result")


class Tail:
    """Follows the logs of all topics that somebody follows. All of it is on the event loop."""

    def __init__(
        self, service: ServiceContext, heavy: HeavyPool, clock: Callable[[], float]
    ) -> None:
        self._service = service
        self._heavy = heavy
        self._clock = clock
        self._reader = LogReader(service)
        self._followers: set[Follower] = set()
        self._by_key: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None
        self._looking: dict[int, asyncio.Task[None]] = {}
        # Threads of its own: however many requests wait for theirs, streams go on.
        self._own_thread = anyio.CapacityLimiter(1)
        self._threads = anyio.CapacityLimiter(READERS)

    async def follow(
        self, key_id: str, study_id: int, only: int | None = None, after: int | None = None
    ) -> Follower:
        """Begin a stream; whoever does ends it by `leave`.

        Parameters
        ----------
        only
            One topic, or none for all of the study's.
        after
            The position of the log from which on that topic's news are told; from now on if not
            given.
        """
        most = self._service.settings.streams_per_key
        if self._by_key[key_id] >= most:
            raise TooManyStreams(f"this key has {most} event streams open; close one first")
        follower = Follower(key_id, study_id, only)
        self._by_key[key_id] += 1
        self._followers.add(follower)
        try:
            looks = await self._in_thread(self._reader.begin, study_id, only)
        except BaseException:
            self.leave(follower)
            raise
        for topic_id, look in looks.items():
            seen = follower.seen[topic_id] = Seen(look) if isinstance(look, int) else Seen.of(look)
            if after is not None and after < seen.position:
                follower.seen[topic_id] = Seen(after)
                follower.behind.add(topic_id)
        follower.begun = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        return follower

    def leave(self, follower: Follower) -> None:
        """End a stream."""
        if follower not in self._followers:
            return
        self._followers.discard(follower)
        self._by_key[follower.key_id] -= 1
        if not self._by_key[follower.key_id]:
            del self._by_key[follower.key_id]

    async def close(self) -> None:
        """Stop reading."""
        tasks = [one for one in (self._task, *self._looking.values()) if one is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def told(self, follower: Follower) -> AsyncIterator[bytes]:
        """Yield what a stream tells, until it ends."""
        while follower.end is None:
            told, missed = follower.tell_waiting()
            if told:
                yield told
            if missed is not None:
                async for told in self._missed(follower, missed):
                    yield told
            elif not told and not await follower.wait(PING_SECONDS):
                yield b": ping\n\n"
        yield f": {follower.end}\n\n".encode()

    async def _missed(self, follower: Follower, topic_id: int) -> AsyncIterator[bytes]:
        """Tell what a stream has missed of a topic, a page at a time."""
        follower.behind.discard(topic_id)
        while follower.end is None:
            after = follower.position(topic_id)
            batch = await self._in_thread(self._reader.missed, topic_id, after)
            if told := follower.tell(batch):
                yield told
            if batch.upto < after + PAGE:
                return

    async def _in_thread(self, read: Callable[..., Result], *given: object) -> Result:
        return await anyio.to_thread.run_sync(read, *given, limiter=self._threads)

    async def _run(self) -> None:
        """Read what is new, again and again, for as long as somebody wants to know."""
        while self._followers:
            if self._service.stopping.is_set():
                for follower in [*self._followers]:
                    follower.close("the service stops")
                return
            looked = asyncio.get_running_loop().time()
            try:
                await self._hand_out(await self._news())
            except NextpairError as error:
                # Streams stay: they go on when the database is there again.
                log.warning("event streams cannot read the log: %s", error)
            await asyncio.sleep(self._rest(looked))
        self._reader.forget()

    def _rest(self, looked: float) -> float:
        """Return how long to wait after a look: there is a pause even if to tell it took long."""
        every = self._service.settings.events_seconds
        return max(every * (1 - SPREAD), every - (asyncio.get_running_loop().time() - looked))

    async def _news(self) -> News:
        followed = frozenset((one.study_id, one.only) for one in self._followers if one.begun)
        keys = frozenset(one.key_id for one in self._followers)
        return await anyio.to_thread.run_sync(
            self._reader.news, followed, keys, self._clock(), limiter=self._own_thread
        )

    async def _look_elsewhere(self, topic_id: int, entries: int) -> None:
        """Have a large topic looked at by a helper process, if one can be had."""
        job = Job(look_from_afar, "", None, (topic_id,), warm=False)
        extent = Extent((topic_id,), entries, (entries,))
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            whole = await self._heavy.answer(job, extent, LOOKING, self._clock())
            look: Look = pickle.loads(whole.body)
            self._reader.take(topic_id, look)
            self._reader.pause(topic_id, LOOKING_PAUSE * (loop.time() - begun))
        except NextpairError:
            self._reader.pause(topic_id, LONGEST_PAUSE / 10)
        finally:
            del self._looking[topic_id]

    async def _hand_out(self, news: News) -> None:
        for topic_id, entries in news.distant:
            if topic_id not in self._looking:
                looking = asyncio.create_task(self._look_elsewhere(topic_id, entries))
                self._looking[topic_id] = looking
        followers = [*self._followers]
        pause = (
            SPREAD * self._service.settings.events_seconds * MOST_AT_ONCE / (len(followers) or 1)
        )
        for place, follower in enumerate(followers):
            if follower.key_id in news.ended:
                follower.close("the key does not open this any more")
            for study_id, batch in news.batches:
                if follower.wants(study_id, batch.topic_id):
                    follower.offer(batch)
            if place % MOST_AT_ONCE == MOST_AT_ONCE - 1 and news.batches:
                await asyncio.sleep(pause)
