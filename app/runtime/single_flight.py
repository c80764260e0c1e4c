"""Single flight: concurrent calls for the same key share one lookup."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from starlette.concurrency import run_in_threadpool

Value = TypeVar("Value")


class SingleFlight(Generic[Value]):
    """Shares the result of a call in flight with all callers of the same key.

    Without it, whenever a cached key expires, every request of that moment would look it up, and
    these lookups would occupy all threads.
    """

    def __init__(self) -> None:
        self._in_flight: dict[str, asyncio.Task[Value]] = {}

    async def do(self, name: str, call: Callable[[str], Value]) -> Value:
        """Call with a key in a thread; if such a call is in flight, wait for its result."""
        task = self._in_flight.get(name)
        if task is None:
            task = asyncio.ensure_future(run_in_threadpool(call, name))
            self._in_flight[name] = task
            task.add_done_callback(lambda done: self._forget(name, done))
        # If one caller is cancelled, the others still get the result.
        return await asyncio.shield(task)

    def _forget(self, name: str, done: "asyncio.Task[Value]") -> None:
        del self._in_flight[name]
        if not done.cancelled():
            # Retrieved, or asyncio would log it where every caller was cancelled.
            done.exception()
