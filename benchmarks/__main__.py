"""Run every benchmark and write docs/benchmarks.md."""

import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path

from benchmarks import (
    aggregation,
    big_topic,
    cold,
    features,
    information_gain,
    load,
    peers,
    placement,
    placement_exact,
    published,
    speed,
)
from benchmarks.section import arguments
from nextpair.app.runtime.threads import limit_threads

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
INTRODUCTION = """\
# Benchmarks

Every number here was written by `make bench`; each section names the command that makes it alone.
Real data is read from `../shared/data` (`--data` names another folder) and is not part of the
repository; without it the commands say what to fetch and run on generated topics.

"""


def machine() -> str:
    """Describe where this was measured."""
    libraries = ", ".join(
        f"{name} {version(name)}"
        for name in ("numpy", "scipy", "scikit-learn", "fastapi", "sqlalchemy")
    )
    return (
        f"Measured on {date.today()}: {os.cpu_count()} cores, {platform.machine()},"
        f" {platform.system()}, Python {platform.python_version()}, {libraries}.\n\n"
    )


def main() -> None:
    """Measure everything, then write the page."""
    given = arguments()
    limit_threads()
    # What is timed comes first, while this process is still small and the machine is quiet.
    timed = [str(benchmark.measure(given)) for benchmark in (big_topic, speed, cold, load)]
    counted = [
        str(benchmark.measure(given))
        for benchmark in (
            published,
            features,
            placement_exact,
            placement,
            information_gain,
            peers,
            aggregation,
        )
    ]
    page = INTRODUCTION + machine() + "\n".join([*counted, *reversed(timed)])
    PAGE.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
