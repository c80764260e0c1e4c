"""Finding the very best one, and the top ten: by elimination, and by information alone."""

import argparse
from functools import partial

import numpy as np

from benchmarks.gaining.judges import Judges, Scale, play
from benchmarks.section import Section, main, processes
from nextpair.selectors.state.settings import Settings

FIRST_SEED, SEEDS = 3_000, 40
CHECKPOINTS = (1, 2, 3)
SCALE = Scale("Thurstone, N(0, 2²)", 2)
WISHES = ((1, 1), (1, 0), (10, 10), (10, 0))
"""How many are looked for, and what `top` says."""


def measure(given: argparse.Namespace) -> Section:
    """Play both ways, and count how often the best are found."""
    section = Section(
        "The best one, and the best ten",
        "python -m benchmarks.gaining.best",
        f"100 items, {SCALE.name}, {SEEDS} seeds: the share of the best ones that are said to be"
        f" so after {' / '.join(map(str, CHECKPOINTS))} judgments per item.",
        ("looked for", "`top`", *map(str, CHECKPOINTS)),
    )
    with processes(given.jobs) as pool:
        for count, top in WISHES:
            seeds = range(FIRST_SEED, FIRST_SEED + SEEDS)
            found = np.array(list(pool.map(partial(_found, count, top), seeds))).mean(axis=0)
            section.rows.append((f"best {count}", str(top), *(f"{one:.3f}" for one in found)))
            print(section.rows[-1], flush=True)
    return section


def _found(count: int, top: int, seed: int) -> list[float]:
    judges = Judges(SCALE, np.random.default_rng([seed, 8]))
    options: dict[str, object] = {"risk": 0.0, "budget": 0.0, "top": top}
    settings = Settings("information-gain", options, seed=seed)
    best = set(np.argsort(-judges.scores)[:count].tolist())
    return [
        len(best & set(np.argsort(-topic.scores())[:count].tolist())) / count
        for _, topic in play(judges, settings, CHECKPOINTS)
    ]


if __name__ == "__main__":
    main(measure)
