"""Quality curves: tau-b against judgments.

The totals of judgments of two selectors cannot be compared if one ends with a better order than the
other. Their curves say how many judgments each needed for a quality that both reached.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil

import numpy as np
from numpy.typing import NDArray

FIRST_STEP, LAST_OF_THEM = 0.25, 1.5
"""Checkpoints are evenly spaced up to a point: the spacing and that point, per document."""
GROWTH = 1.2
"""Beyond that point, the ratio of judgments between consecutive checkpoints."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The quality after a number of judgments."""

    judgments: float
    tau_b: float


@dataclass(frozen=True)
class QualityCurve:
    """The quality at each checkpoint, from no judgment to the end; linear in between."""

    judgments: NDArray[np.float64]
    tau_b: NDArray[np.float64]

    def step_reaching(self, tau_b: float) -> float | None:
        """Return the (fractional) step at which a quality is first reached; None if it never is."""
        there = np.flatnonzero(self.tau_b >= tau_b)
        if not len(there):
            return None
        after = int(there[0])
        if after == 0:
            return 0.0
        low, high = self.tau_b[after - 1 : after + 1]
        return after - 1 + float((tau_b - low) / (high - low))

    def at(self, step: float) -> CurvePoint:
        """Interpolate the judgments and the quality at a step; beyond the end, those of the end."""
        steps = np.arange(len(self.tau_b))
        return CurvePoint(
            float(np.interp(step, steps, self.judgments)), float(np.interp(step, steps, self.tau_b))
        )


def checkpoints(documents: int) -> Iterator[int]:
    """Yield the numbers of judgments at which the quality of a topic is measured, endlessly.

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
    """Aggregate the topics of a run: the sum of judgments, the mean quality.

    Topics advance in parallel, checkpoint by checkpoint. One that has ended keeps its last point.

    Parameters
    ----------
    topics
        The checkpoints of each topic, and its end.
    """
    steps = 1 + max(len(points) for points, _ in topics)
    by_topic = [[*points, *[end] * (steps - len(points))] for points, end in topics]
    judgments = [sum(points[step].judgments for points in by_topic) for step in range(steps)]
    tau_b = [np.mean([points[step].tau_b for points in by_topic]) for step in range(steps)]
    # The curve starts at (0, 0): without a judgment there is no order, and tau-b is 0.
    return QualityCurve(np.array([0.0, *judgments]), np.array([0.0, *tau_b]))


def mean_curve(curves: Sequence[QualityCurve]) -> QualityCurve:
    """Return the mean over repeats, checkpoint by checkpoint."""
    steps = max(len(curve.judgments) for curve in curves)

    def mean(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        extended = [np.pad(value, (0, steps - len(value)), mode="edge") for value in values]
        averaged: NDArray[np.float64] = np.mean(extended, axis=0)
        return averaged

    return QualityCurve(
        mean([curve.judgments for curve in curves]), mean([curve.tau_b for curve in curves])
    )
