"""One part of docs/benchmarks.md: what was measured, by which command, against which bar."""

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from nextpair.app.runtime.threads import limit_threads

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Where the real data is looked for; see docs/benchmarks.md for what to put there."""


@dataclass(slots=True)
class Section:
    """A table with its story."""

    title: str
    command: str
    story: str
    header: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    after: str = ""

    def __str__(self) -> str:
        rule = ["---", *["---:"] * (len(self.header) - 1)]
        table = "\n".join(f"| {' | '.join(row)} |" for row in (self.header, rule, *self.rows))
        parts = (f"## {self.title}", f"`{self.command}`", self.story, table, self.after)
        return "\n\n".join(part for part in parts if part) + "\n"


def arguments() -> argparse.Namespace:
    """Read the words every benchmark takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the real data")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=5, help="of the load benchmark")
    parser.add_argument("--workers", type=int, default=16, help="of the load benchmark, at once")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each of its runs")
    return parser.parse_args()


def processes(jobs: int) -> ProcessPoolExecutor:
    """Open a pool whose processes compute with one thread each, so that they do not fight."""
    return ProcessPoolExecutor(jobs, get_context("spawn"), limit_threads)


def main(measure: Callable[[argparse.Namespace], Section | str]) -> None:
    """Run one benchmark, with one thread, and print its section."""
    limit_threads()
    print(measure(arguments()))


def met(value: float, bar: float) -> str:
    """Say whether a value is at or below its bar."""
    return "met" if value <= bar else "**not met**"
