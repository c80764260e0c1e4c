"""Changes of requests that come at the same moment, written and committed together.

SQLite has one writer and waits for the disk at every commit. Where one process serves, requests
that have come while others were worked on share a transaction: each is answered once that is
committed, and many wait for the disk together.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Generic, TypeVar

from nextpair.app.judging.cache import Slot, TopicCache, WouldWait
from nextpair.app.judging.steps import Act, Result, attempt, write
from nextpair.selectors.errors import NextpairError
from nextpair.storage.database import Connection, Database

MOST = 32
"""How many requests share a transaction: others wait for their connections to be looked at."""
Host = TypeVar("Host")


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
        """Let an act change a topic; WouldWait if there is more to it than writing."""
        slot = self._hold(topic_id)
        if slot.live is None:
            raise WouldWait()
        step = attempt(self._connect(), slot.live, act, write)
        if step is None or step.change is None:
            raise WouldWait()
        self.changes += 1
        slot.live.apply(step.change)
        return step.result

    def _hold(self, topic_id: int) -> Slot:
        slot = self._slots.get(topic_id)
        if slot is None:
            slot = self._held.enter_context(self._topics.hold(topic_id, patient=False))
            self._slots[topic_id] = slot
        return slot

    def _connect(self) -> Connection:
        if self._connection is None:
            write = self._database.write(patient=False)
            self._connection = self._transaction.enter_context(write)
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


class Together(Generic[Host]):
    """Gathers what is to be done while the event loop has more of it, and then does it all.

    Parameters
    ----------
    begin
        Begins a group, and gives what use cases are done with.
    """

    def __init__(self, begin: Callable[[], AbstractContextManager[tuple[Host, Group]]]) -> None:
        self._begin = begin
        self._waiting: list[tuple[Callable[[Host], Any], asyncio.Future[Any]]] = []

    async def do(self, use_case: Callable[[Host], Result]) -> Result:
        """Run a use case with others; WouldWait or Unavailable if it has to be run by itself."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        if not self._waiting:
            # After all requests that the loop already knows of.
            loop.call_soon(self._do_all)
        self._waiting.append((use_case, future))
        return await future

    def _do_all(self) -> None:
        now, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._do_all)
        try:
            results = self._try_all([use_case for use_case, _ in now])
        except Exception:
            # Whose fault it was comes out when each is run by itself.
            results = [WouldWait() for _ in now]
        for (_, future), result in zip(now, results, strict=True):
            if future.done():
                continue
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)

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
