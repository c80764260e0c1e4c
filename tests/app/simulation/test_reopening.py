"""A study that re-opens documents comes to its end, whatever was contradicted before."""

import numpy as np
import pytest

from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.runs import Plan, judge_topic
from nextpair.app.simulation.truths import generated_truths
from nextpair.selectors.base import Idle
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome
from nextpair.selectors.state.settings import ConflictPolicy, Settings
from nextpair.selectors.state.topic_state import Topic

B, W = Outcome.BETTER, Outcome.WORSE
CONTRADICTED = [
    *[("a", "c", B), ("c", "b", B), ("a", "b", W)],  # re-opens a
    *[("a", "c", B), ("a", "b", W)],  # a was re-opened before: the older evidence wins
    *[("d", "e", B), ("d", "f", B), ("d", "g", B), ("e", "c", B), ("c", "d", B)],  # re-opens c
]


@pytest.mark.parametrize("selector", ["quick-sort", "merge-tie-random", "uniform"])
def test_an_answer_once_overruled_counts_when_what_overruled_it_is_set_aside(selector: str) -> None:
    settings = Settings(selector, on_conflict=ConflictPolicy.REOPEN, reopenings=1)
    topic = Topic([Document(name) for name in "abcdefg"], settings)
    for number, (first, second, outcome) in enumerate(CONTRADICTED):
        topic.absorb(Judgment(number, first, second, outcome, f"w{number}"))
    ids, rng = topic.documents.ids, np.random.default_rng(0)
    for number in range(len(CONTRADICTED), 100):
        choice = topic.select(f"w{number}", [], rng)
        if isinstance(choice, Idle):
            break
        # Everyone now agrees: the later in the alphabet, the better.
        outcome = B if choice[0] > choice[1] else W
        judgment = Judgment(number, ids[choice[0]], ids[choice[1]], outcome, f"w{number}")
        topic.absorb(judgment)
    assert choice is Idle.DONE


@pytest.mark.parametrize("votes", [1, 3])
@pytest.mark.parametrize("selector", ["quick-sort", "merge-tie-random", "uniform"])
def test_reopening_costs_no_more_than_its_limit_allows(selector: str, votes: int) -> None:
    (truth,) = generated_truths(1, 14, [6, 2, 1, 1], np.random.default_rng(0))
    crowd = CrowdSettings(60, error=0.3)
    plan = Plan(selector, crowd=crowd, votes=votes, on_conflict=ConflictPolicy.REOPEN)
    run = judge_topic(truth, plan, [0])
    # All 91 pairs, once and again for each of three re-openings of each of their two documents.
    assert run.finished
    assert run.judgments <= 91 * 7 * (2 * votes + 1)
