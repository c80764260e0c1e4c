"""How many answers scores predict, and how the curve of convergence is bounded."""

import numpy as np
import pytest

from nextpair.app.reports.convergence import MAX_WORK, ConvergencePoint, mean_curve, points_for
from nextpair.app.reports.levels import to_levels
from nextpair.app.reports.prediction import Prediction, predict
from nextpair.storage.rows import JudgmentRow


def row(first: int, second: int, outcome: str) -> JudgmentRow:
    return JudgmentRow(1, 1, 1, 1, 1, first, second, outcome, {}, None, 0.0)


def test_right_wrong_tied_and_undecided_answers_are_counted() -> None:
    scores = np.array([3.0, 2.0, 2.0, np.nan])
    rows = [
        row(0, 1, "better"),  # right
        row(0, 1, "worse"),  # wrong
        row(0, 2, "tie"),  # said to be a tie
        row(1, 2, "better"),  # the same score
        row(0, 3, "better"),  # no score
    ]
    found = predict(scores, rows)
    assert found == Prediction(answers=5, ties=1, right=1, undecided=2)
    assert (found.preferring, found.accuracy, found.tie_share) == (4, 0.25, 0.2)
    assert found + found == Prediction(10, 2, 2, 4)


def test_the_interval_is_wilsons() -> None:
    # Newcombe (Statistics in Medicine 1998), Table I: 81 of 263, method 3.
    found = Prediction(answers=263, right=81).interval
    assert found is not None
    assert [*found] == pytest.approx([0.2553, 0.3662], abs=5e-5)
    assert Prediction(answers=3, ties=3).interval is None


def test_the_cost_of_convergence_is_bounded() -> None:
    for judgments in (1, 999, 5_000, 5_001, 35_000, 50_000, 10**7):
        points = points_for(judgments, 20)
        assert points <= 20
        assert points * judgments <= MAX_WORK
        assert points != 1
    assert points_for(0, 0) == 0


def test_a_mean_curve_leaves_out_what_is_not_known() -> None:
    one = [ConvergencePoint(1, np.nan), ConvergencePoint(2, 0.5), ConvergencePoint(3, 1.0)]
    two = [ConvergencePoint(10, np.nan), ConvergencePoint(20, np.nan), ConvergencePoint(30, 1.0)]
    found = mean_curve([one, two])
    assert [point.judgments for point in found] == [11, 22, 33]
    assert np.isnan(found[0].tau)
    assert [point.tau for point in found[1:]] == [0.5, 1.0]
    assert mean_curve([]) == []


def test_levels_keep_ties_and_reach_both_ends() -> None:
    scores = {"a": -1.0, "b": 0.2, "c": 0.2, "d": 5.0}
    for levels in range(2, 9):
        found = to_levels(scores, levels)
        assert (found["a"], found["d"]) == (0, levels - 1)
        assert found["b"] == found["c"]
    assert to_levels({"a": 0.1 + 0.2}, 3, (0.0, 0.9)) == {"a": 1}
    assert to_levels({}, 3) == {}
    assert to_levels({"a": 2.0, "b": 2.0}, 3) == {"a": 0, "b": 0}
