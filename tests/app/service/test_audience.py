"""Who judges a study: what that sets, what wins over it, and that one person's study ends."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from in_process import AT, ON_TOPIC, STUDY, InProcess, by_number, pair_of, refusal
from ways_to_answer import DESIGNS, STYLES, make

from nextpair.app.studies.study import read_settings
from nextpair.selectors.base import selector_names


def in_force(service: InProcess, **settings: object) -> dict[str, object]:
    made = service.make_study(f"s{len(service.get('/v1/studies')['items'])}", **settings)
    return dict(made["options_in_force"])


def test_a_study_is_for_a_crowd_unless_it_says_otherwise(service: InProcess) -> None:
    made = service.make_study(selector="placement")
    assert made["judges"] == "crowd"
    assert (made["options"], made["votes"]) == ({}, 1)
    assert made["options_in_force"]["risk"] == 0.02
    assert made["options_in_force"]["error"] == 0.15
    assert service.get(AT)["options_in_force"] == made["options_in_force"]


def test_who_judges_sets_the_options_that_are_not_given(light: InProcess) -> None:
    one = in_force(light, selector="placement", judges="one")
    few = in_force(light, selector="placement", judges="few")
    assert (one["risk"], few["risk"]) == (0, 0.02)
    assert few["error"] == 0.05
    for judges in ("one", "few"):
        assert in_force(light, selector="information-gain", judges=judges)["dismiss"] == 1


def test_an_option_that_is_given_wins(light: InProcess) -> None:
    made = in_force(light, selector="placement", judges="one", options={"risk": 0.1, "error": 0.2})
    assert (made["risk"], made["error"]) == (0.1, 0.2)
    made = in_force(light, selector="placement", judges="one", options={"top": 2})
    assert (made["top"], made["risk"], made["error"]) == (2, 0.02, 0.05)
    assert light.make_study("v", judges="one", votes=2)["votes"] == 2


def test_other_judges_than_these_are_refused(light: InProcess) -> None:
    sent = light.send("POST", "/v1/studies", {"id": STUDY, "judges": "two"})
    assert "one" in refusal(sent, 422)["detail"]
    refusal(light.send("GET", AT), 404, "unknown-study")


def test_who_judges_is_part_of_what_a_study_is(light: InProcess) -> None:
    light.make_study(judges="one")
    refusal(light.send("POST", "/v1/studies", {"id": STUDY, "judges": "few"}), 409)
    refusal(light.send("PATCH", AT, {"judges": "few"}), 422)


@pytest.mark.parametrize("selector", selector_names())
@pytest.mark.parametrize("style", STYLES)
def test_one_persons_study_ends_and_asks_no_pair_twice(
    light: InProcess, selector: str, style: str
) -> None:
    make(light, 6, selector=selector, judges="one")
    asked: Counter[frozenset[str]] = Counter()
    while got := light.next("ann")["assignments"]:
        for one in got:
            asked[pair_of(one)] += 1
            light.judge(one, STYLES[style](one))
    assert light.next("ann")["reason"] == "done"
    told = light.get(f"{ON_TOPIC}/progress")
    assert told["finished"] and told["forecast"] is None
    assert told["ended"] in {"known", "plan", "exhausted"}
    assert set(asked.values()) == {1}
    if style == "truly":
        ranking = [one["document"] for one in light.get(f"{ON_TOPIC}/ranking")["documents"]]
        best_first = [f"d{n}" for n in range(6)]
        assert ranking == best_first or selector in {"groups", "elo-schedule"}


def test_who_comes_later_is_asked_nothing_that_was_answered(light: InProcess) -> None:
    make(light, 4, selector="information-gain", judges="one", options={"risk": 0.0001})
    asked = []
    for worker in ("ann", "bob", "ann", "bob", "ann", "bob", "ann"):
        for one in light.next(worker)["assignments"]:
            asked.append(pair_of(one))
            light.judge(one, by_number(one))
    assert len(set(asked)) == len(asked) == 6
    assert light.next("cid")["reason"] == "done"
    assert light.get(f"{ON_TOPIC}/progress")["ended"] == "exhausted"


def test_what_the_one_person_skipped_is_left_to_somebody_else(light: InProcess) -> None:
    make(light, 2, judges="one")
    light.skip(light.one("ann"))
    assert light.next("ann")["reason"] == "seen"
    assert light.get(f"{ON_TOPIC}/progress")["finished"] is False
    light.judge(light.one("bob"))
    assert light.next("ann")["reason"] == "done"


def test_an_answer_that_the_one_person_takes_back_is_asked_again(light: InProcess) -> None:
    make(light, 2, judges="one")
    asked = light.one("ann")
    light.judge(asked, "left")
    again = light.undo(asked).json()
    assert light.judge(again, "right").status_code == 201
    first = light.get(f"{ON_TOPIC}/ranking")["documents"][0]["document"]
    assert first == asked["right"]["id"]


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_can_be_for_one_person(light: InProcess, design: str) -> None:
    make(light, 2, design=design, judges="one")
    for _ in range(3):
        for asked in light.next("ann")["assignments"]:
            assert light.judge(asked, DESIGNS[design](asked)).status_code == 201
    # What is reviewed is reviewed by somebody else.
    assert light.next("ann")["reason"] == ("seen" if design == "review" else "done")


def test_a_study_that_was_kept_before_there_were_judges_is_for_a_crowd() -> None:
    assert read_settings({"title": "old"}).judges == "crowd"


def test_the_command_line_refuses_judges_it_does_not_know(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "nextpair.app.cli", "import", "--study", "s", "--judges", "two"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert told.returncode == 2
    assert "one" in told.stderr and "few" in told.stderr and "crowd" in told.stderr
