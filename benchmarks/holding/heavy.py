"""Heavy reads and many streams beside somebody who judges: how long that person waits.

The loads are context managers over a service on this machine; each ends when it is left, and by
itself after a while. As a program, this measures without a load, under ten reports and under two
hundred streams, in turns.
"""

import argparse
import asyncio
import math
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from installations import migrated, new_key, serving

from benchmarks.holding.large_study import TOPIC, fill
from nextpair.app.client import Client
from nextpair.app.enums import Scope

LONGEST = 600.0
"""Seconds after which a load ends, whether it is left or not."""
STREAMS, STREAMS_PER_KEY = 200, 20
REPORTS = 10
TIMEOUT = 300.0


@dataclass(slots=True)
class Latencies:
    """Seconds that calls took, by what was called."""

    seconds: dict[str, list[float]] = field(default_factory=dict)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Note how long a call takes."""
        begun = time.perf_counter()
        yield
        self.seconds.setdefault(name, []).append(time.perf_counter() - begun)

    def percentile(self, name: str, share: float) -> float:
        """Return how many milliseconds a share of the calls stayed below; NaN without any."""
        ordered = sorted(self.seconds.get(name, ()))
        return (
            1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]
            if ordered
            else math.nan
        )


@contextmanager
def ten_reports(
    address: str, key: str, study: str, longest: float = LONGEST
) -> Iterator[Counter[int]]:
    """Let ten clients with one read key ask for reports, each for another, again and again.

    What is yielded counts their answers by status.
    """
    reader, statuses, over = _new_key(address, key), Counter[int](), threading.Event()
    ends = time.monotonic() + longest

    def ask(points: int) -> None:
        with _caller(address, reader) as http:
            while not over.is_set() and time.monotonic() < ends:
                try:
                    told = http.get(f"/v1/studies/{study}/report", params={"points": points})
                except httpx.TransportError:
                    statuses[0] += 1
                    over.wait(0.5)
                    continue
                statuses[told.status_code] += 1
                if not told.is_success:
                    over.wait(float(told.headers.get("retry-after", "1")))

    with _threads(REPORTS, over) as threads:
        for points in range(1, REPORTS + 1):
            threads.submit(ask, points)
        yield statuses


@contextmanager
def two_hundred_streams(
    address: str, key: str, study: str, longest: float = LONGEST
) -> Iterator[Counter[str]]:
    """Keep two hundred streams of a study's events open, with keys of their own.

    What is yielded counts the streams that were opened, refused and ended, and the events.
    """
    readers = [_new_key(address, key) for _ in range(STREAMS // STREAMS_PER_KEY)]
    counts, over = Counter[str](), threading.Event()

    async def listen(http: httpx.AsyncClient, reader: str) -> None:
        headers = {"Authorization": f"Bearer {reader}"}
        async with http.stream("GET", f"/v1/studies/{study}/events", headers=headers) as stream:
            counts["opened" if stream.is_success else "refused"] += 1
            async for line in stream.aiter_lines():
                counts["events"] += line.startswith("event:")
        counts["ended"] += 1

    async def listen_all() -> None:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(
            base_url=address, timeout=None, trust_env=False, limits=limits
        ) as http:
            tasks = [
                asyncio.create_task(listen(http, readers[number % len(readers)]))
                for number in range(STREAMS)
            ]
            ends = time.monotonic() + longest
            while not over.is_set() and time.monotonic() < ends:
                await asyncio.sleep(0.1)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    with _threads(1, over) as threads:
        threads.submit(asyncio.run, listen_all())
        _wait(lambda: counts["opened"] + counts["refused"] == STREAMS)
        yield counts


def judge(address: str, key: str, study: str, seconds: float) -> Latencies:
    """Let one worker judge for a while, and ask between two answers whether the service lives."""
    latencies, ends = Latencies(), time.monotonic() + seconds
    worker = f"w{time.time_ns()}"
    with _caller(address, key) as http:
        while time.monotonic() < ends:
            with latencies.timed("healthz"):
                http.get("/healthz")
            with latencies.timed("next"):
                body = {"worker": worker, "topic": TOPIC}
                told = http.post(f"/v1/studies/{study}/next", json=body)
            for asked in told.raise_for_status().json()["assignments"]:
                answer = {"answer": {"preference": random.choice(("left", "right"))}}
                with latencies.timed("judgment"):
                    http.post(f"/v1/assignments/{asked['id']}/judgment", json=answer)
    return latencies


def _new_key(address: str, key: str) -> str:
    with Client(address, key) as client:
        return str(client.create_key(Scope.READ, "a load").key)


def _caller(address: str, key: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=address, headers=headers, timeout=TIMEOUT, trust_env=False)


@contextmanager
def _threads(count: int, over: threading.Event) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(count) as threads:
        try:
            yield threads
        finally:
            over.set()


def _wait(true: Callable[[], bool]) -> None:
    ends = time.monotonic() + TIMEOUT
    while not true() and time.monotonic() < ends:
        time.sleep(0.05)


def main() -> None:
    """Measure, with the service of this tree and of others in turns."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--tree", action="append", help="a tree's src/ to serve from; repeatable")
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--judgments", type=int, default=6000)
    parser.add_argument("--selector", default="merge-tie-random")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    print(f"{'':28}" + "".join(f"{name:>22}" for name in ("next", "judgment", "healthz")))
    for _ in range(given.rounds):
        for tree in given.tree or [""]:
            os.environ["PYTHONPATH"] = tree
            with tempfile.TemporaryDirectory() as folder:
                _measure(f"sqlite:///{folder}/nextpair.db", tree, given)


def _measure(url: str, tree: str, given: argparse.Namespace) -> None:
    key = new_key(url)
    migrated(url)
    fill(url, "large", given.documents, given.judgments, selector=given.selector)
    with serving(url) as (address, _):
        where = (address, key, "large")
        judge(*where, 1)
        loads = (
            ("idle", nullcontext(Counter[str]())),
            ("ten reports", ten_reports(*where)),
            ("200 streams", two_hundred_streams(*where)),
        )
        for name, load in loads:
            with load as counts:
                found = judge(*where, given.seconds)
                happened = dict(counts)
            shown = (
                f"{found.percentile(one, 0.5):9.1f} {found.percentile(one, 0.99):9.1f} ms"
                for one in ("next", "judgment", "healthz")
            )
            told = len(found.seconds.get("judgment", ()))
            print(f"{tree[-14:]:>15} {name:12}" + "".join(shown), told, happened, flush=True)


if __name__ == "__main__":
    main()
