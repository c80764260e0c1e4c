"""Group commit: changes of requests that come at the same moment share a transaction.

SQLite has one writer and waits for the disk at every commit. Where one process serves, one thread
commits for all: requests that come while it is at work share the next transaction. Each is
answered once that is committed, and many wait for the disk together. The event loop waits for
nothing.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from nextpair.app.runtime.topic_cache import Slot, TopicCache, WouldWait
from nextpair.app.runtime.unit_of_work import Act, Result, Step, attempt, write
from nextpair.selectors.errors import NextpairError
from nextpair.storage import topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import Locked, StorageError, Unavailable, WrongSchema

MOST = 32
"""How many requests share a transaction: others wait for their connections to be looked at."""
PATIENCE = 0.05
"""Seconds a request waits for a topic that a thread is at, before it gets a thread, too."""
PAUSE = 0.002
"""Seconds until it is tried again."""
Host = TypeVar("Host")


class Busy(WouldWait):
    """A thread has the topic, or writes; it will not take long."""


class Group:
    """Changes of one transaction.

    Their topics stay locked until it ends: what they have become in memory is nobody's to see
    before.
    """

    def __init__(self, connection: Connection, topics: TopicCache, held: ExitStack) -> None:
        self._connection = connection
        self._topics = topics
        self._held = held
        self._slots: dict[int, Slot] = {}
        self.changes = 0

    def change(self, topic_id: int, act: Act[Result]) -> Result:
        """Let an act change a topic; WouldWait if the topic has to be read first."""
        slot = self._hold(topic_id)
        live, connection = slot.live, self._connection
        if live is None:
            raise WouldWait()
        step = attempt(connection, live, act)
        if step is None:
            # Nobody else writes now: if what is remembered is true, it stays true until the end.
            if topics.lock_topic(connection, topic_id) != live.head:
                raise WouldWait()
            step = self._act_locked(connection, slot, act)
        if step.change is not None:
            self.changes += 1
            live.apply(step.change)
        return step.result

    def _act_locked(self, connection: Connection, slot: Slot, act: Act[Result]) -> Step[Result]:
        assert slot.live is not None
        # What it writes before it finds that it must refuse is not to be kept.
        with connection.begin_nested():
            step = act(connection, slot.live, True)
            assert step is not None, "an act that has the lock decides"
            if step.change is not None and not write(connection, slot.live, step):
                raise WouldWait()
        return step

    def _hold(self, topic_id: int) -> Slot:
        slot = self._slots.get(topic_id)
        if slot is None:
            try:
                slot = self._held.enter_context(self._topics.hold(topic_id, patient=False))
            except WouldWait:
                raise Busy() from None
            self._slots[topic_id] = slot
        return slot

    def forget(self) -> None:
        """Forget the topics, which are not what they were going to be."""
        for slot in self._slots.values():
            slot.live = None


@contextmanager
def group(database: Database, topics: TopicCache, seconds: float) -> Iterator[Group]:
    """Begin a group; it is committed when the block ends well, and else nothing has happened.

    The write lock is waited for first, so that no topic is kept from its readers meanwhile.

    Parameters
    ----------
    seconds
        How long to wait for the write lock.
    """
    with ExitStack() as held, ExitStack() as transaction:
        connection = transaction.enter_context(database.write(wait=seconds))
        changes = Group(connection, topics, held)
        try:
            # Inside of the topics' locks, so that they end after the transaction.
            with transaction.pop_all():
                yield changes
        except BaseException:
            changes.forget()
            raise


class _Waiting(NamedTuple):
    """What is to be done, who is told, and until when it may wait: for a topic, and at all."""

    use_case: Callable[[Any], Any]
    future: asyncio.Future[Any]
    until: float
    deadline: float


class GroupCommitter(Generic[Host]):
    """Gathers what is to be done while its thread is at work, and then does it all.

    Parameters
    ----------
    begin
        Begins a group within some seconds, and gives what use cases are done with.
    busy_seconds
        How long a request may wait for the database.
    """

    def __init__(
        self,
        begin: Callable[[float], AbstractContextManager[tuple[Host, Group]]],
        busy_seconds: float,
    ) -> None:
        self._begin = begin
        self._busy_seconds = busy_seconds
        self._waiting: list[_Waiting] = []
        self._at_work = False
        self._thread = ThreadPoolExecutor(1, "committer")

    def close(self) -> None:
        """End the thread, once it has done what it is at."""
        self._thread.shutdown()

    async def do(self, use_case: Callable[[Host], Result]) -> Result:
        """Run a use case with others; WouldWait if it has to be run by itself."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        now = time.monotonic()
        self._waiting.append(_Waiting(use_case, future, now + PATIENCE, now + self._busy_seconds))
        if not self._at_work:
            self._at_work = True
            # After all requests that the loop already knows of.
            loop.call_soon(self._start)
        return await future

    def _start(self) -> None:
        now, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        loop = asyncio.get_running_loop()
        job = loop.run_in_executor(self._thread, self._do_all, now)
        job.add_done_callback(partial(self._finish, now))

    def _finish(self, now: list[_Waiting], job: asyncio.Future[list[Any]]) -> None:
        again: list[_Waiting] = []
        for one, result in zip(now, _results_of(job, len(now)), strict=True):
            if isinstance(result, Busy) and time.monotonic() < one.until:
                again.append(one)
            else:
                _tell(one.future, result)
        loop = asyncio.get_running_loop()
        self._at_work = bool(self._waiting or again)
        if self._waiting:
            loop.call_soon(self._start)
        elif again:
            loop.call_later(PAUSE, self._start)
        self._waiting = again + self._waiting

    def _do_all(self, now: Sequence[_Waiting]) -> list[Any]:
        try:
            left = min(one.deadline for one in now) - time.monotonic()
            return self._try_all([one.use_case for one in now], max(0.0, left))
        except (Unavailable, WrongSchema) as error:
            # Each would be told the same, and nothing was changed.
            return [_refusal(error) for _ in now]
        except Exception:
            # Whose fault it was comes out when each is run by itself.
            return [WouldWait() for _ in now]

    def _try_all(self, use_cases: list[Callable[[Host], Any]], seconds: float) -> list[Any]:
        results: list[Any] = []
        with self._begin(seconds) as (host, changes):
            for use_case in use_cases:
                before = changes.changes
                try:
                    results.append(use_case(host))
                except (WouldWait, NextpairError) as error:
                    if changes.changes > before:
                        raise
                    results.append(error)
        return results


def _refusal(error: Unavailable | WrongSchema) -> StorageError:
    """Make an error to be raised once more: each that is raised gets a traceback of its own."""
    kind = Unavailable if isinstance(error, Locked) else type(error)
    return kind(str(error))


def _results_of(job: asyncio.Future[list[Any]], count: int) -> list[Any]:
    if job.cancelled():
        return [WouldWait() for _ in range(count)]
    return job.result()


def _tell(future: asyncio.Future[Any], result: Any) -> None:
    if future.done():
        # Who asked has gone.
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
