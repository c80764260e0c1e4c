"""Quality against judgments: what a mechanism had reached when, and what two need for the same.

The total number of judgments of two mechanisms says nothing as long as one ends with a better
order than the other. Their curves say how many judgments each needed for the quality both reached.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil

import numpy as np
from numpy.typing import NDArray

FIRST_STEP, LAST_OF_THEM = 0.25, 1.5
"""Judgments per document between checkpoints, and up to where."""
GROWTH = 1.2
"""From there on a checkpoint has this many times the judgments of the one before."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The quality after so many judgments."""

    judgments: float
    tau_b: float


@dataclass(frozen=True)
class QualityCurve:
    """The quality at some numbers of judgments, from none to the end; straight in between."""

    judgments: NDArray[np.float64]
    tau_b: NDArray[np.float64]

    def step_of(self, tau_b: float) -> float | None:
        """Return at which step, perhaps between two, a quality is first reached; None if never."""
        there = np.flatnonzero(self.tau_b >= tau_b)
        if not len(there):
            return None
        after = int(there[0])
        if after == 0:
            return 0.0
        low, high = self.tau_b[after - 1 : after + 1]
        return after - 1 + float((tau_b - low) / (high - low))

    def at(self, step: float) -> CurvePoint:
        """Return the judgments and the quality at a step; those of the end after it."""
        steps = np.arange(len(self.tau_b))
        return CurvePoint(
            float(np.interp(step, steps, self.judgments)), float(np.interp(step, steps, self.tau_b))
        )


def checkpoints(documents: int) -> Iterator[int]:
    """Tell the numbers of judgments after which the quality of a topic is measured, for ever.

    >>> from itertools import islice
    >>> [*islice(checkpoints(100), 9)]
    [25, 50, 75, 100, 125, 150, 180, 216, 260]
    """
    last = 0
    for step in count(1):
        here = max(last + 1, ceil(documents * _per_document(step) - 1e-9))
        yield here
        last = here


def _per_document(step: int) -> float:
    even = round(LAST_OF_THEM / FIRST_STEP)
    if step <= even:
        return step * FIRST_STEP
    return float(LAST_OF_THEM * GROWTH ** (step - even))


def run_curve(topics: Sequence[tuple[Sequence[CurvePoint], CurvePoint]]) -> QualityCurve:
    """Add the topics of a run up: all judgments, the mean quality.

    Topics are judged side by side, checkpoint by checkpoint. One that has ended stays as it is.

    Parameters
    ----------
    topics
        The checkpoints of each topic, and its end.
    """
    steps = 1 + max(len(points) for points, _ in topics)
    by_topic = [[*points, *[end] * (steps - len(points))] for points, end in topics]
    judgments = [sum(points[step].judgments for points in by_topic) for step in range(steps)]
    tau_b = [np.mean([points[step].tau_b for points in by_topic]) for step in range(steps)]
    # Without a judgment, nothing is known: no order agrees with the truth or against it.
    return QualityCurve(np.array([0.0, *judgments]), np.array([0.0, *tau_b]))


def mean_curve(curves: Sequence[QualityCurve]) -> QualityCurve:
    """Return the mean over repeats, checkpoint by checkpoint."""
    steps = max(len(curve.judgments) for curve in curves)

    def mean(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        extended = [np.pad(value, (0, steps - len(value)), mode="edge") for value in values]
        found: NDArray[np.float64] = np.mean(extended, axis=0)
        return found

    return QualityCurve(
        mean([curve.judgments for curve in curves]), mean([curve.tau_b for curve in curves])
    )
