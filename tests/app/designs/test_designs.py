"""Every design: what it takes, what it refuses, and what an answer means."""

from collections.abc import Mapping
from typing import Any

import pytest

from nextpair.app.designs.base import Seen, Shape, answer_schemas, design_names, make_design
from nextpair.app.errors import BadAnswer
from nextpair.selectors.errors import BadOption
from nextpair.selectors.state.judgments import Outcome

TEXT = "Water boils at a lower temperature on a mountain. Tea tastes weaker there. Bring honey."
GOOD: dict[str, list[Mapping[str, Any]]] = {
    "preference": [{"preference": "left"}, {"preference": "equally_bad"}],
    "three-questions": [
        {"preference": "left", "relevant": "both", "left_score": 3, "right_score": 1},
        {"preference": "right", "relevant": "none", "left_score": 0, "right_score": 0},
        {"preference": "right", "relevant": "both", "left_score": 2, "right_score": 2},
    ],
    "s100": [{"score": 0}, {"score": 100, "moved": True}],
    "magnitude": [{"magnitude": 0.001}, {"magnitude": 250}],
    "graded": [{"grade": "Probably relevant"}],
    "rationale": [
        {"grade": "Definitely relevant", "excerpt": "tea  tastes WEAKER there."},
        {"grade": "Definitely not relevant", "excerpt": "No text supports it."},
    ],
    "review": [{"grade": "Probably relevant", "excerpt": "Bring honey."}],
}
BAD: dict[str, list[tuple[Mapping[str, Any], str]]] = {
    "preference": [({"preference": "both"}, "answer.preference"), ({}, "answer.preference")],
    "three-questions": [
        (
            {"preference": "left", "relevant": "both", "left_score": 1, "right_score": 2},
            "say otherwise than the preference",
        ),
        (
            {"preference": "left", "relevant": "both", "left_score": 1, "right_score": -2},
            "answer.right_score",
        ),
        (
            {"preference": "left", "relevant": "left", "left_score": 2, "right_score": 1},
            "the right document's score is 1",
        ),
        (
            {"preference": "left", "relevant": "both", "left_score": 2, "right_score": 0},
            "the right document's score is 0",
        ),
        (
            {"preference": "equal", "relevant": "none", "left_score": 0, "right_score": 0},
            "answer.preference",
        ),
    ],
    "s100": [
        ({"score": 101}, "at most 100"),
        ({"score": -1}, "at least 0"),
        ({"score": 50.5}, "answer.score"),
        ({"score": "50"}, "answer.score"),
    ],
    "magnitude": [({"magnitude": 0}, "more than 0"), ({"magnitude": -3}, "more than 0")],
    "graded": [({"grade": "Perfect"}, "must be one of"), ({"grade": 2}, "answer.grade")],
    "rationale": [
        ({"grade": "Probably relevant", "excerpt": "  "}, "copy what supports"),
        ({"grade": "Probably relevant", "excerpt": "Coffee is bitter."}, "does not say that"),
        ({"grade": "Probably relevant", "excerpt": "w " * 1500}, "at most 2,000 characters"),
        ({"preference": "left", "excerpt": "Bring honey."}, "asks for a grade"),
    ],
    "review": [({"grade": "Probably relevant", "excerpt": ""}, "copy what supports")],
}


def seen(*, ties: bool = True) -> Seen:
    return Seen(lambda: [TEXT], ties=ties)


def taken(name: str, answer: Mapping[str, Any], **options: Any) -> Any:
    design = make_design(name, options)
    read = design.read(answer)
    design.check(read, seen())
    return read


@pytest.mark.parametrize("name", design_names())
def test_every_design_takes_its_answers_and_refuses_others_saying_why(name: str) -> None:
    for answer in GOOD[name]:
        taken(name, answer)
    for answer, why in BAD[name]:
        with pytest.raises(BadAnswer, match=why):
            taken(name, answer)
    with pytest.raises(BadAnswer, match=r"answer\.surprise"):
        taken(name, {**GOOD[name][0], "surprise": 1})


@pytest.mark.parametrize("name", design_names())
def test_every_design_says_what_its_page_asks_for(name: str) -> None:
    design = make_design(name, {})
    named = {part.name for part in design.parts()}
    needed = {field for field, about in design.Answer.model_fields.items() if about.is_required()}
    assert needed <= named
    for part in design.parts():
        assert len(part.choices) == len(part.labels) or part.kind == "excerpt"
    (schema,) = [one for one in answer_schemas() if one["title"].startswith(f"{name}: ")][:1]
    assert set(schema["properties"]) == set(design.Answer.model_fields)


def test_no_design_has_an_option_it_does_not_know() -> None:
    with pytest.raises(BadOption, match="'colour'"):
        make_design("graded", {"colour": "red"})
    with pytest.raises(BadOption, match=r"there is no design 'grade'.*graded"):
        make_design("grade", {})


@pytest.mark.parametrize("levels", [["one"], ["a", "a"], [str(n) for n in range(8)], [""]])
def test_a_grade_has_two_to_seven_levels_with_names_of_their_own(levels: list[str]) -> None:
    with pytest.raises(BadOption, match="levels"):
        make_design("graded", {"levels": levels})


def test_a_study_without_ties_refuses_them_in_every_design_that_compares() -> None:
    plain = make_design("preference", {})
    reasoned = make_design("rationale", {"on": "preference"})
    for design, more in ((plain, {}), (reasoned, {"excerpt": "Bring honey."})):
        tie = design.read({"preference": "equally_good", **more})
        design.check(tie, seen())
        with pytest.raises(BadAnswer, match="no ties"):
            design.check(tie, seen(ties=False))


def test_an_answer_is_told_from_the_left() -> None:
    forced = {"relevant": "none", "left_score": 0, "right_score": 0}
    for word, outcome in (("left", Outcome.BETTER), ("right", Outcome.WORSE)):
        assert _outcome("preference", {"preference": word}) is outcome
        assert _outcome("three-questions", {"preference": word, **forced}) is outcome
    assert _outcome("preference", {"preference": "equally_bad"}) is Outcome.TIE


def _outcome(name: str, answer: Mapping[str, Any]) -> Outcome | None:
    design = make_design(name, {})
    return design.outcome(design.read(answer))


def test_a_rationale_is_asked_on_a_grade_or_on_a_preference() -> None:
    assert make_design("rationale", {}).shape is Shape.SINGLE
    pair = make_design("rationale", {"on": "preference"})
    assert pair.shape is Shape.PAIR
    answer = pair.read({"preference": "right", "excerpt": "Bring honey."})
    pair.check(answer, seen())
    assert pair.outcome(answer) is Outcome.WORSE
    with pytest.raises(BadAnswer, match="asks for a preference"):
        pair.check(pair.read({"grade": "x", "excerpt": "Bring honey."}), seen())


def test_an_excerpt_may_differ_a_little_unless_the_study_says_otherwise() -> None:
    nearly = {"grade": "Probably relevant", "excerpt": "Tea tastes weeker there. Bring honey"}
    taken("rationale", nearly)
    with pytest.raises(BadAnswer, match="does not say that"):
        taken("rationale", nearly, similarity=1)


def test_a_review_has_answers_of_two_stages_and_says_why() -> None:
    design = make_design("review", {})
    read = design.read({"grade": "Probably relevant", "why": "the quotation is apt"}, review=True)
    design.check(read, seen())
    with pytest.raises(BadAnswer, match=r"answer\.why"):
        design.check(design.read({"grade": "Probably relevant", "why": " "}, review=True), seen())
    with pytest.raises(BadAnswer, match=r"answer\.excerpt"):
        design.read({"grade": "Probably relevant", "excerpt": "Bring honey."}, review=True)
    assert [part.name for part in design.review_parts()] == ["grade", "why"]


def test_known_answers_need_no_more_than_what_is_compared() -> None:
    for name, answer, known in (
        ("preference", {"preference": "right"}, Outcome.WORSE),
        ("three-questions", {"preference": "left"}, Outcome.BETTER),
        ("s100", {"score": 90}, 90.0),
        ("graded", {"grade": "Definitely relevant"}, 3.0),
        ("rationale", {"grade": "Definitely not relevant"}, 0.0),
    ):
        assert make_design(name, {}).known(answer) == known
    with pytest.raises(BadAnswer, match=r"answer\.score"):
        make_design("s100", {}).known({"score": 101})


def test_an_answer_on_a_scale_is_never_right_by_itself() -> None:
    scale = make_design("s100", {})
    assert scale.correct(scale.read({"score": 90}), 90.0) is None
    graded = make_design("graded", {})
    assert graded.correct(graded.read({"grade": "Probably relevant"}), 2.0)
    assert not graded.correct(graded.read({"grade": "Probably relevant"}), 3.0)


def test_the_slider_counts_as_moved_when_it_was() -> None:
    scale = make_design("s100", {})
    moved = [
        {"score": 51},
        {"score": 50, "moved": True},
        {"score": 50},
        {"score": 9, "moved": False},
    ]
    assert [scale.moved(scale.read(one)) for one in moved] == [True, True, False, False]
