"""Progress that adds up, and an end that says why: what a budget stopped is not known."""

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json
from ways_to_answer import DESIGNS, STYLES, make

from nextpair.selectors.base import selector_names

SIZE = 7
PAIRS = SIZE * (SIZE - 1) // 2
STAGES = (0, 1, 5, 30, 200)
"""After so many answers it is looked at, the last of them at the end of most topics."""


def pairs_of(told: Json) -> tuple[int, int, int]:
    return told["judged_pairs"], told["inferred_pairs"], told["unknown_pairs"]


def answer(service: InProcess, style: str, given: int, wanted: int) -> int:
    """Let three workers answer until there are so many answers, or no questions."""
    before = -1
    while before < given < wanted:
        before = given
        for worker in ("ann", "bob", "cid"):
            for asked in service.next(worker)["assignments"] if given < wanted else ():
                assert service.judge(asked, STYLES[style](asked)).status_code == 201
                given += 1
    return given


@pytest.mark.parametrize("selector", selector_names())
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("votes", [1, 2])
def test_judged_inferred_and_open_pairs_are_all_pairs_at_every_stage(
    light: InProcess, selector: str, style: str, votes: int
) -> None:
    make(light, SIZE, selector=selector, votes=votes)
    given = 0
    for stage in STAGES:
        given = answer(light, style, given, stage)
        told = light.get(f"{ON_TOPIC}/progress")
        judged, inferred, unknown = pairs_of(told)
        assert judged + inferred + unknown == PAIRS
        assert min(judged, inferred, unknown) >= 0
        judgments = light.get(f"{ON_TOPIC}/judgments")["items"]
        assert judged == len({frozenset((one["first"], one["second"])) for one in judgments})
        matrix = light.get(f"{ON_TOPIC}/matrix")
        # Every pair of two bins is in the matrix twice, once on either side of the diagonal.
        assert sum(map(sum, matrix["judged"])) == 2 * judged
        assert sum(map(sum, matrix["inferred"])) == 2 * inferred
        assert sum(map(sum, matrix["pairs"])) == 2 * PAIRS
        whole = light.get(f"{AT}/progress")
        assert pairs_of(whole) == (judged, inferred, unknown)
        (reported,) = light.get(f"{AT}/report")["topics"]
        assert pairs_of(reported["progress"]) == (judged, inferred, unknown)


@pytest.mark.parametrize("design", DESIGNS)
def test_they_add_up_whatever_is_asked(light: InProcess, design: str) -> None:
    make(light, 3, design=design)
    for _ in range(4):
        assert sum(pairs_of(light.get(f"{ON_TOPIC}/progress"))) == 3
        for asked in light.next("ann")["assignments"]:
            assert light.judge(asked, DESIGNS[design](asked)).status_code == 201


def test_two_topics_add_up_in_their_study(light: InProcess) -> None:
    make(light, SIZE)
    light.make_topic(3, "tea")
    answer(light, "truly", 0, 6)
    whole = light.get(f"{AT}/progress")
    assert sum(pairs_of(whole)) == PAIRS + 3
    assert whole["settled"] == sum(one["settled"] for one in whole["topics"])


@pytest.mark.parametrize("selector", ["placement", "information-gain"])
def test_what_a_budget_stopped_is_not_called_known(light: InProcess, selector: str) -> None:
    make(light, SIZE, selector=selector, options={"budget": 0.5})
    answer(light, "truly", 0, 100)
    told = light.get(f"{ON_TOPIC}/progress")
    assert (told["finished"], told["ended"], told["forecast"]) == (True, "budget", None)
    assert told["settled"] < SIZE
    assert told["unknown_pairs"] > 0
    whole = light.get(f"{AT}/progress")
    assert (whole["finished"], whole["ended"]) == (1, {"budget": 1})
    assert whole["forecast"] is None, "a finished study has no forecast"
    report = light.get(f"{AT}/report")
    assert (report["finished"], report["ended"]) == (1, {"budget": 1})
    page = light.send("GET", f"{AT}/report.html").text
    assert "stopped by the budget" in page
    assert "every document is settled" not in page


def test_what_is_known_and_what_was_planned_say_so(light: InProcess) -> None:
    make(light, 4, selector="quick-sort")
    answer(light, "truly", 0, 100)
    assert light.get(f"{ON_TOPIC}/progress")["ended"] == "known"
    assert "every document is settled" in light.send("GET", f"{AT}/report.html").text
    light.post("/v1/studies", {"id": "planned", "selector": "groups"}, status=201)
    light.make_topic(4, "t", "planned")
    light.judge_all("ann", "bob", study="planned")
    told = light.get("/v1/studies/planned/progress")
    assert (told["ended"], told["forecast"]) == ({"plan": 1}, None)


def test_a_study_that_goes_on_forecasts_only_the_topics_that_do(light: InProcess) -> None:
    make(light, 2, selector="uniform")
    light.make_topic(2, "tea")
    light.judge(light.one("ann", topic="coffee"))
    whole = light.get(f"{AT}/progress")
    by_name = {one["topic"]: one for one in whole["topics"]}
    assert by_name["coffee"]["forecast"] is None
    assert whole["forecast"] == by_name["tea"]["forecast"]
