"""Comparison of two selectors at equal quality: the judgments each needs for the same tau-b."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from nextpair.app.simulation.curves import mean_curve
from nextpair.app.simulation.studies import StudyRun

DIGITS = 4
"""Digits of tau-b that are shown; values that round to the same digits count as equal."""


class QualityLevel(StrEnum):
    """The quality at which two selectors are compared."""

    END = "both ends"
    """Both ended with this quality: their totals of judgments are compared."""
    OWN = "its end"
    BASELINE = "baseline's end"


@dataclass(frozen=True, slots=True)
class MeanTau:
    """The mean tau-b over repeats, and its standard error; None for a single repeat."""

    tau_b: float
    error: float | None

    def __str__(self) -> str:
        error = "" if self.error is None else f" ±{self.error:.{DIGITS}f}"
        return f"{self.tau_b:.{DIGITS}f}{error}"


@dataclass(frozen=True, slots=True)
class JudgmentsToReach:
    """The judgments a selector needed for a quality, None if it never reached it; its quality."""

    judgments: float | None
    quality: MeanTau


@dataclass(frozen=True, slots=True)
class QualityComparison:
    """Two selectors at one level of quality."""

    level: QualityLevel
    own: JudgmentsToReach
    baseline: JudgmentsToReach

    @property
    def difference(self) -> float | None:
        """The relative difference in judgments from the baseline; None where undefined."""
        if self.own.judgments is None or not self.baseline.judgments:
            return None
        return self.own.judgments / self.baseline.judgments - 1


def end_quality(runs: Sequence[StudyRun]) -> MeanTau:
    """Return the mean quality at the end of the runs."""
    return _quality([run.tau_b for run in runs])


def compare_quality(
    runs: Sequence[StudyRun], baseline: Sequence[StudyRun]
) -> list[QualityComparison]:
    """Compare at the qualities with which the two selectors ended.

    Totals are compared only where both ended with the same quality. Otherwise the judgments are
    those after which each first reached the quality, by its mean curve over the repeats.
    """
    ends = [round(end_quality(repeats).tau_b, DIGITS) for repeats in (runs, baseline)]
    if ends[0] == ends[1] and all(run.finished for run in (*runs, *baseline)):
        return [QualityComparison(QualityLevel.END, _end(runs), _end(baseline))]
    levels = {QualityLevel.BASELINE: end_quality(baseline), QualityLevel.OWN: end_quality(runs)}
    return [
        QualityComparison(level, _at(runs, quality.tau_b), _at(baseline, quality.tau_b))
        for level, quality in sorted(levels.items(), key=lambda item: item[1].tau_b)
    ]


def _end(runs: Sequence[StudyRun]) -> JudgmentsToReach:
    return JudgmentsToReach(float(np.mean([run.judgments for run in runs])), end_quality(runs))


def _at(runs: Sequence[StudyRun], tau_b: float) -> JudgmentsToReach:
    """Return the judgments at which a quality was first reached; None, and the end, if never."""
    curves = [run.curve for run in runs]
    mean = mean_curve(curves)
    # 1e-9: a mean that is summed in another order may differ in its last digits.
    step = mean.step_reaching(tau_b - 1e-9)
    if step is None:
        return JudgmentsToReach(None, end_quality(runs))
    return JudgmentsToReach(
        mean.at(step).judgments, _quality([curve.at(step).tau_b for curve in curves])
    )


def _quality(values: Sequence[float]) -> MeanTau:
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    return MeanTau(float(np.mean(values)), error)
