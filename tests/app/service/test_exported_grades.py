"""Grades beside scores: a study stopped early must not turn round in qrels what its scores say."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
from in_process import InProcess

DOCUMENTS, WORKERS, ERROR = 60, 10, 0.1
TOPICS = 2
SAYINGS = ("left", "right", "equal")


def judge(service: InProcess, topic: str, levels: list[int], seed: int) -> None:
    """Give one answer per document, of which one in ten is wrong."""
    rng = np.random.default_rng(seed)
    for number in range(DOCUMENTS):
        asked = service.one(f"w{number % WORKERS}", "noisy", topic=topic)
        left, right = (levels[int(asked[side]["id"][1:])] for side in ("left", "right"))
        true = "equal" if left == right else "left" if left > right else "right"
        wrong = [one for one in SAYINGS if one != true]
        said = str(rng.choice(wrong)) if rng.random() < ERROR else true
        assert service.judge(asked, said).status_code == 201


def wrong_pairs(levels: list[int], grades: Mapping[str, float]) -> int:
    """Count the pairs that are graded the other way round than they are."""
    return sum(
        (levels[int(one[1:])] - levels[int(other[1:])]) * (grades[one] - grades[other]) < 0
        for one, other in combinations(grades, 2)
    )


@pytest.mark.statistical
@pytest.mark.parametrize("selector", ["placement", "information-gain"])
def test_grades_have_hardly_more_pairs_wrong_than_the_scores_they_are_made_of(
    light: InProcess, selector: str
) -> None:
    settings = {"id": "noisy", "selector": selector, "options": {"budget": 1.0}}
    light.post("/v1/studies", settings, status=201)
    wrong = {"qrels": 0, "qrels-real": 0}
    for seed in range(TOPICS):
        topic, rng = f"t{seed}", np.random.default_rng(7000 + seed)
        levels = rng.choice(4, DOCUMENTS, p=[0.5, 0.25, 0.15, 0.1]).tolist()
        documents = [{"id": f"d{number}"} for number in range(DOCUMENTS)]
        body = {"id": topic, "documents": documents}
        light.post("/v1/studies/noisy/topics", body, status=201)
        judge(light, topic, levels, seed)
        assert light.get(f"/v1/studies/noisy/topics/{topic}/progress")["ended"] == "budget"
        for form in wrong:
            told = light.send("GET", f"/v1/studies/noisy/export/{form}", params={"topic": topic})
            lines = [line.split() for line in told.text.splitlines()]
            wrong[form] += wrong_pairs(levels, {line[2]: float(line[3]) for line in lines})
    assert 0 < wrong["qrels"] <= 1.1 * wrong["qrels-real"]
