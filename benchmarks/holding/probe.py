"""Latencies of what matters to workers and operators, measured from a process of its own.

Workers ask, answer and think for a moment, so that the load they make is the same whatever else
happens; beside them, the health of the service is asked for at regular moments.
"""

import asyncio
import http.client
import json
import time
from collections.abc import Awaitable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from urllib.parse import urlsplit

import httpx

from nextpair.app.client import Client
from nextpair.app.schemas.topics import DocumentIn, TopicIn

NEXT, JUDGMENT, HEALTH = "next", "judgment", "healthz"
KINDS = (NEXT, JUDGMENT, HEALTH)
WORKERS = 8
TOPICS = 4
DOCUMENTS = 2_000
"""Of a topic: more pairs than the probes can ask for."""
THINKING = 0.2
"""Seconds between a worker's answer and their next question."""
BEAT = 0.1
"""Seconds between two looks at the health."""
PATIENCE = 60.0
"""Seconds after which a request counts as failed."""


@dataclass(slots=True)
class Latencies:
    """How long requests took, in seconds, by kind; those that failed are counted apart."""

    taken: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    failures: int = 0
    refused: int = 0
    """Answered 503 or 429, with the request to come back later."""

    def percentile(self, kind: str, share: float) -> float:
        """Return how many milliseconds a share of the requests of a kind stayed below."""
        ordered = sorted(self.taken[kind])
        if not ordered:
            return float("nan")
        return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]


@dataclass(frozen=True, slots=True)
class Judged:
    """A study that workers judge while they are measured."""

    address: str
    key: str
    study: str


def add_study(judged: Judged, selector: str) -> None:
    """Add the study, with more pairs than will be asked for."""
    documents = [DocumentIn(id=f"d{place}", text="text") for place in range(DOCUMENTS)]
    with Client(judged.address, judged.key) as client:
        client.create_study(judged.study, selector=selector, votes=3)
        for number in range(TOPICS):
            client.add_topic(judged.study, TopicIn(id=f"t{number}", documents=documents))


def pool() -> ProcessPoolExecutor:
    """Open a pool of one process, in which the generator disturbs nobody and nobody it."""
    return ProcessPoolExecutor(1, get_context("spawn"))


def begin(executor: ProcessPoolExecutor, judged: Judged, seconds: float) -> Future[Latencies]:
    """Begin to measure for some seconds."""
    return executor.submit(_measure, judged, seconds)


def _measure(judged: Judged, seconds: float) -> Latencies:
    return asyncio.run(_Probe(judged, seconds).run())


class _Probe:
    def __init__(self, judged: Judged, seconds: float) -> None:
        self._judged = judged
        self._seconds = seconds
        self._found = Latencies()
        self._until = 0.0

    async def run(self) -> Latencies:
        headers = {"Authorization": f"Bearer {self._judged.key}"}
        async with httpx.AsyncClient(
            base_url=self._judged.address, headers=headers, timeout=PATIENCE, trust_env=False
        ) as http:
            await self._warm_up(http)
            self._until = time.monotonic() + self._seconds
            workers = [self._work(http, number) for number in range(WORKERS)]
            await asyncio.gather(self._look_at_health(http), *workers)
        return self._found

    async def _warm_up(self, http: httpx.AsyncClient) -> None:
        """Let every topic be read before anything is measured."""
        for number in range(TOPICS):
            await http.post(self._at("next"), json={"worker": "first", "topic": f"t{number}"})

    def _at(self, action: str) -> str:
        return f"/v1/studies/{self._judged.study}/{action}"

    async def _look_at_health(self, http: httpx.AsyncClient) -> None:
        while time.monotonic() < self._until:
            await self._timed(HEALTH, http.get("/healthz"))
            await asyncio.sleep(BEAT)

    async def _work(self, http: httpx.AsyncClient, number: int) -> None:
        wish = {"worker": f"probe-{number}", "topic": f"t{number % TOPICS}", "documents": False}
        # So that workers do not come in step.
        await asyncio.sleep(THINKING * number / WORKERS)
        while time.monotonic() < self._until:
            answer = await self._timed(NEXT, http.post(self._at("next"), json=wish))
            for assignment in json.loads(answer or "{}").get("assignments", ()):
                body = {"answer": {"preference": "left"}, "worker": wish["worker"]}
                path = f"/v1/assignments/{assignment['id']}/judgment"
                await self._timed(JUDGMENT, http.post(path, json=body))
            await asyncio.sleep(THINKING)

    async def _timed(self, kind: str, sending: Awaitable[httpx.Response]) -> bytes:
        started = time.perf_counter()
        try:
            response = await sending
        except httpx.HTTPError:
            self._found.failures += 1
            return b""
        if response.status_code in (429, 503):
            self._found.refused += 1
        elif response.is_error:
            self._found.failures += 1
        else:
            self._found.taken[kind].append(time.perf_counter() - started)
            return response.content
        return b""


def connect(address: str) -> http.client.HTTPConnection:
    """Open a connection of its own."""
    parts = urlsplit(address)
    return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)


def row(name: str, found: Latencies, idle: Latencies) -> Sequence[str]:
    """Write one line of the table: each percentile in milliseconds, and its ratio to idle."""
    cells = [name]
    for kind in KINDS:
        high, quiet = found.percentile(kind, 0.99), idle.percentile(kind, 0.99)
        cells.append(f"{found.percentile(kind, 0.5):.1f} / {high:.1f}")
        cells.append("1" if found is idle else f"{high / quiet:.1f}")
    return [*cells, str(found.refused), str(found.failures)]
