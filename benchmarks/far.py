"""A database 40 milliseconds away: questions and answers per second of one process and of two."""

import argparse
import statistics
import sys
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from installations import new_database, new_key, postgresql, serving

from benchmarks.closed_loop import ClosedLoop, Load
from benchmarks.delaying_proxy import delayed
from benchmarks.load import LIGHT, SHARED_TOPICS, WORKERS, add_topics, crowd
from benchmarks.section import Section, main

AWAY = 0.04
"""Seconds there and back."""
WARM_UP = 5.0
"""Seconds in which workers are enlisted and topics read, with many journeys each."""
STUDY = f"{LIGHT}-far"


def _load(server: str, processes: int, seconds: float) -> Load:
    with new_database(server) as url, delayed(url, AWAY) as far:
        key = new_key(url)
        with serving(url) as (address, _):
            add_topics(address, key, STUDY, SHARED_TOPICS, 6400 // SHARED_TOPICS)
        with serving(far, processes) as (address, _):
            loop = ClosedLoop(address, key, STUDY, seconds, WARM_UP)
            return loop.run(crowd(WORKERS, SHARED_TOPICS))


def measure(given: argparse.Namespace) -> Section:
    """Measure one process and two in turns."""
    loads: dict[int, list[Load]] = {1: [], 2: []}
    with ExitStack() as stack:
        server = stack.enter_context(postgresql())
        for _ in range(given.rounds):
            for processes, measured in loads.items():
                measured.append(_load(server, processes, given.seconds))
            print(
                " against ".join(f"{all_[-1].rate:.0f}" for all_ in loads.values()), file=sys.stderr
            )
    ratio = statistics.median(two.rate / one.rate for one, two in zip(*loads.values(), strict=True))
    section = Section(
        "A database far away",
        "python -m benchmarks.far",
        f"{WORKERS} closed-loop workers on {SHARED_TOPICS} topics, PostgreSQL behind a proxy that"
        f" lets every message take {500 * AWAY:.0f} ms each way. Medians over rounds. Bar: two"
        " processes are not slower than one.",
        ("processes", "cycles/s", "p50 (ms)", "p99 (ms)", "ratio", "bar"),
    )
    for processes, measured in loads.items():
        middle = sorted(measured, key=lambda load: load.rate)[len(measured) // 2]
        times = (f"{middle.percentile(share):.0f}" for share in (0.5, 0.99))
        verdict = "met" if ratio >= 1 else "**not met**"
        ends = ("1", "-") if processes == 1 else (f"{ratio:.2f}", verdict)
        section.rows.append((str(processes), f"{middle.rate:.0f}", *times, *ends))
    return section


if __name__ == "__main__":
    main(measure)
