"""The event hub: reads each log once, and delivers its events to all subscriptions."""

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
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.selectors.errors import NextpairError

log = logging.getLogger("nextpair")

PING_SECONDS = 15.0
"""How long a stream is silent before it sends a comment to keep the connection alive."""
READERS = 2
"""Threads that let lagging subscriptions catch up."""
DELIVERY_BATCH = 5
"""Subscriptions that get their batches before other requests have a turn."""
DELIVERY_SHARE = 0.5
"""The share of the polling interval over which batches are delivered to all subscriptions."""

SNAPSHOT_KEY = "events"
"""The key that remote snapshots are counted for in admission control."""
REMOTE_SNAPSHOT_PAUSE = 10.0
"""The pause after a remote snapshot of a topic, as a multiple of the time that it took."""

Result = TypeVar("Result")


class EventHub:
    """Follows the logs of all topics with subscriptions. Used on the event loop only."""

    def __init__(
        self, service: ServiceContext, compute_pool: ComputePool, clock: Callable[[], float]
    ) -> None:
        self._service = service
        self._compute_pool = compute_pool
        self._clock = clock
        self._reader = LogReader(service)
        self._subscriptions: set[Subscription] = set()
        self._by_key: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None
        self._snapshot_tasks: dict[int, asyncio.Task[None]] = {}
        # Threads of their own: streams go on however many requests wait for a thread.
        self._reader_limiter = anyio.CapacityLimiter(1)
        self._catch_up_limiter = anyio.CapacityLimiter(READERS)

    async def subscribe(
        self, key_id: str, study_id: int, only_topic: int | None = None, after: int | None = None
    ) -> Subscription:
        """Start a subscription; the caller ends it with `unsubscribe`.

        Parameters
        ----------
        only_topic
            One topic; None for all topics of the study.
        after
            The position of that topic's log after which events are sent; None for the current one.
        """
        most = self._service.settings.streams_per_key
        if self._by_key[key_id] >= most:
            raise TooManyStreams(f"this key has {most} event streams open; close one first")
        subscription = Subscription(key_id, study_id, only_topic)
        self._by_key[key_id] += 1
        self._subscriptions.add(subscription)
        try:
            starts = await self._in_thread(self._reader.start_following, study_id, only_topic)
        except BaseException:
            self.unsubscribe(subscription)
            raise
        for topic_id, snapshot in starts.items():
            cursor = subscription.cursors[topic_id] = (
                StreamCursor(snapshot) if isinstance(snapshot, int) else StreamCursor.at(snapshot)
            )
            if after is not None and after < cursor.position:
                subscription.cursors[topic_id] = StreamCursor(after)
                subscription.lagging_topics.add(topic_id)
        subscription.started = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription."""
        if subscription not in self._subscriptions:
            return
        self._subscriptions.discard(subscription)
        self._by_key[subscription.key_id] -= 1
        if not self._by_key[subscription.key_id]:
            del self._by_key[subscription.key_id]

    async def close(self) -> None:
        """Stop reading."""
        tasks = [task for task in (self._task, *self._snapshot_tasks.values()) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def events(self, subscription: Subscription) -> AsyncIterator[bytes]:
        """Yield the events of a subscription as they are sent, until it ends."""
        while subscription.end_reason is None:
            data, lagging_topic = subscription.render_buffered()
            if data:
                yield data
            if lagging_topic is not None:
                async for missed in self._catch_up(subscription, lagging_topic):
                    yield missed
            elif not data and not await subscription.wait(PING_SECONDS):
                yield b": ping\n\n"
        yield f": {subscription.end_reason}\n\n".encode()

    async def _catch_up(self, subscription: Subscription, topic_id: int) -> AsyncIterator[bytes]:
        """Yield the events that a lagging subscription has missed of a topic, page by page."""
        subscription.lagging_topics.discard(topic_id)
        while subscription.end_reason is None:
            after = subscription.position(topic_id)
            batch = await self._in_thread(self._reader.read_missed, topic_id, after)
            if data := subscription.render(batch):
                yield data
            if batch.upto < after + PAGE:
                return

    async def _in_thread(self, read: Callable[..., Result], *arguments: object) -> Result:
        return await anyio.to_thread.run_sync(read, *arguments, limiter=self._catch_up_limiter)

    async def _run(self) -> None:
        """Poll the logs as long as there are subscriptions."""
        while self._subscriptions:
            if self._service.stopping.is_set():
                for subscription in [*self._subscriptions]:
                    subscription.close("the service stops")
                return
            polled_at = asyncio.get_running_loop().time()
            try:
                await self._deliver(await self._read_updates())
            except NextpairError as error:
                # Subscriptions stay open, and go on when the database is available again.
                log.warning("event streams cannot read the log: %s", error)
            await asyncio.sleep(self._pause(polled_at))
        self._reader.forget()

    def _pause(self, polled_at: float) -> float:
        """Return the time until the next poll; there is a pause even after a long delivery."""
        interval = self._service.settings.events_seconds
        elapsed = asyncio.get_running_loop().time() - polled_at
        return max(interval * (1 - DELIVERY_SHARE), interval - elapsed)

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
        """Have a helper process take the snapshot of a large topic, if one is available."""
        job = Job(pickled_snapshot, "", None, (topic_id,), warm=False)
        inputs = JobInputs((topic_id,), entries, (entries,))
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            result = await self._compute_pool.compute(job, inputs, SNAPSHOT_KEY, self._clock())
            snapshot: ProgressSnapshot = pickle.loads(result.body)
            self._reader.accept_snapshot(topic_id, snapshot)
            self._reader.defer_snapshot(topic_id, REMOTE_SNAPSHOT_PAUSE * (loop.time() - started))
        except NextpairError:
            self._reader.defer_snapshot(topic_id, MAX_SNAPSHOT_PAUSE / 10)
        finally:
            del self._snapshot_tasks[topic_id]

    async def _deliver(self, updates: LogUpdates) -> None:
        for topic_id, entries in updates.remote_topics:
            if topic_id not in self._snapshot_tasks:
                task = asyncio.create_task(self._snapshot_remotely(topic_id, entries))
                self._snapshot_tasks[topic_id] = task
        subscriptions = [*self._subscriptions]
        window = DELIVERY_SHARE * self._service.settings.events_seconds
        pause = window * DELIVERY_BATCH / (len(subscriptions) or 1)
        for place, subscription in enumerate(subscriptions):
            if subscription.key_id in updates.expired_keys:
                subscription.close("the key does not open this any more")
            for study_id, batch in updates.batches:
                if subscription.covers(study_id, batch.topic_id):
                    subscription.push(batch)
            if place % DELIVERY_BATCH == DELIVERY_BATCH - 1 and updates.batches:
                await asyncio.sleep(pause)
