"""Why there is no question: nobody is told to wait for answers that nobody is giving."""

from typing import Any

import pytest
from in_process import AT, ON_TOPIC, InProcess, by_number, pair_of, refusal
from ways_to_answer import DESIGNS, STYLES, Answer, make

from nextpair.selectors.base import selector_names


def judge_alone(service: InProcess, answer: Answer, worker: str = "ann") -> str:
    """Answer one question after the other; return why there is no other."""
    for _ in range(200):
        told = service.next(worker)
        if not told["assignments"]:
            return str(told["reason"])
        for asked in told["assignments"]:
            taken = service.judge(asked, answer(asked))
            assert taken.status_code == 201, taken.text
    raise AssertionError("there were questions without end")


def check_reason(service: InProcess, reason: str) -> None:
    """Check that the reason says what somebody new would find."""
    fresh = service.next("zoe")
    finished = service.get(f"{ON_TOPIC}/progress")["finished"]
    assert (reason, bool(fresh["assignments"])) in {("done", False), ("seen", True)}
    assert finished is (reason == "done")


@pytest.mark.parametrize("selector", selector_names())
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("size", "votes"), [(2, 1), (2, 2), (6, 1), (6, 3)])
def test_who_judges_alone_is_never_told_to_wait(
    light: InProcess, selector: str, style: str, size: int, votes: int
) -> None:
    make(light, size, selector=selector, votes=votes)
    check_reason(light, judge_alone(light, STYLES[style]))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("votes", [1, 2])
def test_who_judges_alone_is_never_told_to_wait_whatever_is_asked(
    light: InProcess, design: str, votes: int
) -> None:
    make(light, 3, design=design, votes=votes)
    check_reason(light, judge_alone(light, DESIGNS[design]))


def test_every_design_is_among_those_tried(light: InProcess) -> None:
    assert {one["design"] for one in light.get("/v1/designs")["items"]} == DESIGNS.keys()


@pytest.mark.parametrize("selector", selector_names())
def test_two_who_have_both_seen_everything_are_not_told_to_wait(
    light: InProcess, selector: str
) -> None:
    make(light, 3, selector=selector, votes=3)
    answers = 1
    while answers:
        answers = 0
        for worker in ("ann", "bob"):
            for asked in light.next(worker)["assignments"]:
                answers += light.judge(asked, by_number(asked)).status_code == 201
    assert {light.next(worker)["reason"] for worker in ("ann", "bob")} <= {"seen", "done"}


@pytest.mark.parametrize("selector", selector_names())
def test_two_documents_and_one_answer_end_with_that_answers_order(
    light: InProcess, selector: str
) -> None:
    make(light, 2, selector=selector)
    larger_first = {"left": "right", "right": "left"}
    reason = judge_alone(light, lambda asked: larger_first[by_number(asked)])
    assert reason in {"seen", "done"}
    assert light.get(f"{ON_TOPIC}/ranking")["classes"] == [["d1"], ["d0"]]


def test_a_pair_that_one_has_seen_and_another_holds_is_nothing_to_wait_for(
    service: InProcess,
) -> None:
    make(service, 2, selector="uniform", votes=2)
    service.judge(service.one("ann"))
    service.one("bob")
    assert service.next("ann")["reason"] == "seen", "no answer leads to a question for ann"
    assert service.next("cid")["reason"] == "wait", "bob may give it back"


def test_who_holds_the_only_questions_is_told_so(service: InProcess) -> None:
    make(service, 2, selector="uniform")
    held = service.one("ann")
    assert service.next("ann") == {"assignments": [], "reason": "held"}
    assert service.next("bob") == {"assignments": [], "reason": "wait"}
    service.judge(held)
    assert service.next("ann")["reason"] == service.next("bob")["reason"] == "done"


def test_who_holds_questions_of_one_topic_is_still_asked_about_another(
    service: InProcess,
) -> None:
    make(service, 2, selector="uniform")
    service.make_topic(2, "tea")
    topics = [service.one("ann")["topic"]["id"] for _ in range(2)]
    assert set(topics) == {"coffee", "tea"}
    assert service.next("ann")["reason"] == "held"


def test_who_skipped_the_only_pair_is_not_told_to_wait(service: InProcess) -> None:
    make(service, 2)
    service.skip(service.one("ann"))
    assert service.next("ann")["reason"] == "seen"
    assert pair_of(service.one("bob")) == {"d0", "d1"}


def test_nobody_waits_for_a_worker_who_is_blocked(service: InProcess) -> None:
    make(service, 2, selector="uniform")
    held = service.one("ann")
    assert service.next("bob")["reason"] == "wait"
    service.send("PATCH", f"{AT}/workers/ann", {"status": "blocked"})
    asked = service.one("bob")
    assert pair_of(asked) == pair_of(held)
    refusal(service.judge(held), 403, "worker-blocked")


def test_nobody_waits_for_a_worker_who_was_stopped_by_the_checks(service: InProcess) -> None:
    make(service, 2, selector="uniform", quality={"attempts": 1})
    service.make_topic(2, "tea")
    question: dict[str, Any] = {"question": "What for?", "choices": ["yes", "no"], "right": "yes"}
    body = {"id": "gate", "documents": [{"id": "a"}, {"id": "b"}], "understanding": question}
    service.post(f"{AT}/topics", body, status=201)
    for topic in ("coffee", "tea"):
        service.one("ann", topic=topic)
    assert service.next("bob", topic="coffee")["reason"] == "wait"
    path = f"{AT}/topics/gate/understanding"
    told = service.post(path, {"worker": "ann", "choice": "no"})
    assert told["effect"] == "stop"
    assert service.next("ann")["reason"] == "stopped"
    assert service.one("bob", topic="coffee") and service.one("bob", topic="tea")


def test_a_lease_that_ran_out_is_nothing_to_wait_for(service: InProcess) -> None:
    make(service, 2, selector="uniform", votes=2, lease_seconds=100)
    service.judge(service.one("ann"))
    service.one("bob")
    service.clock.move(101)
    assert service.next("ann")["reason"] == "seen"
    assert pair_of(service.one("cid")) == {"d0", "d1"}


def test_a_dispute_that_one_has_settled_for_themselves_is_open_for_others(
    light: InProcess,
) -> None:
    make(light, 2, selector="placement")
    assert judge_alone(light, by_number) == "seen"
    told = light.get(f"{ON_TOPIC}/progress")
    assert (told["finished"], told["ended"]) == (False, None)
    assert light.next("bob")["assignments"]
