"""How well orders are recovered on continuous scales, with good workers and bad ones."""

import argparse
from functools import partial

import numpy as np

from benchmarks.gaining import asap
from benchmarks.gaining.judges import CHECKPOINTS, Scale, taus
from benchmarks.section import Section, main, processes

FIRST_SEED = 50_000
"""Seeds below 10,000, and up to 59 from 10,000, 20,000, 30,000, 40,000 on, were looked at."""
Figures = tuple[float | None, ...]
SCALES: tuple[tuple[Scale, Figures], ...] = (
    (Scale("Thurstone, N(0, 3²)", 3), (None, None, 0.803, 0.87, 0.927)),
    (Scale("Thurstone, N(0, 1)", 1), (None, None, 0.639, 0.722, 0.809)),
    (Scale("Bradley-Terry, N(0, 2²)", 2, logistic=True), (None, None, 0.681, 0.765, 0.844)),
    (
        Scale("30 workers, 40 % at random", 2, workers=30, guessing=12),
        (0.33, 0.43, 0.5, 0.6, 0.81),
    ),
    (
        Scale("30 workers, 20 % reversing", 2, workers=30, reversing=6),
        (None, None, None, 0.68, 0.88),
    ),
    (
        Scale("the same, 15 known answers each", 2, workers=30, reversing=6, known=15),
        (None, None, None, 0.79, None),
    ),
    (Scale("draw margin 0.8, N(0, 2²)", 2, margin=0.8), (0.57, 0.74, 0.81, 0.87, 0.92)),
)
"""What is simulated, and the bar."""
MEANS = {0: 0.7718, 1: 0.6364, 2: 0.6722}
"""Of the first scales the mean of the five must be higher, too."""
RIVALS = ("- ASAP", "- ASAP's pairs, our scores")


def measure(given: argparse.Namespace) -> Section:
    """Play every scale with every seed, and let ASAP play those without ties, too."""
    section = Section(
        "Information gain on continuous scales",
        f"python -m benchmarks.gaining.scales --repeat {given.repeat}",
        f"100 items, mean tau-b of {given.repeat} seeds at {' / '.join(map(str, CHECKPOINTS))}"
        " judgments per item, with the standard error of the last. Whoever comes next is drawn at"
        " random; scores of the last four are N(0, 2²) under Thurstone. Bars are those of issue 8:"
        " what was once measured of ASAP, and in the last row of our first prototype. Below it,"
        " ASAP (`benchmarks/gaining/asap.py`) beside ours, with the same scores and crowds: by its"
        " own scores, and its pairs by ours; and how much more information gain has on average.",
        ("answers", *map(str, CHECKPOINTS), "error", "mean", "bar"),
    )
    seeds = range(FIRST_SEED, FIRST_SEED + given.repeat)
    with processes(given.jobs) as pool:
        for place, (scale, bar) in enumerate(SCALES):
            found = np.array(list(pool.map(partial(taus, scale, options={}), seeds)))
            missed = _missed(found.mean(axis=0), bar, MEANS.get(place))
            section.rows.append(_row(scale.name, found, missed))
            if not scale.margin and not scale.known:
                played = np.array(list(pool.map(partial(asap.taus, scale), seeds)))
                for name, theirs in zip(RIVALS, played.swapaxes(0, 1), strict=True):
                    section.rows.append(_row(name, theirs, _more(found, theirs)))
            print(*section.rows[-3:], sep="\n", flush=True)
    return section


def _row(name: str, found: np.ndarray, told: str) -> tuple[str, ...]:
    shown = (f"{mean:.3f}" for mean in found.mean(axis=0))
    error = found[:, -1].std(ddof=1) / np.sqrt(len(found))
    return name, *shown, f"{error:.3f}", f"{found.mean():.3f}", told


def _missed(means: np.ndarray, bar: Figures, least: float | None) -> str:
    missed = [
        f"{mean:.3f} at {at}, not {wanted}"
        for mean, at, wanted in zip(means, CHECKPOINTS, bar, strict=True)
        if wanted is not None and mean < wanted
    ]
    if least is not None and means.mean() <= least:
        missed.append(f"mean {means.mean():.3f}, not {least:.3f}")
    return "met" if not missed else f"**{'; '.join(missed)}**"


def _more(found: np.ndarray, theirs: np.ndarray) -> str:
    """Say how much more ours has, seed by seed, with its standard error."""
    more = (found - theirs).mean(axis=1)
    return f"ours {more.mean():+.4f} ± {more.std(ddof=1) / np.sqrt(len(more)):.4f}"


if __name__ == "__main__":
    main(measure)
