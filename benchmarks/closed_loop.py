"""Workers in a closed loop: each asks for a pair, answers it, and asks again at once.

The generator shares the machine with what it measures, so it is as light as it can be: sockets and
a parser, no HTTP library.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

import httptools
import uvloop


@dataclass(slots=True)
class Load:
    """What a run of the loop came to.

    Parameters
    ----------
    cycles
        How many times a pair was got and answered.
    latencies
        Of every request, in seconds.
    """

    cycles: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    failures: int = 0

    @property
    def rate(self) -> float:
        """Cycles a second."""
        return self.cycles / self.seconds

    def percentile(self, share: float) -> float:
        """Return how many milliseconds a share of the requests stayed below."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker, and the topic they judge."""

    name: str
    topic: str


class _Connection(asyncio.Protocol):
    """One keep-alive connection that sends a request at a time."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._body: list[bytes] = []
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        assert self._answer is not None
        self._answer.set_result((self._parser.get_status_code(), b"".join(self._body)))
        self._body = []
        self._parser = httptools.HttpResponseParser(self)

    async def post(self, head: bytes, body: bytes) -> tuple[int, bytes]:
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(b"%bContent-Length: %d\r\n\r\n%b" % (head, len(body), body))
        return await self._answer


class ClosedLoop:
    """Drives a service at an address for a while, or until there is nothing left to ask.

    Parameters
    ----------
    warm_up
        Seconds before it is measured, on the same connections: every process connects and reads
        its topics once.
    """

    def __init__(
        self, address: str, key: str, study: str, seconds: float, warm_up: float = 0.0
    ) -> None:
        parts = urlsplit(address)
        assert parts.hostname and parts.port
        self._host, self._port = parts.hostname, parts.port
        self._headers = (
            f" HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {key}\r\n"
            "Content-Type: application/json\r\n"
        )
        self._study = study
        self._seconds = seconds
        self._warm_up = warm_up
        self._load = Load()

    def run(self, workers: Sequence[Worker]) -> Load:
        """Run all workers at once."""
        uvloop.run(self._run(workers))
        return self._load

    async def _run(self, workers: Sequence[Worker]) -> None:
        started = time.perf_counter() + self._warm_up
        asyncio.get_running_loop().call_later(self._warm_up, self._begin)
        await asyncio.gather(*(self._work(worker, started) for worker in workers))
        self._load.seconds = time.perf_counter() - started

    def _begin(self) -> None:
        """Begin to measure: only failures before are remembered."""
        self._load.cycles = 0
        self._load.latencies.clear()

    async def _work(self, worker: Worker, started: float) -> None:
        loop = asyncio.get_running_loop()
        transport, connection = await loop.create_connection(_Connection, self._host, self._port)
        asking = self._head(f"/v1/studies/{self._study}/next")
        wish = {"worker": worker.name, "topic": worker.topic, "documents": False}
        question = json.dumps(wish).encode()
        while time.perf_counter() - started < self._seconds:
            status, answer = await self._timed(connection, asking, question)
            if status != 200:
                self._load.failures += 1
                continue
            told = json.loads(answer)
            if told["reason"] == "done":
                break
            for assignment in told["assignments"]:
                await self._judge(connection, worker, assignment)
        transport.close()

    async def _judge(
        self, connection: _Connection, worker: Worker, assignment: dict[str, dict[str, str]]
    ) -> None:
        left, right = (_grade(assignment[side]["id"]) for side in ("left", "right"))
        preference = "equal" if left == right else "left" if left > right else "right"
        head = self._head(f"/v1/assignments/{assignment['id']}/judgment")
        body = json.dumps({"answer": {"preference": preference}, "worker": worker.name}).encode()
        status, _ = await self._timed(connection, head, body)
        if status == 201:
            self._load.cycles += 1
        else:
            self._load.failures += 1

    async def _timed(self, connection: _Connection, head: bytes, body: bytes) -> tuple[int, bytes]:
        started = time.perf_counter()
        answer = await connection.post(head, body)
        self._load.latencies.append(time.perf_counter() - started)
        return answer

    def _head(self, path: str) -> bytes:
        return f"POST {path}{self._headers}".encode()


def _grade(document: str) -> int:
    """Grade a document by its number: most are of the lowest grade, as in real pools."""
    place = int(document[1:]) * 7919 % 100
    return (place >= 75) + (place >= 90) + (place >= 98)
