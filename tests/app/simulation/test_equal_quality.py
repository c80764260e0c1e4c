"""How many judgments two mechanisms need for the same quality."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.curves import (
    CurvePoint,
    QualityCurve,
    checkpoints,
    mean_curve,
    run_curve,
)
from nextpair.app.simulation.equal_quality import QualityLevel, compare_quality
from nextpair.app.simulation.ground_truth import generated_truths
from nextpair.app.simulation.runs import SimulationPlan, TopicRun, judge_topic
from nextpair.app.simulation.studies import StudyRun


def run(
    selector: str, points: list[tuple[int, float]], *, seed: int = 0, ended: bool = True
) -> StudyRun:
    """Make a run over one topic of ten documents, with these checkpoints and this end."""
    *before, (judgments, tau_b) = points
    curve = tuple(CurvePoint(*point) for point in before)
    topic = TopicRun("1", 10, judgments, 0, tau_b, False, ended, 0.1, 50.0, curve=curve)
    return StudyRun(SimulationPlan(selector), seed, [topic])


QUICK = run("quick-sort", [(10, 0.4), (20, 0.6), (30, 0.7)])


def test_a_better_order_is_compared_at_the_quality_of_the_worse_one() -> None:
    slow = run("placement", [(10, 0.3), (30, 0.9), (40, 1.0)])
    lower, higher = compare_quality([slow], [QUICK])
    assert lower.level is QualityLevel.BASELINE
    assert (lower.own.quality.tau_b, lower.baseline.quality.tau_b) == pytest.approx((0.7, 0.7))
    assert lower.own.judgments == pytest.approx(10 + 20 * 4 / 6)
    assert lower.baseline.judgments == pytest.approx(30)
    assert lower.difference == pytest.approx((10 + 20 * 4 / 6) / 30 - 1)
    assert higher.level is QualityLevel.OWN
    assert (higher.baseline.judgments, higher.difference) == (None, None)
    assert higher.baseline.quality.tau_b == 0.7  # where it ended


def test_a_worse_order_saves_nothing_by_stopping_early() -> None:
    hasty = run("merge-tie", [(10, 0.4), (12, 0.5)])
    lower, higher = compare_quality([hasty], [QUICK])
    assert (lower.level, higher.level) == (QualityLevel.OWN, QualityLevel.BASELINE)
    assert (lower.own.judgments, lower.baseline.judgments) == pytest.approx((12, 15))
    assert (higher.own.judgments, higher.difference) == (None, None)


def test_equal_qualities_are_compared_by_what_was_spent_to_the_end() -> None:
    # It had the quality long before it stopped, but nobody could know.
    sure = run("placement", [(5, 0.7), (60, 0.7)])
    (both,) = compare_quality([sure], [QUICK])
    assert (both.level, both.own.judgments, both.baseline.judgments) == (QualityLevel.END, 60, 30)
    assert both.difference == pytest.approx(1.0)


def test_what_did_not_finish_has_no_total() -> None:
    stuck = run("placement", [(5, 0.7), (60, 0.7)], ended=False)
    assert [one.level for one in compare_quality([stuck], [QUICK])] != [QualityLevel.END]


def test_the_standard_error_is_that_of_the_mean_over_repeats() -> None:
    runs = [run("placement", [(10, tau_b)], seed=seed) for seed, tau_b in enumerate((0.5, 0.7))]
    (both,) = compare_quality(runs, [run("quick-sort", [(10, 0.6)])])
    assert both.own.quality.error == pytest.approx(np.sqrt(0.02) / np.sqrt(2))
    assert both.baseline.quality.error is None


def test_a_topic_that_has_ended_waits_for_the_others() -> None:
    topics = [
        ([CurvePoint(5, 0.5)], CurvePoint(9, 1.0)),
        ([CurvePoint(5, 0.1), CurvePoint(10, 0.2)], CurvePoint(12, 0.4)),
    ]
    curve = run_curve(topics)
    assert curve.judgments.tolist() == [0, 10, 19, 21]
    assert curve.tau_b == pytest.approx([0, 0.3, 0.6, 0.7])


def test_a_shorter_repeat_stays_at_its_end_in_the_mean() -> None:
    short = QualityCurve(np.array([0.0, 10.0]), np.array([0.0, 0.5]))
    long = QualityCurve(np.array([0.0, 10.0, 20.0]), np.array([0.0, 0.5, 0.9]))
    mean = mean_curve([short, long])
    assert mean.judgments.tolist() == [0, 10, 15]
    assert mean.tau_b == pytest.approx([0, 0.5, 0.7])


@given(documents=st.integers(1, 3000))
def test_checkpoints_grow(documents: int) -> None:
    steps = checkpoints(documents)
    found = [next(steps) for _ in range(30)]
    assert found == sorted(set(found))


@pytest.mark.parametrize("selector", ["placement", "information-gain", "merge-tie", "quick-sort"])
def test_measuring_on_the_way_changes_nothing(selector: str) -> None:
    (truth,) = generated_truths(1, 16, [3, 2, 1], np.random.default_rng(1))
    plan = SimulationPlan(selector, crowd=CrowdSettings(error=0.15), workers=3, budget=4)
    plain = judge_topic(truth, plan, [2])
    measured = judge_topic(truth, plan, [2], with_curve=True)
    assert (plain.judgments, plain.tau_b, plain.conflicts) == (
        measured.judgments,
        measured.tau_b,
        measured.conflicts,
    )
    assert plain.curve == ()
    judgments = [point.judgments for point in measured.curve]
    assert judgments == [*islice(checkpoints(16), len(judgments))]
    assert len(measured.curve) > 2
