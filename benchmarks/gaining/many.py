"""What is lost where documents are too many for a covariance: the ways of larger topics, on one."""

import argparse
from functools import partial

import numpy as np

from benchmarks.gaining.judges import Judges, Scale, play, tau_b
from benchmarks.section import Section, main, processes
from nextpair.selectors.inference.gaussian_scores import model_averaging
from nextpair.selectors.state.settings import Settings

FIRST_SEED, SEEDS = 4_000, 10
CHECKPOINTS = (1, 2, 5)
SCALE = Scale("Thurstone, N(0, 2²)", 2, size=200)
WAYS = (
    ("up to 500: whole covariance, polished", (500, 2_000)),
    ("up to 2,000: whole covariance", (0, 2_000)),
    ("beyond: one by one, neighbours in the order", (0, 0)),
)


def measure(given: argparse.Namespace) -> Section:
    """Play the same topics in the three ways."""
    section = Section(
        "Without the covariance",
        "python -m benchmarks.gaining.many",
        f"{SCALE.size} items, {SCALE.name}, {SEEDS} seeds, judged as larger topics are: tau-b after"
        f" {' / '.join(map(str, CHECKPOINTS))} judgments per item.",
        ("documents, and how", *map(str, CHECKPOINTS)),
    )
    with processes(given.jobs) as pool:
        for name, limits in WAYS:
            seeds = range(FIRST_SEED, FIRST_SEED + SEEDS)
            found = np.array(list(pool.map(partial(_taus, limits), seeds))).mean(axis=0)
            section.rows.append((name, *(f"{one:.3f}" for one in found)))
            print(section.rows[-1], flush=True)
    return section


def _taus(limits: tuple[int, int], seed: int) -> list[float]:
    model_averaging.MAX_DENSE_DOCUMENTS, model_averaging.MAX_CORRELATED_DOCUMENTS = limits
    judges = Judges(SCALE, np.random.default_rng([seed, 8]))
    settings = Settings("information-gain", {"risk": 0.0, "budget": 0.0}, seed=seed)
    played = play(judges, settings, CHECKPOINTS)
    return [tau_b(topic.scores(), judges.scores) for _, topic in played]


if __name__ == "__main__":
    main(measure)
