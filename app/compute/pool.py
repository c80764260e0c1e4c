"""Runs jobs in helper processes, within the limits of admission control.

Equal jobs share one computation (single flight), and its result is cached for a short time. A
computation that nobody waits for any more is cancelled.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nextpair.app.compute.admission import AdmissionControl, Permit
from nextpair.app.compute.helper_handle import HelperHandle
from nextpair.app.compute.jobs import Job, JobInputs
from nextpair.app.errors import HelperLost
from nextpair.app.settings import MB, ServiceSettings

RESULT_TTL_SECONDS = 60.0
"""How long a result stays valid: leases expire without a new version of the topic."""
RESULT_CACHE_BYTES = 32 * MB
"""The total size of cached results."""
STALL_SECONDS = 60.0
"""How long a client may read nothing of a download before its helper is given to others."""


@dataclass(frozen=True, slots=True)
class CompleteResult:
    """A result whose body has been computed as a whole."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _SharedComputation:
    """One computation, and how many callers wait for it."""

    version: tuple[int, ...]
    started_at: float
    waiters: int = 0
    started: bool = False
    task: "asyncio.Task[CompleteResult] | None" = None


class ComputePool:
    """Hands jobs to helper processes. Used on the event loop only."""

    def __init__(self, settings: ServiceSettings, on_change: Callable[[int], None]) -> None:
        self._admission = AdmissionControl(settings, on_change)
        self._computations: OrderedDict[tuple[Any, ...], _SharedComputation] = OrderedDict()

    async def compute(self, job: Job, inputs: JobInputs, key: str, now: float) -> CompleteResult:
        """Compute a job, or return the result of an equal one that is running or cached."""
        shared = self._computations.get(job.cache_key)
        if shared is None or not self._is_usable(shared, inputs):
            shared = self._start(job, inputs, key, now)
            self._computations[job.cache_key] = shared
            self._computations.move_to_end(job.cache_key)
        assert shared.task is not None
        shared.waiters += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.waiters -= 1
            self._discard_if_abandoned(job, shared)

    def _start(self, job: Job, inputs: JobInputs, key: str, now: float) -> _SharedComputation:
        permit = self._admission.admit(key)
        shared = _SharedComputation(inputs.version, asyncio.get_running_loop().time())
        shared.task = asyncio.create_task(self._run(shared, permit, job, inputs, now))

        def note_end(task: "asyncio.Task[CompleteResult]") -> None:
            if permit.helper is None:
                # Cancelled before it had a helper, perhaps before the task ran at all.
                self._admission.return_permit(permit)
            if not task.cancelled():
                # Mark the exception as retrieved: there may be nobody left who waits for it.
                task.exception()

        shared.task.add_done_callback(note_end)
        return shared

    def _is_usable(self, shared: _SharedComputation, inputs: JobInputs) -> bool:
        """Say whether an earlier computation has the result that a new one would have."""
        assert shared.task is not None
        if not shared.started:
            # It has not read anything yet, and will read the newest version.
            return True
        age = asyncio.get_running_loop().time() - shared.started_at
        return shared.version == inputs.version and age < RESULT_TTL_SECONDS

    def _discard_if_abandoned(self, job: Job, shared: _SharedComputation) -> None:
        assert shared.task is not None
        task = shared.task
        if not task.done():
            if shared.waiters:
                return
            task.cancel()
            failed = True
        else:
            failed = task.cancelled() or task.exception() is not None
        if failed and self._computations.get(job.cache_key) is shared:
            del self._computations[job.cache_key]
        self._evict()

    def _evict(self) -> None:
        """Drop cached results that have expired or exceed the size limit, oldest first."""
        now, held = asyncio.get_running_loop().time(), 0
        for cache_key, shared in reversed(list(self._computations.items())):
            if shared.task is None or not shared.task.done() or shared.task.cancelled():
                continue
            held += 0 if shared.task.exception() else len(shared.task.result().body)
            if held > RESULT_CACHE_BYTES or now - shared.started_at > RESULT_TTL_SECONDS:
                del self._computations[cache_key]

    async def _run(
        self, shared: _SharedComputation, permit: Permit, job: Job, inputs: JobInputs, now: float
    ) -> CompleteResult:
        helper = await self._admission.acquire_helper(permit)
        shared.started, shared.started_at = True, asyncio.get_running_loop().time()
        try:
            headers = await helper.start_job(job, inputs, now)
            parts = []
            while (part := await helper.read_chunk()) is not None:
                parts.append(part)
            return CompleteResult(b"".join(parts), headers)
        finally:
            self._admission.release(permit)

    async def download(self, job: Job, inputs: JobInputs, key: str, now: float) -> "Download":
        """Start a computation whose chunks are streamed to one caller, without the cache."""
        permit = self._admission.admit(key)
        try:
            await self._admission.acquire_helper(permit)
            assert permit.helper is not None
            headers = await permit.helper.start_job(job, inputs, now)
        except BaseException:
            self._admission.release(permit)
            raise
        return Download(permit.helper, headers, lambda: self._admission.release(permit))

    async def close(self) -> None:
        """Cancel all computations, and terminate all helpers."""
        tasks = [shared.task for shared in self._computations.values() if shared.task is not None]
        for task in tasks:
            task.cancel()
        await self._admission.close()
        await asyncio.gather(*tasks, return_exceptions=True)


class Download:
    """A file that is streamed as it is computed; whoever opens one closes it."""

    def __init__(
        self, helper: HelperHandle, headers: Mapping[str, str], release: Callable[[], None]
    ) -> None:
        self.headers = headers
        self._helper = helper
        self._release: Callable[[], None] | None = release

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the chunks; a reader that stalls for too long gets an error instead."""
        loop = asyncio.get_running_loop()
        while self._release is not None and (part := await self._helper.read_chunk()) is not None:
            stall_timer = loop.call_later(STALL_SECONDS, self.close)
            try:
                yield part
            finally:
                stall_timer.cancel()
            if self._release is None:
                raise HelperLost("nothing of the file was read for too long")

    def close(self) -> None:
        """Release the helper."""
        release, self._release = self._release, None
        if release is not None:
            release()
