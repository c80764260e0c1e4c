"""One tail of the log for all streams of this process: it is read once, whoever listens."""

import asyncio
import logging
import pickle
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from nextpair.app.compute.jobs import Job, JobInputs
from nextpair.app.compute.pool import ComputePool
from nextpair.app.errors import TooManyStreams
from nextpair.app.events.log_batches import PAGE, ProgressSnapshot, pickled_snapshot
from nextpair.app.events.log_reader import MAX_SNAPSHOT_PAUSE, LogReader, LogUpdates
from nextpair.app.events.subscription import StreamCursor, Subscription
from nextpair.app.runtime.service import Service
from nextpair.selectors.errors import NextpairError

log = logging.getLogger("nextpair")

PING_SECONDS = 15.0
"""How long a stream is silent before it says that it is there."""
READERS = 2
"""Threads that read what single streams have missed."""
DELIVERY_BATCH = 25
"""Streams that are told without a pause: other requests get their turn in between."""

SNAPSHOT_KEY = "events"
"""Whose key heavy calls of streams count for."""
REMOTE_SNAPSHOT_PAUSE = 10.0
"""How many times as long as looking at a large topic took nobody looks at it again."""

Result = TypeVar("Result")


class EventHub:
    """Follows the logs of all topics that somebody follows. All of it is on the event loop."""

    def __init__(
        self, service: Service, compute_pool: ComputePool, clock: Callable[[], float]
    ) -> None:
        self._service = service
        self._compute_pool = compute_pool
        self._clock = clock
        self._reader = LogReader(service)
        self._subscriptions: set[Subscription] = set()
        self._by_key: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None
        self._snapshot_tasks: dict[int, asyncio.Task[None]] = {}
        # Threads of its own: however many requests wait for theirs, streams go on.
        self._reader_limiter = anyio.CapacityLimiter(1)
        self._catch_up_limiter = anyio.CapacityLimiter(READERS)

    async def subscribe(
        self, key_id: str, study_id: int, only: int | None = None, after: int | None = None
    ) -> Subscription:
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
        subscription = Subscription(key_id, study_id, only)
        self._by_key[key_id] += 1
        self._subscriptions.add(subscription)
        try:
            starts = await self._in_thread(self._reader.start_following, study_id, only)
        except BaseException:
            self.unsubscribe(subscription)
            raise
        for topic_id, snapshot in starts.items():
            seen = subscription.cursors[topic_id] = (
                StreamCursor(snapshot) if isinstance(snapshot, int) else StreamCursor.of(snapshot)
            )
            if after is not None and after < seen.position:
                subscription.cursors[topic_id] = StreamCursor(after)
                subscription.lagging_topics.add(topic_id)
        subscription.started = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a stream."""
        if subscription not in self._subscriptions:
            return
        self._subscriptions.discard(subscription)
        self._by_key[subscription.key_id] -= 1
        if not self._by_key[subscription.key_id]:
            del self._by_key[subscription.key_id]

    async def close(self) -> None:
        """Stop reading."""
        tasks = [one for one in (self._task, *self._snapshot_tasks.values()) if one is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def events(self, subscription: Subscription) -> AsyncIterator[bytes]:
        """Yield what a stream tells, until it ends."""
        while subscription.end_reason is None:
            batch = subscription.pop()
            if batch is not None and not subscription.has_gap(batch):
                if told := subscription.render(batch):
                    yield told
            elif batch is not None or subscription.lagging_topics:
                topic_id = subscription.lagging_topics.pop() if batch is None else batch.topic_id
                async for told in self._catch_up(subscription, topic_id):
                    yield told
            elif not await subscription.wait(PING_SECONDS):
                yield b": ping\n\n"
        yield f": {subscription.end_reason}\n\n".encode()

    async def _catch_up(self, subscription: Subscription, topic_id: int) -> AsyncIterator[bytes]:
        """Tell what a stream has missed of a topic, a page at a time."""
        subscription.lagging_topics.discard(topic_id)
        while subscription.end_reason is None:
            after = subscription.position(topic_id)
            batch = await self._in_thread(self._reader.read_missed, topic_id, after)
            if told := subscription.render(batch):
                yield told
            if batch.upto < after + PAGE:
                return

    async def _in_thread(self, read: Callable[..., Result], *given: object) -> Result:
        return await anyio.to_thread.run_sync(read, *given, limiter=self._catch_up_limiter)

    async def _run(self) -> None:
        """Read what is new, again and again, for as long as somebody wants to know."""
        while self._subscriptions:
            if self._service.stopping.is_set():
                for subscription in [*self._subscriptions]:
                    subscription.close("the service stops")
                return
            try:
                await self._deliver(await self._read_updates())
            except NextpairError as error:
                # Streams stay: they go on when the database is there again.
                log.warning("event streams cannot read the log: %s", error)
            await asyncio.sleep(self._service.settings.events_seconds)
        self._reader.forget()

    async def _read_updates(self) -> LogUpdates:
        followed = frozenset(
            (subscription.study_id, subscription.topic_id)
            for subscription in self._subscriptions
            if subscription.started
        )
        keys = frozenset(subscription.key_id for subscription in self._subscriptions)
        return await anyio.to_thread.run_sync(
            self._reader.read_updates, followed, keys, self._clock(), limiter=self._reader_limiter
        )

    async def _snapshot_remotely(self, topic_id: int, entries: int) -> None:
        """Have a large topic looked at by a helper process, if one can be had."""
        job = Job(pickled_snapshot, "", None, (topic_id,), warm=False)
        inputs = JobInputs((topic_id,), entries, (entries,))
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            result = await self._compute_pool.compute(job, inputs, SNAPSHOT_KEY, self._clock())
            snapshot: ProgressSnapshot = pickle.loads(result.body)
            self._reader.accept_snapshot(topic_id, snapshot)
            self._reader.defer_snapshot(topic_id, REMOTE_SNAPSHOT_PAUSE * (loop.time() - begun))
        except NextpairError:
            self._reader.defer_snapshot(topic_id, MAX_SNAPSHOT_PAUSE / 10)
        finally:
            del self._snapshot_tasks[topic_id]

    async def _deliver(self, updates: LogUpdates) -> None:
        for topic_id, entries in updates.remote_topics:
            if topic_id not in self._snapshot_tasks:
                looking = asyncio.create_task(self._snapshot_remotely(topic_id, entries))
                self._snapshot_tasks[topic_id] = looking
        for place, subscription in enumerate([*self._subscriptions]):
            if subscription.key_id in updates.expired_keys:
                subscription.close("the key does not open this any more")
            for study_id, batch in updates.batches:
                if subscription.covers(study_id, batch.topic_id):
                    subscription.push(batch)
            if place % DELIVERY_BATCH == DELIVERY_BATCH - 1:
                await asyncio.sleep(0)
