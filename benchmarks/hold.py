"""What holds when the machine fails and when strangers attack: faults with audits, and latencies.

python -m benchmarks.hold --scenes kill restart --faults 20
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from installations import new_database, new_key, postgresql, serving

from benchmarks.holding import attack, chaos, heavy, probe
from benchmarks.holding.ground import Outcome
from benchmarks.holding.large_study import fill
from benchmarks.section import Section

ATTACK = "attack"
LARGE_DOCUMENTS, LARGE_JUDGMENTS = 2_000, 6_000
SELECTOR = "merge-tie-random"
"""A selector that takes next to no time, so that what is measured is the service."""


def arguments() -> argparse.Namespace:
    """Read the words of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    scenes = [*chaos.SCENES, ATTACK]
    parser.add_argument("--scenes", nargs="+", choices=scenes, default=scenes)
    parser.add_argument("--faults", type=int, default=12, help="how often each fault happens")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each part of the attack")
    return parser.parse_args()


def measure_faults(given: argparse.Namespace) -> Section:
    """Let each fault happen under load; audit what is left."""
    section = Section(
        "Faults",
        f"python -m benchmarks.hold --faults {given.faults}",
        "16 workers judge topic after topic, three votes a pair, some taking answers back and some"
        " leaving questions open, while the fault happens again and again. Afterwards every answer"
        " that a worker was told is kept must be in the log exactly once, and nothing else; no pair"
        " has more votes than is explained; every process reports the ranking that follows from the"
        " log, folded anew outside the service; all topics are finished.",
        ("fault", "times", "answers told", "taken back", "topics", "seconds", "audits"),
    )
    for name in given.scenes:
        if name in chaos.SCENES:
            outcome = chaos.SCENES[name](given.faults)
            section.rows.append(_row(outcome))
            print(" | ".join(section.rows[-1]), file=sys.stderr)
    return section


def _row(outcome: Outcome) -> tuple[str, ...]:
    return (
        outcome.fault,
        str(outcome.faults),
        f"{outcome.acknowledged:,}",
        f"{outcome.undone:,}",
        str(outcome.topics),
        f"{outcome.seconds:.0f}",
        f"**{outcome.wrong}**" if outcome.wrong else "all right",
    )


JUDGED, LARGE = "judged", "large"
"""The study that workers judge, and the one that reports are asked for."""


@contextmanager
def on_sqlite() -> Iterator[tuple[str, str]]:
    """Serve from SQLite with one process; yield the address and an admin's key."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/nextpair.db"
        key = new_key(url)
        fill(url, LARGE, LARGE_DOCUMENTS, LARGE_JUDGMENTS)
        with serving(url) as (address, _):
            yield address, key


@contextmanager
def on_postgresql() -> Iterator[tuple[str, str]]:
    """Serve from PostgreSQL with two processes."""
    with postgresql() as server, new_database(server) as url:
        key = new_key(url)
        fill(url, LARGE, LARGE_DOCUMENTS, LARGE_JUDGMENTS)
        with serving(url, 2) as (address, _):
            yield address, key


def reports(address: str, key: str) -> AbstractContextManager[object]:
    """Ask for ten reports at once, again and again."""
    return heavy.ten_reports(address, key, LARGE)


def streams(address: str, key: str) -> AbstractContextManager[object]:
    """Watch the study that is judged by two hundred event streams."""
    return heavy.two_hundred_streams(address, key, JUDGED)


GROUNDS = {"SQLite": on_sqlite, "PostgreSQL, 2 processes": on_postgresql}
LOADS: dict[str, tuple[attack.Holding, ...]] = {
    "idle": (),
    "ten reports": (reports,),
    "200 event streams": (streams,),
    "an upload of 200 MB": (attack.upload,),
    "an attacker without a key": (attack.keyless,),
    "all of it": (reports, streams, attack.upload, attack.keyless),
}
CONTROL = "the same on another service"
"""The same load on the same cores, put on a service that the workers do not use. What workers wait
then is the price of sharing the cores, which no isolation within a service can lower."""


def measure_attack(given: argparse.Namespace) -> Section:
    """Measure what workers wait while other loads are put on the service."""
    section = Section(
        "Under attack",
        f"python -m benchmarks.hold --scenes attack --seconds {given.seconds:g}",
        f"{probe.WORKERS} workers ask, answer and think for {probe.THINKING} s while the other load"
        " is at work on the same two cores, as is what generates it. p50 / p99 in milliseconds,"
        " and how many times its idle p99 each has.",
        ("load", "next", "x", "judgment", "x", "healthz", "x", "refused", "failed"),
    )
    for name, served in GROUNDS.items():
        with served() as (address, key), probe.pool() as executor:
            judged = probe.Judged(address, key, JUDGED)
            probe.add_study(judged, SELECTOR)
            idle: probe.Latencies | None = None
            for load, parts in LOADS.items():
                found = _under(parts, (address, key), executor, judged, given.seconds)
                idle = idle or found
                _add_row(section, f"{name}: {load}", found, idle)
                if parts:
                    with served() as other:
                        probe.add_study(probe.Judged(*other, JUDGED), SELECTOR)
                        control = _under(parts, other, executor, judged, given.seconds)
                    _add_row(section, f"- {CONTROL}", control, idle)
    return section


def _under(
    parts: Sequence[attack.Holding],
    target: tuple[str, str],
    executor: ProcessPoolExecutor,
    judged: probe.Judged,
    seconds: float,
) -> probe.Latencies:
    """Measure the judged study while loads are put on a service, which may be another one."""
    with ExitStack() as stack:
        for part in parts:
            stack.enter_context(part(*target))
        return probe.begin(executor, judged, seconds).result()


def _add_row(section: Section, name: str, found: probe.Latencies, idle: probe.Latencies) -> None:
    section.rows.append(probe.row(name, found, idle))
    print(" | ".join(section.rows[-1]), file=sys.stderr)


def main() -> int:
    """Run the scenes asked for; fail if an audit found something."""
    given = arguments()
    sections = []
    if set(given.scenes) & set(chaos.SCENES):
        sections.append(measure_faults(given))
    if ATTACK in given.scenes:
        sections.append(measure_attack(given))
    print("\n".join(map(str, sections)))
    return int(any("**" in cell for section in sections for row in section.rows for cell in row))


if __name__ == "__main__":
    sys.exit(main())
