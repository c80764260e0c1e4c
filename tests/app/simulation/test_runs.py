"""One topic judged to the end by a simulated crowd."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.runs import Plan, TopicRun, judge_topic
from nextpair.app.simulation.truths import Answer, Graded, NoRecordedAnswer, Recorded
from nextpair.selectors.errors import BadInput, BadOption, UnknownSelector
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.settings import ConflictPolicy

INFERRING = ["quick-sort", "merge-tie", "merge-tie-random", "uniform"]
NAN, INFINITY = float("nan"), float("inf")


def graded(grades: list[int]) -> Graded:
    """Make a topic whose documents have a feature that tells, one that does not, and gaps."""
    rng = np.random.default_rng(len(grades))
    documents = [
        Document(f"d{place}", {"good": grade + rng.normal(), "bad": rng.normal(), "gap": gap})
        for place, grade in enumerate(grades)
        for gap in [None if place % 3 else float(grade)]
    ]
    return Graded("1", documents, grades)


def drawn(size: int) -> Graded:
    return graded(np.random.default_rng(size).choice(4, size, p=[0.6, 0.2, 0.1, 0.1]).tolist())


def without_cost(run: TopicRun) -> TopicRun:
    return replace(run, seconds=0, peak_mb=0)


@pytest.mark.parametrize("workers", [1, 8])
@pytest.mark.parametrize("selector", INFERRING)
def test_perfect_judges_recover_the_order(selector: str, workers: int) -> None:
    run = judge_topic(drawn(40), Plan(selector, workers=workers), [0])
    assert (run.exact, run.finished, run.conflicts, run.documents) == (True, True, 0, 40)
    assert run.tau_b == pytest.approx(1)
    assert run.judgments < 40 * 39 / 2


@settings(max_examples=25)
@given(
    grades=st.lists(st.integers(0, 3), min_size=1, max_size=9),
    selector=st.sampled_from(INFERRING),
    workers=st.integers(1, 4),
    votes=st.sampled_from([1, 2, 3]),
    seed=st.integers(0, 99),
)
def test_perfect_judges_recover_any_order(
    grades: list[int], selector: str, workers: int, votes: int, seed: int
) -> None:
    run = judge_topic(graded(grades), Plan(selector, workers=workers, votes=votes), [seed])
    assert (run.exact, run.finished) == (True, True)


@pytest.mark.parametrize("selector", [*INFERRING, "elo-schedule"])
def test_a_topic_of_one_document_needs_no_judgment(selector: str) -> None:
    run = judge_topic(graded([2]), Plan(selector), [0])
    assert (run.judgments, run.exact, run.finished, run.tau_b) == (0, True, True, 1)


@pytest.mark.parametrize("workers", [1, 8])
@pytest.mark.parametrize("selector", INFERRING)
def test_no_more_is_asked_than_the_budget_allows(selector: str, workers: int) -> None:
    run = judge_topic(drawn(20), Plan(selector, workers=workers, budget=0.4), [0])
    assert (run.judgments, run.finished) == (8, True)


def test_a_budget_that_is_not_needed_changes_nothing() -> None:
    free = judge_topic(drawn(15), Plan("uniform"), [0])
    rich = judge_topic(drawn(15), Plan("uniform", budget=1000), [0])
    assert without_cost(free) == without_cost(rich)


@pytest.mark.parametrize(("votes", "needed"), [(1, 1), (2, 2), (3, 2), (5, 3)])
def test_perfect_judges_need_only_a_majority_of_the_votes(votes: int, needed: int) -> None:
    pairs = judge_topic(drawn(15), Plan("quick-sort"), [0]).judgments
    run = judge_topic(drawn(15), Plan("quick-sort", votes=votes), [0])
    assert (run.judgments, run.exact) == (needed * pairs, True)


@pytest.mark.parametrize("votes", [1, 3])
def test_a_schedule_takes_every_vote_it_planned(votes: int) -> None:
    run = judge_topic(drawn(10), Plan("elo-schedule", votes=votes, workers=4), [0])
    assert (run.judgments, run.finished) == (votes * (15 + 4 * 5), True)


def test_a_crowd_smaller_than_the_votes_cannot_finish() -> None:
    run = judge_topic(graded([0, 1, 1]), Plan("quick-sort", crowd=CrowdSettings(1), votes=3), [0])
    assert not run.finished


@pytest.mark.parametrize(("most", "judged"), [(5, 5), (20, 20), (50, 20)])
def test_a_sample_of_the_documents_is_judged(most: int, judged: int) -> None:
    run = judge_topic(drawn(20), Plan("merge-tie", max_documents=most), [0])
    assert (run.documents, run.exact) == (judged, True)


def test_each_seed_draws_its_own_sample() -> None:
    truth = graded([0] * 10 + [1] * 10)
    plan = Plan("quick-sort", max_documents=2, budget=1e-9)
    assert {judge_topic(truth, plan, [seed]).exact for seed in range(30)} == {False, True}


@pytest.mark.parametrize("selector", [*INFERRING, "elo-schedule"])
def test_the_same_seed_gives_the_same_run(selector: str) -> None:
    plan = Plan(selector, crowd=CrowdSettings(20, 0.2, 0.1, 0.1), workers=3)
    one, again = (without_cost(judge_topic(drawn(12), plan, [3, 1])) for _ in range(2))
    assert one == again


@pytest.mark.parametrize("selector", INFERRING)
def test_different_seeds_give_different_runs(selector: str) -> None:
    runs = [judge_topic(drawn(50), Plan(selector), [seed]) for seed in range(8)]
    assert len({run.judgments for run in runs}) > 1


@pytest.mark.parametrize("policy", ConflictPolicy)
@pytest.mark.parametrize("selector", [*INFERRING, "elo-schedule"])
def test_a_crowd_that_errs_still_finishes(selector: str, policy: ConflictPolicy) -> None:
    for workers, votes in [(1, 1), (8, 1), (8, 3)]:
        crowd = CrowdSettings(60, 0.3, 0.1, 0.1)
        plan = Plan(selector, crowd=crowd, votes=votes, on_conflict=policy, workers=workers)
        run = judge_topic(drawn(14), plan, [workers, votes])
        assert run.finished
        # Three votes may, by luck, outvote every error.
        assert votes > 1 or not run.exact


@pytest.mark.parametrize("selector", INFERRING)
def test_a_crowd_of_reversers_finds_the_order_upside_down(selector: str) -> None:
    run = judge_topic(drawn(20), Plan(selector, crowd=CrowdSettings(reversers=1)), [0])
    assert run.tau_b == pytest.approx(-1)


@pytest.mark.parametrize("selector", [*INFERRING, "elo-schedule"])
def test_a_crowd_that_always_says_left_knows_nothing(selector: str) -> None:
    # The best come first: without a coin for the sides, "left" would be right or wrong throughout.
    truth, plan = graded([*range(12, 0, -1)]), Plan(selector, crowd=CrowdSettings(left=1))
    runs = [judge_topic(truth, plan, [seed]) for seed in range(20)]
    assert all(run.finished for run in runs)
    assert abs(np.mean([run.tau_b for run in runs])) < 0.25


@pytest.mark.parametrize("policy", ConflictPolicy)
def test_conflicts_are_counted(policy: ConflictPolicy) -> None:
    plan = Plan("elo-schedule", crowd=CrowdSettings(error=0.4), on_conflict=policy)
    assert judge_topic(drawn(14), plan, [0]).conflicts > 0


def replay(workers: list[str]) -> Recorded:
    answers = [Answer(Outcome.BETTER, worker) for worker in workers]
    pairs = {pair: answers for pair in combinations(range(4), 2)}
    return Recorded("1", [Document(name) for name in "abcd"], pairs)


def test_recorded_answers_are_replayed() -> None:
    run = judge_topic(replay(["anna"]), Plan("uniform"), [0])
    assert (run.exact, run.finished) == (True, True)
    assert run.tau_b == pytest.approx(1)


def test_what_recorded_workers_are_called_does_not_matter() -> None:
    plan = Plan("quick-sort", crowd=CrowdSettings(1), votes=3)
    named, numbered = (
        judge_topic(replay(workers), plan, [0]) for workers in (["a", "a", "a"], ["w1", "w1", "w1"])
    )
    assert without_cost(named) == without_cost(numbered)


def test_a_pair_nobody_was_asked_about_ends_a_replay() -> None:
    truth = Recorded("1", [Document("a"), Document("b")], {})
    with pytest.raises(NoRecordedAnswer):
        judge_topic(truth, Plan("uniform"), [0])


@pytest.mark.parametrize(
    "values",
    [
        {"workers": 0},
        {"workers": 101},
        {"budget": 0.0},
        {"budget": -1.0},
        {"budget": NAN},
        {"budget": INFINITY},
        {"max_documents": 0},
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(BadOption, match=str(next(iter(values.values())))):
        replace(Plan("uniform"), **values)


def test_a_topic_is_not_judged_without_votes_or_by_an_unknown_selector() -> None:
    for votes in (0, -1):
        with pytest.raises(BadInput, match=f"vote.* got .*{votes}"):
            judge_topic(graded([0, 1]), Plan("uniform", votes=votes), [0])
    with pytest.raises(UnknownSelector, match="'best'"):
        judge_topic(graded([0, 1]), Plan("best"), [0])


@pytest.mark.parametrize(
    ("selector", "options", "budget", "ended"),
    [
        ("quick-sort", {}, None, "known"),
        ("quick-sort", {}, 0.2, "budget"),
        ("placement", {"budget": 0.5}, None, "budget"),
        ("groups", {}, None, "plan"),
    ],
)
def test_a_run_says_whether_it_reached_its_end_or_a_budget_stopped_it(
    selector: str, options: dict[str, object], budget: float | None, ended: str
) -> None:
    run = judge_topic(drawn(20), Plan(selector, options, budget=budget), [0])
    assert (run.finished, run.ended) == (True, ended)
