"""The service's side of a helper process: it is started when needed, given jobs, and ended."""

import asyncio
import logging
import pickle
import sys
from collections.abc import Mapping
from contextlib import suppress

from nextpair.app.compute.framing import HEAD_BYTES, TERMINAL, Kind, pack, unpack_head
from nextpair.app.compute.jobs import Extent, Job
from nextpair.app.errors import HelperLost
from nextpair.app.settings import Settings

log = logging.getLogger("nextpair")

COMMAND = (
    sys.executable,
    # The working directory must not get between the program and its libraries.
    "-P",
    "-c",
    "from nextpair.app.compute.helper_process import main; main()",
)
STOP_SECONDS = 5.0
"""How long a helper may go on folding a topic for a job that was cancelled; then it is ended."""


class Helper:
    """One helper process, or none as long as there is nothing to do."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: asyncio.subprocess.Process | None = None
        self._head: tuple[Kind, int] | None = None
        """The beginning of a frame, where whoever read it was cancelled before the rest."""
        self.working = False
        """Whether it has a job whose answer has not come to its end."""

    async def begin(self, job: Job, extent: Extent, now: float) -> Mapping[str, str]:
        """Give it a job; return the headers of the answer once it has any."""
        await self._start()
        self.working = True
        self._write(Kind.JOB, pickle.dumps((job, extent.topics, now)))
        kind, content = await self._read()
        assert kind is Kind.HEADERS, f"an answer began with {kind.name}"
        headers: Mapping[str, str] = pickle.loads(content)
        return headers

    async def chunk(self) -> bytes | None:
        """Return the next part of the answer; None at its end."""
        kind, content = await self._read()
        return content if kind is Kind.CHUNK else None

    async def cancel(self) -> None:
        """Have it ready for another job, whatever it is working on."""
        try:
            async with asyncio.timeout(STOP_SECONDS):
                self._write(Kind.CANCEL)
                while self.working:
                    with suppress(Exception):
                        await self._read()
        except TimeoutError:
            await self.end()

    async def end(self) -> None:
        """End the process; what it computes is lost, and the next job starts another."""
        process, self._process = self._process, None
        self.working, self._head = False, None
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
        await self.end()
        self._process = await asyncio.create_subprocess_exec(
            *COMMAND, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        self._write(Kind.SETTINGS, pickle.dumps(self._settings))

    def _write(self, kind: Kind, content: bytes = b"") -> None:
        # Jobs are small, and one at a time: nothing piles up here that would have to be waited for.
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(pack(kind, content))

    async def _read(self) -> tuple[Kind, bytes]:
        """Read a frame; raise what the helper met instead of an answer."""
        assert self._process is not None and self._process.stdout is not None
        try:
            if self._head is None:
                self._head = unpack_head(await self._process.stdout.readexactly(HEAD_BYTES))
            kind, length = self._head
            content = await self._process.stdout.readexactly(length)
            self._head = None
        except asyncio.IncompleteReadError:
            await self.end()
            raise HelperLost() from None
        self.working = kind not in TERMINAL
        if kind is Kind.ERROR:
            raise pickle.loads(content)
        if kind is Kind.FAILED:
            log.error("a helper failed", extra={"error": content.decode(errors="replace")})
            raise HelperLost()
        return kind, content
