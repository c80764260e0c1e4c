"""Group commit: the units of work of requests that come at the same moment share a transaction.

SQLite has one writer, and waits for the disk at every commit. Where one process serves, one thread
commits for all requests: those that come while it is at work share the next transaction, and are
answered after its commit. So many requests wait for the disk together, and the event loop never
waits for the database.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from nextpair.app.runtime.topic_cache import Slot, TopicCache, WouldBlock
from nextpair.app.runtime.unit_of_work import (
    Decision,
    Result,
    UnitOfWork,
    try_optimistically,
    write,
)
from nextpair.selectors.errors import NextpairError
from nextpair.storage import topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import Locked, StorageError, Unavailable, WrongSchema

MOST = 32
"""How many requests share a transaction: the others wait for a connection to be served."""
PATIENCE = 0.05
"""How many seconds a request waits for a contended topic, before it gets a thread of its own."""
PAUSE = 0.002
"""How many seconds pass before a request for a contended topic is tried again."""
Context = TypeVar("Context")


class TopicContended(WouldBlock):
    """Another thread has the topic's lock; it will not keep it for long."""


class CommitGroup:
    """The units of work of one transaction.

    The locks of their topics are held until the transaction ends: their projections already show
    what is not committed, and nobody else may see that.
    """

    def __init__(self, connection: Connection, topics: TopicCache, locks: ExitStack) -> None:
        self._connection = connection
        self._topics = topics
        self._locks = locks
        self._slots: dict[int, Slot] = {}
        self.writes = 0

    def transact(self, topic_id: int, decide: Decision[Result]) -> Result:
        """Make a decision and write it; WouldBlock if the topic has to be read first."""
        slot = self._hold(topic_id)
        projection, connection = slot.projection, self._connection
        if projection is None:
            raise WouldBlock()
        work = try_optimistically(connection, projection, decide)
        if work is None:
            # This transaction has the write lock: if the projection is up to date now, it stays so.
            if topics.lock_topic(connection, topic_id) != projection.head:
                raise WouldBlock()
            work = self._write_locked(connection, slot, decide)
        if work.delta is not None:
            self.writes += 1
            projection.apply(work.delta)
        return work.result

    def _write_locked(
        self, connection: Connection, slot: Slot, decide: Decision[Result]
    ) -> UnitOfWork[Result]:
        assert slot.projection is not None
        # A savepoint: if the decision refuses after it has written, nothing of that is kept.
        with connection.begin_nested():
            work = decide(connection, slot.projection, True)
            assert work is not None, "a decision under the lock must not be put off"
            if work.delta is not None and not write(connection, slot.projection, work):
                raise WouldBlock()
        return work

    def _hold(self, topic_id: int) -> Slot:
        slot = self._slots.get(topic_id)
        if slot is None:
            try:
                slot = self._locks.enter_context(self._topics.hold(topic_id, blocking=False))
            except WouldBlock:
                raise TopicContended() from None
            self._slots[topic_id] = slot
        return slot

    def invalidate(self) -> None:
        """Drop the projections: they show changes that were rolled back."""
        for slot in self._slots.values():
            slot.projection = None


@contextmanager
def commit_group(database: Database, topics: TopicCache, seconds: float) -> Iterator[CommitGroup]:
    """Begin a commit group: committed if the block ends well, rolled back if it raises.

    The write lock is taken before any topic's lock, so that no reader of a topic waits meanwhile.
    Topics' locks are then taken without blocking: that is the other order than the transactor's,
    and would otherwise deadlock with it.

    Parameters
    ----------
    seconds
        How long to wait for the write lock.
    """
    with ExitStack() as locks, ExitStack() as transaction:
        connection = transaction.enter_context(database.write(wait=seconds))
        group = CommitGroup(connection, topics, locks)
        try:
            # The transaction ends in here, before the topics' locks are released.
            with transaction.pop_all():
                yield group
        except BaseException:
            group.invalidate()
            raise


class _Queued(NamedTuple):
    """A use case that waits for its turn.

    Parameters
    ----------
    retry_until
        Until when it is tried again if its topic is contended.
    deadline
        Until when it waits for the database.
    """

    use_case: Callable[[Any], Any]
    future: asyncio.Future[Any]
    retry_until: float
    deadline: float


class GroupCommitter(Generic[Context]):
    """Queues use cases while its thread is at work, then runs all of them in one transaction.

    Parameters
    ----------
    begin
        Begins a commit group, given how many seconds to wait for the write lock; yields the context
        that the use cases run with.
    busy_seconds
        How long a request may wait for the database.
    """

    def __init__(
        self,
        begin: Callable[[float], AbstractContextManager[tuple[Context, CommitGroup]]],
        busy_seconds: float,
    ) -> None:
        self._begin = begin
        self._busy_seconds = busy_seconds
        self._queue: list[_Queued] = []
        self._at_work = False
        self._thread = ThreadPoolExecutor(1, "committer")

    def close(self) -> None:
        """Stop the thread, after the group that it is committing."""
        self._thread.shutdown()

    async def execute(self, use_case: Callable[[Context], Result]) -> Result:
        """Run a use case in a group with others; WouldBlock if it needs a thread of its own."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        now = time.monotonic()
        self._queue.append(_Queued(use_case, future, now + PATIENCE, now + self._busy_seconds))
        if not self._at_work:
            self._at_work = True
            # After all requests that the loop has received already.
            loop.call_soon(self._start)
        return await future

    def _start(self) -> None:
        batch, self._queue = self._queue[:MOST], self._queue[MOST:]
        loop = asyncio.get_running_loop()
        job = loop.run_in_executor(self._thread, self._run_batch, batch)
        job.add_done_callback(partial(self._finish, batch))

    def _finish(self, batch: list[_Queued], job: asyncio.Future[list[Any]]) -> None:
        again: list[_Queued] = []
        for queued, result in zip(batch, _results_of(job, len(batch)), strict=True):
            if isinstance(result, TopicContended) and time.monotonic() < queued.retry_until:
                again.append(queued)
            else:
                _resolve(queued.future, result)
        loop = asyncio.get_running_loop()
        self._at_work = bool(self._queue or again)
        if self._queue:
            loop.call_soon(self._start)
        elif again:
            loop.call_later(PAUSE, self._start)
        self._queue = again + self._queue

    def _run_batch(self, batch: Sequence[_Queued]) -> list[Any]:
        try:
            seconds = min(queued.deadline for queued in batch) - time.monotonic()
            return self._commit_batch([queued.use_case for queued in batch], max(0.0, seconds))
        except (Unavailable, WrongSchema) as error:
            # Nothing was changed, and each of them would get the same error if it ran by itself.
            return [_refusal(error) for _ in batch]
        except Exception:
            # Each is run by itself: then the error reaches the request that has caused it.
            return [WouldBlock() for _ in batch]

    def _commit_batch(self, use_cases: list[Callable[[Context], Any]], seconds: float) -> list[Any]:
        results: list[Any] = []
        with self._begin(seconds) as (context, group):
            for use_case in use_cases:
                before = group.writes
                try:
                    results.append(use_case(context))
                except (WouldBlock, NextpairError) as error:
                    if group.writes > before:
                        raise
                    results.append(error)
        return results


def _refusal(error: Unavailable | WrongSchema) -> StorageError:
    """Copy an error for each request: raising one object twice would mix up its tracebacks."""
    kind = Unavailable if isinstance(error, Locked) else type(error)
    return kind(str(error))


def _results_of(job: asyncio.Future[list[Any]], count: int) -> list[Any]:
    if job.cancelled():
        return [WouldBlock() for _ in range(count)]
    return job.result()


def _resolve(future: asyncio.Future[Any], result: Any) -> None:
    if future.done():
        # The request was cancelled meanwhile.
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
