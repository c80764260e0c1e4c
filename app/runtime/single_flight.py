"""Single flight: what many ask for at the same moment is looked up once."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from starlette.concurrency import run_in_threadpool

Answer = TypeVar("Answer")


class SingleFlight(Generic[Answer]):
    """Shares the answer of a call that is under way with all who ask for the same meanwhile.

    Without it, all requests of a busy minute would look the same key up when it is forgotten, and
    have all threads with that.
    """

    def __init__(self) -> None:
        self._under_way: dict[str, asyncio.Task[Answer]] = {}

    async def do(self, name: str, call: Callable[[str], Answer]) -> Answer:
        """Call something by name in a thread, unless that is being done."""
        task = self._under_way.get(name)
        if task is None:
            task = asyncio.ensure_future(run_in_threadpool(call, name))
            self._under_way[name] = task
            task.add_done_callback(lambda done: self._forget(name, done))
        # Whoever goes away does not take the others' answer along.
        return await asyncio.shield(task)

    def _forget(self, name: str, done: "asyncio.Task[Answer]") -> None:
        del self._under_way[name]
        if not done.cancelled():
            # Looked at, should everyone who asked have gone.
            done.exception()
