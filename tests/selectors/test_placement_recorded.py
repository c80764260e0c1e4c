"""Placement on recorded answers of crowds in which three of ten workers reverse every answer.

These are rare cases, found among many seeds. Their answers are recorded, so that they stay
what they are whatever questions are asked; the state is folded from them without any chance.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from nextpair.selectors.base import Idle
from nextpair.selectors.inference.ordinal_classes import structure_search
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic, fold

LOGS = Path(__file__).parent / "logs"
MISPLACED = [0] * 187 + [1] * 9 + [2] * 4
UNCONFIRMED = [0] * 97 + [1] * 2 + [2]
ENOUGH = 141
"""After how many answers of the second log the stopping rule is met without disambiguation."""


def folded(name: str, size: int, most: int | None = None) -> Topic:
    with (LOGS / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:most]
    log = [
        Judgment(number, row["first"], row["second"], Outcome(row["outcome"]), row["worker"])
        for number, row in enumerate(rows)
    ]
    return fold([Document(f"d{place}") for place in range(size)], log, Settings("placement"))


def tau(topic: Topic, grades: list[int]) -> float:
    return float(kendalltau(topic.scores(), grades).statistic)


@pytest.mark.parametrize(
    ("seed", "without"), [(2, -0.18), (3, 0.72), (7, 0.45)], ids=["seed-2", "seed-3", "seed-7"]
)
def test_documents_misplaced_by_reversing_workers_of_a_large_crowd_find_their_class(
    seed: int, without: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Recorded without distant merges; with them: 0.996, 0.953 and 0.904.
    assert tau(folded(f"misplaced-{seed}", len(MISPLACED)), MISPLACED) > 0.85
    monkeypatch.setattr(structure_search, "merge_candidates", lambda posterior: [])
    found = tau(folded(f"misplaced-{seed}", len(MISPLACED)), MISPLACED)
    assert found == pytest.approx(without, abs=0.05)


def test_other_explanations_are_asked_about_before_the_end_where_some_may_reverse() -> None:
    # The posterior is wrong (0.32) and would be final; the disambiguating pairs correct it.
    early = folded("unconfirmed", len(UNCONFIRMED), ENOUGH)
    assert tau(early, UNCONFIRMED) < 0.5
    choice = early.select("a new worker", (), np.random.default_rng(0))
    assert not isinstance(choice, Idle)
    whole = folded("unconfirmed", len(UNCONFIRMED))
    assert tau(whole, UNCONFIRMED) > 0.9
    assert whole.finished
