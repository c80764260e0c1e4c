"""Heavy calls as routes make them: at once where little is to be done, else in the pool."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from nextpair.app.compute.jobs import Extent, Job, extent_of
from nextpair.app.compute.pool import Download, HeavyPool, Whole
from nextpair.app.errors import ClientGone
from nextpair.app.runtime.service_context import ServiceContext

Result = TypeVar("Result")


class HeavyCall:
    """One request that may take long."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._service: ServiceContext = request.app.state.service
        self._pool: HeavyPool = request.app.state.heavy
        self._now: float = request.app.state.clock()

    async def compute(self, job: Job) -> Whole:
        """Compute a job as a whole."""
        extent = await run_in_threadpool(extent_of, self._service, job)
        if self._is_light(job, extent):
            return await run_in_threadpool(self._collect, job)
        return await self._while_there(self._pool.answer(job, extent, self._key, self._now))

    async def answer(
        self,
        job: Job,
        media_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Answer with what a job comes to."""
        whole = await self.compute(job)
        told = {**(headers or {}), **whole.headers}
        return Response(whole.body, headers=told, media_type=media_type)

    async def stream(self, job: Job, media_type: str, headers: Mapping[str, str]) -> Response:
        """Answer with a file that is sent as it is written."""
        extent = await run_in_threadpool(extent_of, self._service, job)
        if self._is_light(job, extent):
            return await self.answer(job, media_type, headers)
        opening = self._pool.download(job, extent, self._key, self._now)
        return _FileResponse(await self._while_there(opening), media_type, headers)

    @property
    def _key(self) -> str:
        return str(self._request.scope.get("nextpair.key_id", ""))

    def _is_light(self, job: Job, extent: Extent) -> bool:
        return extent.entries * job.factor <= self._service.settings.heavy_from

    def _collect(self, job: Job) -> Whole:
        answer = job.run(self._service, self._now)
        return Whole(b"".join(answer.chunks), answer.headers)

    async def _while_there(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Wait for work for as long as its client does."""
        working, leaving = asyncio.create_task(work), asyncio.create_task(self._leave())
        try:
            await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientGone()
            return working.result()
        finally:
            leaving.cancel()
            if not working.cancel() and not working.cancelled():
                working.exception()

    async def _leave(self) -> None:
        while (await self._request.receive())["type"] != "http.disconnect":
            pass


class _FileResponse(StreamingResponse):
    """Sends a download on, and closes it whatever becomes of the client."""

    def __init__(self, download: Download, media_type: str, headers: Mapping[str, str]) -> None:
        told = {**headers, **download.headers}
        super().__init__(download.chunks(), media_type=media_type, headers=told)
        self._download = download

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._download.close()


async def _heavy(request: Request) -> HeavyCall:
    return HeavyCall(request)


Heavy = Annotated[HeavyCall, Depends(_heavy)]
"""Named after the caller in an endpoint's parameters: whose call it is must be known first."""
