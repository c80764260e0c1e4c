"""The table for people, the JSON for programs."""

import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.report import (
    Results,
    comparison_table,
    display_name,
    table,
    to_json,
    topic_variation,
    variation,
)
from nextpair.app.simulation.runs import SimulationPlan, TopicRun
from nextpair.app.simulation.studies import StudyRun

PLAN = SimulationPlan("merge-tie", {"pool": 64})
QUICK_SORT = SimulationPlan("quick-sort")
KEYS = {
    "selector",
    "options",
    "seed",
    "topics",
    "documents",
    "judgments",
    "tau_b",
    "exact",
    "seconds",
    "peak_mb",
}


def run(*judgments: int, seed: int = 0, exact: bool = True, finished: bool = True) -> StudyRun:
    topics = [
        TopicRun(f"t{place}", 500, count, 1, 0.5, exact, finished, 2.0, 99.94)
        for place, count in enumerate(judgments, start=1)
    ]
    return StudyRun(PLAN, seed, topics)


def row(results: Results) -> list[str]:
    """Return the cells of the table's last mechanism."""
    return [str(list(column.cells)[-1]) for column in table(results, 160).columns]


def printed(width: int) -> str:
    """Print both tables with large numbers in a terminal of this width."""
    runs, baseline = [run(1234567), run(2234567, seed=1)], [replace(run(100), plan=QUICK_SORT)]
    console = Console(file=StringIO(), width=width)
    console.print(table({"merge-tie-random (baseline)": runs}, width))
    console.print(comparison_table({"merge-tie-random": runs}, baseline, width))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_number_is_cut_at_any_usual_width(width: int) -> None:
    text = printed(width)
    assert "…" not in text
    for number in ("1,734,567", "3469.134", "+1734467.0%", "0.5000", "40.77%", "2.0"):
        assert number in text
    assert ("2/2" in text) is (width >= 100)


def test_a_mechanism_is_named_by_its_selector_and_the_options_set() -> None:
    assert display_name(SimulationPlan("uniform")) == "uniform"
    assert display_name(SimulationPlan("merge-tie", {"pool": 64, "svm_judgments": 5})) == (
        "merge-tie (pool=64, svm_judgments=5)"
    )


def test_variation_is_the_deviation_relative_to_the_mean() -> None:
    assert variation([90, 110]) == pytest.approx(np.sqrt(200) / 100)
    assert variation([5, 5, 5]) == 0


@pytest.mark.parametrize("values", [[7], [0, 0]])
def test_there_may_be_nothing_to_vary(values: list[float]) -> None:
    assert variation(values) is None


@given(
    values=st.lists(st.integers(1, 1000), min_size=2, max_size=8),
    factor=st.floats(0.01, 100),
)
def test_variation_does_not_depend_on_the_scale(values: list[int], factor: float) -> None:
    scaled = [value * factor for value in values]
    assert variation(scaled) == pytest.approx(variation(values), abs=1e-9)


def test_the_variation_per_topic_is_that_of_each_topic_over_repeats() -> None:
    runs = [run(90, 200), run(110, 200, seed=1)]
    assert topic_variation(runs) == pytest.approx(np.sqrt(200) / 100 / 2)
    assert topic_variation(runs[:1]) is None


def test_the_json_is_an_array_with_one_object_per_mechanism_and_repeat() -> None:
    results = {"one": [run(10), run(20, seed=1)], "two": [run(30, 40)]}
    objects = json.loads(to_json(results))
    assert [one["judgments"] for one in objects] == [10, 20, 70]
    assert all(one.keys() >= KEYS for one in objects)


def test_each_object_says_what_was_run_and_what_it_came_to() -> None:
    (one,) = json.loads(to_json({"name": [run(30, 40, seed=3, exact=False)]}))
    expected = {
        "selector": "merge-tie",
        "options": {"pool": 64},
        "seed": 3,
        "topics": 2,
        "documents": 1000,
        "judgments": 70,
        "conflicts": 2,
        "tau_b": 0.5,
        "exact": False,
        "finished": True,
        "seconds": 4.0,
        "peak_mb": 99.9,
    }
    assert {key: one[key] for key in expected} == expected


def with_crowd(one: StudyRun, crowd: CrowdSettings) -> StudyRun:
    return replace(one, plan=replace(one.plan, crowd=crowd))


def test_the_bad_workers_of_a_crowd_are_told_only_where_there_are_any() -> None:
    plain = run(30)
    noisy = with_crowd(plain, CrowdSettings(20, 0.2, 0.1, 0.1))
    lefts = with_crowd(plain, CrowdSettings(left=0.07))
    both = with_crowd(plain, CrowdSettings(left=0.07, reversers=0.2))
    usual, also, some, most = json.loads(to_json({"one": [plain, noisy, lefts, both]}))
    assert also == usual
    assert some == {**usual, "left": 0.07}
    assert most == {**usual, "left": 0.07, "reversers": 0.2}
    assert table({"one": [plain], "two": [noisy]}, 160).caption is None
    shown = table({"one": [both], "two": [both]}, 160)
    assert shown.caption == "in the crowd: left 0.07, reversers 0.2"


def test_the_table_has_a_row_for_each_mechanism() -> None:
    results = {"one": [run(1000)], "two": [run(1500)]}
    assert table(results, 160).row_count == 2


def test_a_row_shows_means_over_repeats() -> None:
    runs = [run(700, 200), run(900, 200, seed=1, exact=False)]
    assert row({"mine": runs}) == [
        "mine",
        "1,000",
        "1,000",
        "1.000",
        "0.5000",
        "0.0000",
        "1/2",
        "14.14%",
        "8.84%",
        "4.0",
    ]


def test_a_single_repeat_does_not_vary() -> None:
    cells = row({"mine": [run(700)]})
    assert (cells[5], *cells[7:9]) == ("-", "-", "-")


def test_a_mechanism_is_not_compared_with_itself() -> None:
    assert comparison_table({"mine": [run(700)]}, [run(700)], 160) is None


def test_totals_are_compared_where_both_end_with_the_same_quality() -> None:
    baseline = [replace(run(800), plan=QUICK_SORT)]
    shown = comparison_table({"mine": [run(1000)]}, baseline, 160)
    assert shown is not None
    cells = [str(*column.cells) for column in shown.columns]
    assert cells == ["mine", "both", "1,000", "0.5000", "800", "0.5000", "+25.0%"]


def test_a_run_that_did_not_finish_is_marked() -> None:
    cells = row({"mine": [run(700), run(700, seed=1, finished=False)]})
    assert cells[2] == "700 unfinished"
