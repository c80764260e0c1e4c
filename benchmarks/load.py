"""Questions and answers per second, beside a bare FastAPI application in the same run."""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from installations import new_database, new_key, postgresql, serving

from benchmarks.closed_loop import ClosedLoop, Load, Worker
from benchmarks.section import Section, main
from nextpair.app.client import Client
from nextpair.app.schemas.topics import DocumentIn, TopicIn
from nextpair.selectors.state.settings import DEFAULT_SELECTOR

WARM_UP = 3.0
"""Seconds in which every process connects and reads its topics, which it does once."""
LIGHT = "merge-tie-random"
"""A selector that takes next to no time, so that what is measured is the service."""
WORKERS = 64
"""Of the comparison of processes."""
SHARED_TOPICS = 16
"""Where several workers, and so several processes, are on each topic."""


def add_topics(address: str, key: str, study: str, topics: int, documents: int) -> None:
    """Set up a study to be judged; its name begins with its selector's."""
    with Client(address, key) as client:
        client.create_study(study, selector=study.rpartition("-")[0], votes=5)
        for number in range(topics):
            pool = [DocumentIn(id=f"d{place}", text="text") for place in range(documents)]
            client.add_topic(study, TopicIn(id=f"t{number}", documents=pool))


def crowd(workers: int, topics: int) -> list[Worker]:
    """Spread workers over topics."""
    return [Worker(f"w{number}", f"t{number % topics}") for number in range(workers)]


@contextmanager
def bare(url: str) -> Iterator[str]:
    """Run the bare application."""
    words = ["uvicorn", "benchmarks.bare:create_app", "--factory", "--port", "8765"]
    quiet = ["--no-access-log", "--log-level", "warning"]
    environment = {**os.environ, "NEXTPAIR_DATABASE": url}
    with subprocess.Popen([sys.executable, "-m", *words, *quiet], env=environment) as process:
        try:
            _wait("http://127.0.0.1:8765")
            yield "http://127.0.0.1:8765"
        finally:
            process.terminate()


def _wait(address: str) -> None:
    import httpx

    for _ in range(300):
        try:
            httpx.get(address + "/openapi.json", trust_env=False)
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError("the bare application does not start")


def compare_with_bare(
    rounds: int, workers: int, seconds: float, selector: str
) -> tuple[list[Load], list[Load]]:
    """Measure the service and the bare application in turns, on SQLite, one process each."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        url, other = f"sqlite:///{folder}/nextpair.db", f"sqlite:///{folder}/bare.db"
        key = new_key(url)
        with serving(url) as (address, _), bare(other) as rival:
            for number in range(rounds):
                study = f"{selector}-{number}"
                add_topics(address, key, study, 1, 1000)
                ours.append(ClosedLoop(address, key, study, seconds).run(crowd(workers, 1)))
                theirs.append(ClosedLoop(rival, key, study, seconds).run(crowd(workers, 1)))
                print(f"  {ours[-1].rate:.0f} against {theirs[-1].rate:.0f}", file=sys.stderr)
    return ours, theirs


def compare_processes(rounds: int, topics: int, seconds: float) -> tuple[list[Load], list[Load]]:
    """Measure one process and four in turns, on PostgreSQL, the workers spread over topics."""
    one: list[Load] = []
    four: list[Load] = []
    with postgresql() as server, new_database(server) as url:
        key = new_key(url)
        for number in range(rounds):
            for processes, loads in ((1, one), (4, four)):
                with serving(url, processes) as (address, _):
                    study = f"{LIGHT}-{number}x{processes}"
                    add_topics(address, key, study, topics, 6400 // topics)
                    loop = ClosedLoop(address, key, study, seconds, WARM_UP)
                    loads.append(loop.run(crowd(WORKERS, topics)))
            print(f"  {one[-1].rate:.0f} against {four[-1].rate:.0f}", file=sys.stderr)
    return one, four


def _row(name: str, loads: list[Load], rate: str, bar: str) -> tuple[str, ...]:
    middle = sorted(loads, key=lambda load: load.rate)[len(loads) // 2]
    assert not any(load.failures for load in loads), "requests failed"
    percentiles = (f"{middle.percentile(share):.1f}" for share in (0.5, 0.95, 0.99))
    return name, f"{middle.rate:.0f}", *percentiles, rate, bar


def _ratio(ours: list[Load], theirs: list[Load]) -> float:
    return statistics.median(a.rate / b.rate for a, b in zip(ours, theirs, strict=True))


def measure(given: argparse.Namespace) -> Section:
    """Measure both comparisons."""
    section = Section(
        "Load",
        "python -m benchmarks.load",
        "Closed-loop workers: ask for a pair, answer it, ask again. A cycle is two requests and two"
        " committed changes. The generator shares the two cores with the service and the"
        " database. Medians over rounds that alternate with the rival's; latencies of requests in"
        " milliseconds. Bars: half the bare rate; four processes 1.6 times one.",
        ("", "cycles/s", "p50", "p95", "p99", "ratio", "bar"),
    )
    for selector in (LIGHT, DEFAULT_SELECTOR):
        ours, theirs = compare_with_bare(given.rounds, given.workers, given.seconds, selector)
        ratio = _ratio(ours, theirs)
        verdict = "met" if ratio >= 0.5 else "**not met**"
        section.rows += [
            _row("bare FastAPI, two inserts, SQLite", theirs, "1", "-"),
            _row(f"nextpair, one topic of 1,000, {selector}", ours, f"{ratio:.2f}", verdict),
        ]
    for topics in (WORKERS, SHARED_TOPICS):
        one, four = compare_processes(given.rounds, topics, given.seconds)
        ratio = _ratio(four, one)
        verdict = "met" if ratio >= 1.6 else "**not met**"
        section.rows += [
            _row(f"nextpair, 64 workers, {topics} topics, PostgreSQL, 1 process", one, "1", "-"),
            _row("the same, 4 processes", four, f"{ratio:.2f}", verdict),
        ]
    return section


if __name__ == "__main__":
    main(measure)
