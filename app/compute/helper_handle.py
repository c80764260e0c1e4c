"""The service's handle of a helper process: starts it on demand, sends jobs, terminates it."""

import asyncio
import logging
import pickle
import sys
from collections.abc import Mapping
from contextlib import suppress

from nextpair.app.compute.framing import (
    HEADER_BYTES,
    TERMINAL,
    FrameKind,
    pack_frame,
    unpack_header,
)
from nextpair.app.compute.jobs import Job, JobInputs
from nextpair.app.errors import HelperLost
from nextpair.app.settings import ServiceSettings

log = logging.getLogger("nextpair")

COMMAND = (
    sys.executable,
    # -P: modules in the working directory must not shadow the program's libraries.
    "-P",
    "-c",
    "from nextpair.app.compute.helper_process import main; main()",
)
STOP_SECONDS = 5.0
"""How long a helper may go on folding a topic for a cancelled job before it is terminated."""


class HelperHandle:
    """One helper process, which is started with its first job."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._process: asyncio.subprocess.Process | None = None
        self._frame_header: tuple[FrameKind, int] | None = None
        """The header of a frame whose reader was cancelled before it read the payload."""
        self.busy = False
        """Whether a job is running: its terminal frame has not been read."""

    async def start_job(self, job: Job, inputs: JobInputs, now: float) -> Mapping[str, str]:
        """Send a job, and wait for the headers of its result."""
        await self._start()
        self.busy = True
        self._write(FrameKind.JOB, pickle.dumps((job, inputs.topics, now)))
        kind, content = await self._read()
        assert kind is FrameKind.HEADERS, f"a result began with {kind.name}"
        headers: Mapping[str, str] = pickle.loads(content)
        return headers

    async def read_chunk(self) -> bytes | None:
        """Return the next chunk of the result's body; None at its end."""
        kind, content = await self._read()
        return content if kind is FrameKind.CHUNK else None

    async def cancel(self) -> None:
        """Cancel the current job, so that the helper is ready for another one."""
        try:
            async with asyncio.timeout(STOP_SECONDS):
                self._write(FrameKind.CANCEL)
                while self.busy:
                    with suppress(Exception):
                        await self._read()
        except TimeoutError:
            await self.terminate()

    async def terminate(self) -> None:
        """Kill the process; its job is lost, and the next job starts another process."""
        process, self._process = self._process, None
        self.busy, self._frame_header = False, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if process.stdin is not None:
            process.stdin.close()

    async def _start(self) -> None:
        if self._process is not None and self._process.returncode is None:
            return
        await self.terminate()
        self._process = await asyncio.create_subprocess_exec(
            *COMMAND, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        self._write(FrameKind.SETTINGS, pickle.dumps(self._settings))

    def _write(self, kind: FrameKind, content: bytes = b"") -> None:
        # Without drain(): jobs are small and one at a time, so the buffer cannot grow.
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(pack_frame(kind, content))

    async def _read(self) -> tuple[FrameKind, bytes]:
        """Read a frame; raise the error that the helper reports in place of a result."""
        assert self._process is not None and self._process.stdout is not None
        try:
            if self._frame_header is None:
                self._frame_header = unpack_header(
                    await self._process.stdout.readexactly(HEADER_BYTES)
                )
            kind, length = self._frame_header
            content = await self._process.stdout.readexactly(length)
            self._frame_header = None
        except asyncio.IncompleteReadError:
            await self.terminate()
            raise HelperLost() from None
        self.busy = kind not in TERMINAL
        if kind is FrameKind.ERROR:
            raise pickle.loads(content)
        if kind is FrameKind.FAILED:
            log.error("a helper failed", extra={"error": content.decode(errors="replace")})
            raise HelperLost()
        return kind, content
