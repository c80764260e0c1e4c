"""What one mechanism saves against another, where both reach the same quality."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from nextpair.app.simulation.curves import mean_curve
from nextpair.app.simulation.studies import StudyRun

DIGITS = 4
"""Digits of tau-b that are shown: what looks equal counts as equal."""


class QualityLevel(StrEnum):
    """The quality at which two mechanisms are compared."""

    END = "both ends"
    """Both ended with it: the judgments are those until each had nothing more to ask."""
    OWN = "its end"
    BASELINE = "baseline's end"


@dataclass(frozen=True, slots=True)
class MeanTau:
    """The mean tau-b over repeats; its standard error, which one repeat does not have."""

    tau_b: float
    error: float | None

    def __str__(self) -> str:
        error = "" if self.error is None else f" ±{self.error:.{DIGITS}f}"
        return f"{self.tau_b:.{DIGITS}f}{error}"


@dataclass(frozen=True, slots=True)
class JudgmentsToReach:
    """What a mechanism had reached after so many judgments; None if it never came that far."""

    judgments: float | None
    quality: MeanTau


@dataclass(frozen=True, slots=True)
class QualityComparison:
    """Two mechanisms at one level of quality."""

    level: QualityLevel
    own: JudgmentsToReach
    baseline: JudgmentsToReach

    @property
    def difference(self) -> float | None:
        """Judgments more than the baseline's, as a share of those; None where there are none."""
        if self.own.judgments is None or not self.baseline.judgments:
            return None
        return self.own.judgments / self.baseline.judgments - 1


def end_quality(runs: Sequence[StudyRun]) -> MeanTau:
    """Return the quality at the end."""
    return _quality([run.tau_b for run in runs])


def compare_quality(
    runs: Sequence[StudyRun], baseline: Sequence[StudyRun]
) -> list[QualityComparison]:
    """Compare at the quality with which each of two mechanisms ended.

    A total is compared with a total only where both end with the same quality. Otherwise the
    judgments are those after which each first had it, by its mean curve over the repeats.
    """
    ends = [round(end_quality(one).tau_b, DIGITS) for one in (runs, baseline)]
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
    """Say when a quality was first reached; if it never was, what there was at the end."""
    curves = [run.curve for run in runs]
    mean = mean_curve(curves)
    # A mean that is added up in another sequence may differ behind the digits that are shown.
    step = mean.step_of(tau_b - 1e-9)
    if step is None:
        return JudgmentsToReach(None, end_quality(runs))
    return JudgmentsToReach(
        mean.at(step).judgments, _quality([curve.at(step).tau_b for curve in curves])
    )


def _quality(values: Sequence[float]) -> MeanTau:
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    return MeanTau(float(np.mean(values)), error)
