"""Changes of requests that come at the same moment, written and committed together.

SQLite has one writer and waits for the disk at every commit. Where one process serves, requests
that have come while others were worked on share a transaction: each is answered once that is
committed, and many wait for the disk together.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Generic, NamedTuple, TypeVar

from nextpair.app.judging.cache import Slot, TopicCache, WouldWait
from nextpair.app.judging.steps import Act, Result, Step, attempt, write
from nextpair.selectors.errors import NextpairError
from nextpair.storage import topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import Unavailable

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

    def __init__(
        self, database: Database, topics: TopicCache, held: ExitStack, transaction: ExitStack
    ) -> None:
        self._database = database
        self._topics = topics
        self._held = held
        self._transaction = transaction
        self._connection: Connection | None = None
        self._slots: dict[int, Slot] = {}
        self.changes = 0

    def change(self, topic_id: int, act: Act[Result]) -> Result:
        """Let an act change a topic; WouldWait if the topic has to be read first."""
        slot = self._hold(topic_id)
        live, connection = slot.live, self._connect()
        if live is None:
            raise WouldWait()
        step = attempt(connection, live, act, write)
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

    def _connect(self) -> Connection:
        if self._connection is None:
            try:
                write = self._database.write(patient=False)
                self._connection = self._transaction.enter_context(write)
            except Unavailable:
                raise Busy() from None
        return self._connection

    def forget(self) -> None:
        """Forget the topics, which are not what they were going to be."""
        for slot in self._slots.values():
            slot.live = None


@contextmanager
def group(database: Database, topics: TopicCache) -> Iterator[Group]:
    """Begin a group; it is committed when the block ends well, and else nothing has happened."""
    with ExitStack() as held:
        transaction = ExitStack()
        changes = Group(database, topics, held, transaction)
        try:
            with transaction:
                yield changes
        except BaseException:
            changes.forget()
            raise


class _Waiting(NamedTuple):
    """What is to be done, who is told, and until when it may wait."""

    use_case: Callable[[Any], Any]
    future: asyncio.Future[Any]
    until: float


class Together(Generic[Host]):
    """Gathers what is to be done while the event loop has more of it, and then does it all.

    Parameters
    ----------
    begin
        Begins a group, and gives what use cases are done with.
    """

    def __init__(self, begin: Callable[[], AbstractContextManager[tuple[Host, Group]]]) -> None:
        self._begin = begin
        self._waiting: list[_Waiting] = []

    async def do(self, use_case: Callable[[Host], Result]) -> Result:
        """Run a use case with others; WouldWait or Unavailable if it has to be run by itself."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        if not self._waiting:
            # After all requests that the loop already knows of.
            loop.call_soon(self._do_all)
        self._waiting.append(_Waiting(use_case, future, time.monotonic() + PATIENCE))
        return await future

    def _do_all(self) -> None:
        now, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        try:
            results = self._try_all([one.use_case for one in now])
        except Exception:
            # Whose fault it was comes out when each is run by itself.
            results = [WouldWait() for _ in now]
        again: list[_Waiting] = []
        for one, result in zip(now, results, strict=True):
            if isinstance(result, Busy) and time.monotonic() < one.until:
                again.append(one)
            else:
                _tell(one.future, result)
        loop = asyncio.get_running_loop()
        if self._waiting:
            loop.call_soon(self._do_all)
        elif again:
            loop.call_later(PAUSE, self._do_all)
        self._waiting = again + self._waiting

    def _try_all(self, use_cases: list[Callable[[Host], Any]]) -> list[Any]:
        results: list[Any] = []
        with self._begin() as (host, changes):
            for use_case in use_cases:
                before = changes.changes
                try:
                    results.append(use_case(host))
                except (WouldWait, NextpairError) as error:
                    if changes.changes > before:
                        raise
                    results.append(error)
        return results


def _tell(future: asyncio.Future[Any], result: Any) -> None:
    if future.done():
        # Who asked has gone.
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
