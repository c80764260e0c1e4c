"""Whether intervals hold what they say: 90 % credible intervals of differences of scores."""

import argparse
from functools import partial

import numpy as np

from benchmarks.gaining.judges import CHECKPOINTS, Judges, Scale, play
from benchmarks.section import Section, main, processes
from nextpair.selectors.information_gain import InformationGain
from nextpair.selectors.state.settings import Settings

FIRST_SEED, SEEDS = 52_000, 40
"""Seeds below 10,000, and from 12,000, 22,000, 32,000 and 42,000 on, were looked at before."""
LEAST, MOST = 0.85, 0.95
DEVIATIONS = 1.6449
SCALES = (
    Scale("Thurstone, N(0, 3²)", 3),
    Scale("Thurstone, N(0, 1)", 1),
    Scale("draw margin 0.8, N(0, 2²)", 2, margin=0.8),
    Scale("30 workers, 40 % at random", 2, workers=30, guessing=12),
    Scale("30 workers, 20 % reversing", 2, workers=30, reversing=6),
)


def measure(given: argparse.Namespace) -> Section:
    """Count how many true differences lie within their intervals."""
    section = Section(
        "Intervals of information gain",
        "python -m benchmarks.gaining.intervals",
        "Share of all differences of two scores, of 100 items, that lie within their 90 %"
        f" credible interval, after {' / '.join(map(str, CHECKPOINTS))} judgments per item;"
        f" {SEEDS} seeds, pairs chosen by information gain. Bar: {LEAST:.0%} to {MOST:.0%}.",
        ("answers", *(f"at {at}" for at in CHECKPOINTS), "bar"),
    )
    with processes(given.jobs) as pool:
        every = []
        for scale in SCALES:
            seeds = range(FIRST_SEED, FIRST_SEED + SEEDS)
            shares = np.array(list(pool.map(partial(covered, scale), seeds))).mean(axis=0)
            section.rows.append(_row(scale.name, shares))
            every.append(shares)
            print(section.rows[-1], flush=True)
        # What an interval promises to one who does not know which of these it is.
        section.rows.append(_row("any of these", np.mean(every, axis=0)))
    return section


def _row(name: str, shares: np.ndarray) -> tuple[str, ...]:
    return name, *(f"{share:.1%}" for share in shares), _verdict(shares)


def _verdict(shares: np.ndarray) -> str:
    missed = [
        f"{'below' if share < LEAST else 'above'} at {at}"
        for at, share in zip(CHECKPOINTS, shares, strict=True)
        if not LEAST <= share <= MOST
    ]
    return f"**{', '.join(missed)}**" if missed else "met"


def covered(scale: Scale, seed: int) -> list[float]:
    """Play one seed, and return the share of differences within their intervals."""
    judges = Judges(scale, np.random.default_rng([seed, 8]))
    settings = Settings("information-gain", {"risk": 0.0, "budget": 0.0}, seed=seed)
    true = judges.scores[:, None] - judges.scores
    apart = ~np.eye(len(true), dtype=bool)
    shares = []
    for _, topic in play(judges, settings, CHECKPOINTS):
        assert isinstance(topic.selector, InformationGain)
        means = topic.scores()
        errors = np.sqrt(topic.selector.difference_variances())
        inside = np.abs(means[:, None] - means - true) <= DEVIATIONS * errors
        shares.append(float(inside[apart].mean()))
    return shares


if __name__ == "__main__":
    main(measure)
