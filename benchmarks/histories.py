"""Random histories of studies that hire: does what is booked equal what was paid?"""

import argparse
import logging
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from histories.every_platform import PLATFORMS
from histories.history import Outcome, run_history
from histories.simulated_platform import SimulatedPlatform
from installations import migrated

from benchmarks.section import Section
from nextpair.app.runtime.threads import limit_threads

STORY = (
    "Each history is a study that hires on a platform's fake, and 35 moves that are drawn from a"
    " seed: workers take places, answer, skip, hand in or leave, the platform fails, loses answers"
    " and answers oddly, runners die at any step, and others follow them whose clocks are wrong,"
    " webhooks come twice, late or not at all, the owner pauses and changes the budget, a person"
    " decides at the platform. Then everything comes to rest. Wrong is a history in which what is"
    " booked is not what was paid to the cent, in which the budget was ever exceeded, somebody was"
    " paid twice or not at all, or anything still waits in the end."
)


def measure(options: argparse.Namespace) -> Section:
    """Run the histories, and count their outcomes."""
    command = f"python -m benchmarks.histories --count {options.count} --seed {options.seed}"
    section = Section(
        "Hiring, whatever happens",
        command,
        STORY,
        ("platform", "histories", "moves", "payments", "wrong"),
    )
    with ProcessPoolExecutor(options.jobs, get_context("spawn"), _begin) as pool:
        for number, kind in enumerate(PLATFORMS):
            seeds = range(options.seed + number, options.seed + options.count, len(PLATFORMS))
            outcomes = list(pool.map(partial(_run, kind), seeds, chunksize=4))
            section.rows.append(_row(kind, outcomes))
            section.after += "".join(_violations(kind, seeds, outcomes))
    return section


def _begin() -> None:
    limit_threads()
    logging.getLogger("nextpair").setLevel(logging.CRITICAL)


def _run(kind: type[SimulatedPlatform], seed: int) -> Outcome:
    folder = Path(tempfile.mkdtemp(prefix="nextpair-history-"))
    try:
        migrated(f"sqlite:///{folder / 'nextpair.db'}")
        return run_history(kind, seed, folder / "nextpair.db")
    finally:
        shutil.rmtree(folder)


def _row(kind: type[SimulatedPlatform], outcomes: Sequence[Outcome]) -> Sequence[str]:
    moves = sum(outcome.moves for outcome in outcomes)
    payments = sum(outcome.payments for outcome in outcomes)
    wrong = sum(bool(outcome.violations) for outcome in outcomes)
    return kind.name, f"{len(outcomes)}", f"{moves:,}", f"{payments:,}", f"{wrong}"


def _violations(
    kind: type[SimulatedPlatform], seeds: Sequence[int], outcomes: Sequence[Outcome]
) -> Iterator[str]:
    for seed, outcome in zip(seeds, outcomes, strict=True):
        if outcome.violations:
            yield f"{kind.name}, seed {seed}: {'; '.join(outcome.violations)}\n\n"


def main() -> None:
    """Run the histories, and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=500, help="histories in all")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    parser.add_argument("--jobs", type=int, default=2)
    print(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
