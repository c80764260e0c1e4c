"""Random histories of studies that hire: are the books right, whatever happens?"""

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

from histories.every_place import PLACES
from histories.history import Outcome, play
from histories.places import Place
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


def measure(given: argparse.Namespace) -> Section:
    """Play the histories, and count what came of them."""
    command = f"python -m benchmarks.histories --count {given.count} --seed {given.seed}"
    section = Section(
        "Hiring, whatever happens",
        command,
        STORY,
        ("platform", "histories", "moves", "payments", "wrong"),
    )
    with ProcessPoolExecutor(given.jobs, get_context("spawn"), _begin) as pool:
        for number, kind in enumerate(PLACES):
            seeds = range(given.seed + number, given.seed + given.count, len(PLACES))
            told = list(pool.map(partial(_play, kind), seeds, chunksize=4))
            section.rows.append(_row(kind, told))
            section.after += "".join(_wrong(kind, seeds, told))
    return section


def _begin() -> None:
    limit_threads()
    logging.getLogger("nextpair").setLevel(logging.CRITICAL)


def _play(kind: type[Place], seed: int) -> Outcome:
    folder = Path(tempfile.mkdtemp(prefix="nextpair-history-"))
    try:
        migrated(f"sqlite:///{folder / 'nextpair.db'}")
        return play(kind, seed, folder / "nextpair.db")
    finally:
        shutil.rmtree(folder)


def _row(kind: type[Place], told: Sequence[Outcome]) -> Sequence[str]:
    moves, payments = sum(one.moves for one in told), sum(one.payments for one in told)
    wrong = sum(bool(one.wrong) for one in told)
    return kind.name, f"{len(told)}", f"{moves:,}", f"{payments:,}", f"{wrong}"


def _wrong(kind: type[Place], seeds: Sequence[int], told: Sequence[Outcome]) -> Iterator[str]:
    for seed, one in zip(seeds, told, strict=True):
        if one.wrong:
            yield f"{kind.name}, seed {seed}: {'; '.join(one.wrong)}\n\n"


def main() -> None:
    """Play, and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=500, help="histories in all")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    parser.add_argument("--jobs", type=int, default=2)
    print(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
