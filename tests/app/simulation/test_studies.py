"""Plans side by side, repeated, on one process or two."""

from dataclasses import replace

import numpy as np
import pytest

from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.runs import Plan, TopicRun, judge_topic
from nextpair.app.simulation.studies import Run, Study
from nextpair.app.simulation.truths import Graded, generated_truths
from nextpair.selectors.errors import BadInput
from nextpair.selectors.state.documents import Document

CROWD = CrowdSettings(20, 0.2, 0.1, 0.1)
PLANS = [
    Plan("quick-sort", crowd=CROWD, workers=3),
    Plan("merge-tie", {"svm_judgments": 4, "pool": 16}, CROWD, workers=3),
]


def truths() -> list[Graded]:
    rng = np.random.default_rng(0)
    return [
        replace(truth, documents=[Document(d.id, {"f": rng.normal()}) for d in truth.documents])
        for truth in generated_truths(3, 14, [3, 2, 1], rng)
    ]


def without_cost(runs: list[Run]) -> list[Run]:
    return [
        replace(run, topics=[replace(topic, seconds=0, peak_mb=0) for topic in run.topics])
        for run in runs
    ]


def played(seed: int, repeat: int, jobs: int = 1) -> list[list[Run]]:
    study = Study(truths(), PLANS, repeat=repeat, seed=seed)
    assert len(list(study.play(jobs))) == len(study) == len(PLANS) * repeat * 3
    return [without_cost(study.runs(plan)) for plan in PLANS]


def test_two_processes_find_exactly_what_one_finds() -> None:
    assert played(seed=5, repeat=2, jobs=2) == played(seed=5, repeat=2, jobs=1)


def test_a_repeat_is_what_its_seed_gives_alone() -> None:
    together = played(seed=5, repeat=2)
    for place in range(2):
        assert [[runs[place]] for runs in together] == played(seed=5 + place, repeat=1)


def test_repeats_differ() -> None:
    for runs in played(seed=0, repeat=3):
        assert len({run.judgments for run in runs}) > 1
        assert [run.seed for run in runs] == [0, 1, 2]


def test_topics_come_in_the_order_of_the_truths() -> None:
    for runs in played(seed=0, repeat=2):
        assert [[topic.topic for topic in run.topics] for run in runs] == [["t1", "t2", "t3"]] * 2


def test_topics_that_are_alike_are_not_judged_with_the_same_chance() -> None:
    truth = truths()[0]
    study = Study([truth] * 5, PLANS[:1])
    assert len({topic.judgments for topic in study.play()}) > 1


def test_a_run_of_a_study_is_a_run_of_its_topics() -> None:
    study = Study(truths(), PLANS[:1], seed=7)
    list(study.play())
    alone = [judge_topic(truth, PLANS[0], [7, place]) for place, truth in enumerate(truths())]
    assert without_cost(study.runs(PLANS[0])) == without_cost([Run(PLANS[0], 7, alone)])


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_one_topic_ends_the_study(jobs: int) -> None:
    study = Study(truths(), [Plan("quick-sort", votes=0)])
    with pytest.raises(BadInput, match="at least one vote"):
        list(study.play(jobs))


def test_a_run_adds_up_its_topics() -> None:
    one = TopicRun("1", 10, 15, 2, 1.0, True, True, 0.5, 80.0)
    two = TopicRun("2", 20, 45, 0, 0.5, False, False, 1.5, 60.0)
    run = Run(PLANS[0], 0, [one, two])
    assert (run.documents, run.judgments, run.conflicts) == (30, 60, 2)
    assert (run.tau_b, run.seconds, run.peak_mb) == (0.75, 2.0, 80.0)
    assert (run.exact, run.finished) == (False, False)
    assert Run(PLANS[0], 0, [one]).exact and Run(PLANS[0], 0, [one]).finished
