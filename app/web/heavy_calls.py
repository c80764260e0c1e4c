"""Heavy calls of routes: small jobs run in this process, others in the compute pool."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from nextpair.app.compute.jobs import Job, JobInputs, find_inputs
from nextpair.app.compute.pool import CompleteResult, ComputePool, Download
from nextpair.app.errors import ClientGone
from nextpair.app.runtime.service_context import ServiceContext

Result = TypeVar("Result")


class HeavyCall:
    """The computations of one request, which may take long."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._service: ServiceContext = request.app.state.service
        self._pool: ComputePool = request.app.state.compute_pool
        self._now: float = request.app.state.clock()

    async def compute(self, job: Job) -> CompleteResult:
        """Compute a job, here or in the pool."""
        inputs = await run_in_threadpool(find_inputs, self._service, job)
        if self._is_light(job, inputs):
            return await run_in_threadpool(self._compute_here, job)
        return await self._unless_disconnected(
            self._pool.compute(job, inputs, self._key, self._now)
        )

    async def respond(
        self,
        job: Job,
        media_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Respond with the result of a job."""
        result = await self.compute(job)
        all_headers = {**(headers or {}), **result.headers}
        return Response(result.body, headers=all_headers, media_type=media_type)

    async def stream(self, job: Job, media_type: str, headers: Mapping[str, str]) -> Response:
        """Respond with a file that is sent as it is computed."""
        inputs = await run_in_threadpool(find_inputs, self._service, job)
        if self._is_light(job, inputs):
            return await self.respond(job, media_type, headers)
        opening = self._pool.download(job, inputs, self._key, self._now)
        return _FileResponse(await self._unless_disconnected(opening), media_type, headers)

    @property
    def _key(self) -> str:
        return str(self._request.scope.get("nextpair.key_id", ""))

    def _is_light(self, job: Job, inputs: JobInputs) -> bool:
        return inputs.entries * job.cost_factor <= self._service.settings.heavy_from

    def _compute_here(self, job: Job) -> CompleteResult:
        answer = job.run(self._service, self._now)
        return CompleteResult(b"".join(answer.chunks), answer.headers)

    async def _unless_disconnected(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Wait for work; cancel it if the client disconnects first."""
        working, leaving = (
            asyncio.create_task(work),
            asyncio.create_task(self._wait_for_disconnect()),
        )
        try:
            await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientGone()
            return working.result()
        finally:
            leaving.cancel()
            if not working.cancel() and not working.cancelled():
                working.exception()

    async def _wait_for_disconnect(self) -> None:
        while (await self._request.receive())["type"] != "http.disconnect":
            pass


class _FileResponse(StreamingResponse):
    """Streams a download, and closes it whatever becomes of the client."""

    def __init__(self, download: Download, media_type: str, headers: Mapping[str, str]) -> None:
        all_headers = {**headers, **download.headers}
        super().__init__(download.chunks(), media_type=media_type, headers=all_headers)
        self._download = download

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._download.close()


async def _heavy(request: Request) -> HeavyCall:
    return HeavyCall(request)


Heavy = Annotated[HeavyCall, Depends(_heavy)]
"""An endpoint's parameters name it after the caller, who has to be authenticated first."""
