"""How well orders are recovered on continuous scales, with good workers and bad ones."""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.gaining.judges import CHECKPOINTS, Scale, taus
from benchmarks.section import Section, main

FIRST_SEED = 20_000
"""Seeds below 1,020 and from 10,000 to 10,059 were looked at while information gain was made."""
Figures = tuple[float | None, ...]
SCALES: tuple[tuple[Scale, str, Figures], ...] = (
    (Scale("Thurstone, N(0, 3²)", 3), ".538 .721 .803 .870 .927", (None, None, 0.803, 0.87, 0.927)),
    (Scale("Thurstone, N(0, 1)", 1), ".440 .572 .639 .722 .809", (None, None, 0.639, 0.722, 0.809)),
    (
        Scale("Bradley-Terry, N(0, 2²)", 2, logistic=True),
        ".459 .612 .681 .765 .844",
        (None, None, 0.681, 0.765, 0.844),
    ),
    (
        Scale("30 workers, 40 % at random", 2, workers=30, guessing=12),
        ".33 .43 .50 .60 .75",
        (0.33, 0.43, 0.5, 0.6, 0.81),
    ),
    (
        Scale("30 workers, 20 % reversing", 2, workers=30, reversing=6),
        ".30 .41 .49 .61 .75",
        (None, None, None, 0.68, 0.88),
    ),
    (
        Scale("the same, 15 known answers each", 2, workers=30, reversing=6, known=15),
        "-",
        (None, None, None, 0.79, None),
    ),
    (
        Scale("draw margin 0.8, N(0, 2²)", 2, margin=0.8),
        ".57 .74 .81 .87 .92",
        (0.57, 0.74, 0.81, 0.87, 0.92),
    ),
)
"""What is simulated, the best that was measured of others or of a prototype, and the bar."""
MEANS = {0: 0.7718, 1: 0.6364, 2: 0.6722}
"""Of the first scales the mean of the five must be higher, too."""


def measure(given: argparse.Namespace) -> Section:
    """Play every scale with every seed."""
    section = Section(
        "Information gain on continuous scales",
        f"python -m benchmarks.gaining.scales --repeat {given.repeat}",
        f"100 items, mean tau-b of {given.repeat} seeds at {' / '.join(map(str, CHECKPOINTS))}"
        " judgments per item, with the standard error of the last. Whoever comes next is drawn at"
        " random; scores of the last four are N(0, 2²) under Thurstone. `others` is ASAP's, and in"
        " the last row that of our first prototype; bars are those of issue 8.",
        ("answers", *map(str, CHECKPOINTS), "error", "mean", "others", "bar"),
    )
    with ProcessPoolExecutor(
        given.jobs, get_context("spawn"), initializer=partial(threadpool_limits, 1)
    ) as pool:
        for place, (scale, others, bar) in enumerate(SCALES):
            seeds = range(FIRST_SEED, FIRST_SEED + given.repeat)
            found = np.array(list(pool.map(partial(taus, scale, options={}), seeds)))
            section.rows.append(_row(scale, found, others, bar, MEANS.get(place)))
            print(section.rows[-1], flush=True)
    return section


def _row(
    scale: Scale, found: np.ndarray, others: str, bar: Figures, least: float | None
) -> tuple[str, ...]:
    means = found.mean(axis=0)
    error = found[:, -1].std(ddof=1) / np.sqrt(len(found))
    missed = [
        f"{mean:.3f} at {at}, not {wanted}"
        for mean, at, wanted in zip(means, CHECKPOINTS, bar, strict=True)
        if wanted is not None and mean < wanted
    ]
    if least is not None and means.mean() <= least:
        missed.append(f"mean {means.mean():.3f}, not {least:.3f}")
    told = "met" if not missed else f"**{'; '.join(missed)}**"
    shown = (f"{mean:.3f}" for mean in means)
    return scale.name, *shown, f"{error:.3f}", f"{means.mean():.3f}", others, told


if __name__ == "__main__":
    main(measure)
