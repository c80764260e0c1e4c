"""Admission control for computations: at most so many run, wait, and belong to one key."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from nextpair.app.compute.helper_handle import HelperHandle
from nextpair.app.errors import Overloaded, TooManyHeavyCalls
from nextpair.app.settings import ServiceSettings

IDLE_SECONDS = 600.0
"""How long an idle helper process keeps its memory before it is terminated."""


@dataclass(slots=True)
class Permit:
    """The resources of one admitted computation: a share of its key's limit, and then a helper."""

    key: str
    helper: HelperHandle | None = None
    returned: bool = False


class AdmissionControl:
    """The helper processes of this process, and the queue for them. Used on the event loop only.

    Parameters
    ----------
    on_change
        Called with the number of admitted computations whenever it changes.
    """

    def __init__(self, settings: ServiceSettings, on_change: Callable[[int], None]) -> None:
        self._on_change = on_change
        self._capacity = max(1, settings.heavy_processes // settings.processes)
        self._max_waiting = settings.heavy_waiting
        self._max_per_key = settings.heavy_per_key
        self._helpers = tuple(HelperHandle(settings) for _ in range(self._capacity))
        self._idle_helpers = list(self._helpers)
        self._waiters: deque[asyncio.Future[HelperHandle]] = deque()
        self._admitted = 0
        self._admitted_by_key: Counter[str] = Counter()
        self._idle_timers: dict[HelperHandle, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def admit(self, key: str) -> "Permit":
        """Return a permit for one more computation, or raise if a limit is reached."""
        if self._admitted_by_key[key] >= self._max_per_key:
            raise TooManyHeavyCalls(
                f"this key has {self._max_per_key} reports, rankings or files under way;"
                " wait for one to end"
            )
        if self._closed or self._admitted >= self._capacity + self._max_waiting:
            raise Overloaded(
                f"{self._admitted} reports, rankings or files are under way for all keys together;"
                " try again in a few seconds"
            )
        self._admitted_by_key[key] += 1
        self._admitted += 1
        self._on_change(self._admitted)
        return Permit(key)

    def return_permit(self, permit: "Permit") -> None:
        """Stop counting a computation; doing so twice changes nothing."""
        if permit.returned:
            return
        permit.returned = True
        self._admitted -= 1
        self._on_change(self._admitted)
        self._admitted_by_key[permit.key] -= 1
        if not self._admitted_by_key[permit.key]:
            del self._admitted_by_key[permit.key]

    async def acquire_helper(self, permit: "Permit") -> HelperHandle:
        """Wait for an idle helper, in the order of arrival."""
        if self._idle_helpers:
            # Last in, first out: the helper used last has the warmest cache.
            permit.helper = self._idle_helpers.pop()
            if (timer := self._idle_timers.pop(permit.helper, None)) is not None:
                timer.cancel()
            return permit.helper
        waiter: asyncio.Future[HelperHandle] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            permit.helper = await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._pass_on_helper(waiter.result())
            raise
        return permit.helper

    def release(self, permit: "Permit") -> None:
        """Return a permit, and pass its helper on once the helper has stopped working."""
        helper = permit.helper
        if helper is None:
            self.return_permit(permit)
        elif not helper.busy:
            self.return_permit(permit)
            self._pass_on_helper(helper)
        else:
            self._start_task(self._cancel_and_release(helper, permit))

    async def _cancel_and_release(self, helper: HelperHandle, permit: "Permit") -> None:
        try:
            await helper.cancel()
        finally:
            self.return_permit(permit)
            self._pass_on_helper(helper)

    def _pass_on_helper(self, helper: HelperHandle) -> None:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(helper)
                return
        self._idle_helpers.append(helper)
        if not self._closed:
            loop = asyncio.get_running_loop()
            self._idle_timers[helper] = loop.call_later(
                IDLE_SECONDS, self._schedule_termination, helper
            )

    def _schedule_termination(self, helper: HelperHandle) -> None:
        del self._idle_timers[helper]
        self._start_task(self._terminate_if_idle(helper))

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task, and keep a reference to it: the event loop itself keeps a weak one."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _terminate_if_idle(self, helper: HelperHandle) -> None:
        if helper in self._idle_helpers:
            await helper.terminate()

    async def close(self) -> None:
        """Terminate all helpers, and with them what they compute."""
        self._closed = True
        for timer in self._idle_timers.values():
            timer.cancel()
        for helper in self._helpers:
            await helper.terminate()
        await asyncio.gather(*self._tasks, return_exceptions=True)
