"""Hiring from end to end: publishing, decisions, payments and the activity log."""

from collections.abc import Iterator
from typing import Any

import pytest
from in_process import refusal
from platforms.fake_server import serving
from platforms.fake_sns import TOPIC_ARN, Signer
from platforms.hiring_study import AT, HIRING, QUALITY, HiringStudy, hiring_study

from nextpair.app.hiring.runner import Runner


@pytest.fixture
def signer() -> Iterator[Signer]:
    """A fake SNS."""
    with serving(Signer()) as running:
        yield running


@pytest.fixture
def one(sqlite_url: str, signer: Signer) -> Iterator[HiringStudy]:
    """A study that may hire three at once."""
    with hiring_study(sqlite_url, access={"certificate_sites": signer.url}) as made:
        yield made


def test_nothing_is_published_before_someone_says_so(one: HiringStudy) -> None:
    assert one.hiring["state"] is None
    assert not one.tick()
    assert one.mturk.hits == {}


def test_a_study_is_published_judged_decided_and_paid(one: HiringStudy) -> None:
    assert one.start()["state"] == "running"
    assert one.tick()
    (hit,) = one.mturk.hits.values()
    assert hit.places == 3
    good, bad = one.work("AGOOD"), one.work("ABAD", fool=True)
    one.tick()
    assert (good.status, bad.status) == ("Approved", "Rejected")
    assert bad.feedback == "Questions with known answers were not answered as the study requires."
    assert [each["WorkerId"] for each in one.mturk.bonuses] == ["AGOOD"]
    assert one.mturk.count("ApproveAssignment") == 1
    # What was spent there is what is told here: reward and bonus, each with a fifth on top.
    assert one.hiring["spent"] == one.mturk.spent == 60 + 12
    paid = one.service.get(f"{AT}/pace")["paid"]
    about = {"platform": "mturk", "currency": "USD", "state": "running", "message": ""}
    assert paid == {**about, "spent": 0.72, "reserved": 2.16, "warnings": []}
    names = [name for name, _ in one.mturk.done]
    assert names.index("SendBonus") < names.index("ApproveAssignment"), "a failed one stays seen"
    assert {worker for _, worker in one.mturk.granted} == {"ABAD"}
    for _ in range(4):
        one.tick()
    assert one.mturk.spent == 72


def test_the_study_ends_when_nothing_is_left_to_ask(one: HiringStudy) -> None:
    one.start()
    one.tick()
    for number in range(20):
        if one.service.get(f"{AT}/progress")["finished"]:
            break
        one.work(f"AW{number}")
        one.tick()
    one.tick()
    assert all(hit.expires <= one.mturk.now for hit in one.mturk.hits.values())
    assert one.hiring["reserved"] == 0
    spent, published = one.mturk.spent, len(one.mturk.hits)
    for _ in range(3):
        one.tick()
    assert (one.mturk.spent, len(one.mturk.hits)) == (spent, published)
    assert one.hiring["spent"] == spent == one.mturk.count("ApproveAssignment") * 72


def test_a_returned_hit_frees_its_question_at_once_when_it_is_notified(sqlite_url: str) -> None:
    with hiring_study(sqlite_url, quality={}) as one:
        queue = {"queue": f"{one.fake.url}/queue"}
        one.service.send("PATCH", AT, {"platform_options": queue})
        one.start()
        one.tick()
        taken = one.take("AW1")
        token = one.enter(taken)
        one.judge(token, most=1)
        one.service.post("/v1/session/next", {}, bearer=token)
        assert one.service.get(f"{AT}/progress")["open"] == 0, "anyone could say this"
        one.tick(1)
        assert one.service.get(f"{AT}/progress")["open"] == 1, "MTurk has told that it was taken"
        one.mturk.give_back(taken)
        one.tick(1)
        assert one.service.get(f"{AT}/progress")["open"] == 0
        assert one.hiring["submissions"] == {"returned": 1}
        assert [each["worker"] for each in one.done("return")] == ["AW1"]
        # Someone else gets the same assignment.
        again = one.work("AW2")
        assert again.id == taken.id
        one.tick()
        assert again.status == "Approved"
        assert one.hiring["submissions"] == {"returned": 1, "accepted": 1}


def test_who_gives_back_what_they_had_finished_makes_room_for_the_next(sqlite_url: str) -> None:
    with hiring_study(sqlite_url, quality={}) as one:
        queue = {"queue": f"{one.fake.url}/queue"}
        one.service.send("PATCH", AT, {"platform_options": queue})
        one.start()
        one.tick()
        first = one.take("AW1")
        token = one.enter(first)
        one.judge(token)
        one.service.post("/v1/session/finish", {}, bearer=token)
        one.mturk.give_back(first)
        second = one.take("AW2")
        assert second.id == first.id, "the same assignment, in other hands"
        token = one.enter(second)
        one.judge(token, most=1)
        one.tick()
        # It is told without a name that the assignment was returned, and twice: that must not hit
        # whoever came after. Whose it was is known once one of them has handed in.
        assert one.hiring["submissions"] == {"unconfirmed": 2}
        one.judge(token)
        one.hand_in(token)
        one.tick()
        assert one.hiring["submissions"] == {"returned": 1, "accepted": 1}
        assert one.hiring["spent"] == one.mturk.spent == 72


def test_who_comes_before_the_offer_is_noted_here_is_paid_all_the_same(one: HiringStudy) -> None:
    one.start()
    publish = one.mturk._CreateHITWithHITType
    token = ""

    def come(body: dict[str, Any]) -> dict[str, Any]:
        nonlocal token
        made = publish(body)
        # The runner has not heard yet that it is published, and someone is there.
        token = one.enter(one.take("AQUICK"))
        return made

    one.mturk._CreateHITWithHITType = come  # type: ignore[method-assign]
    one.tick()
    one.judge(token)
    one.hand_in(token)
    one.tick()
    assert one.hiring["submissions"] == {"accepted": 1}
    assert one.hiring["spent"] == one.mturk.spent == 72


def test_a_rejection_that_a_person_overturns_is_booked_though_hiring_has_stopped(
    one: HiringStudy,
) -> None:
    one.start()
    one.tick()
    bad = one.work("ABAD", fool=True)
    one.tick()
    one.service.post(f"{AT}/hiring", {"state": "stopped"})
    one.tick()
    assert bad.status == "Rejected"
    bad.status = "Submitted"
    one.mturk.call("ApproveAssignment", {"AssignmentId": bad.id})
    one.tick(700)
    assert one.hiring["spent"] == one.mturk.spent == 60


@pytest.mark.parametrize(("rule", "status", "cost"), [("pay", "Approved", 60), ("hold", None, 0)])
def test_who_did_not_pass_is_paid_or_left_to_a_person_as_the_study_says(
    sqlite_url: str, rule: str, status: str | None, cost: int
) -> None:
    with hiring_study(sqlite_url, hiring={**HIRING, "on_failure": rule}) as one:
        one.start()
        one.tick()
        bad = one.work("ABAD", fool=True)
        one.tick()
        assert bad.status == (status or "Submitted")
        assert one.mturk.spent == one.hiring["spent"] == cost
        assert one.mturk.bonuses == []
        if rule == "hold":
            assert one.hiring["submissions"] == {"held": 1}
            (held,) = one.done("hold")
            assert held["message"] == "the study's checks were not passed"
            # A person decides there, or time does: the log and the money follow.
            one.mturk.call("ApproveAssignment", {"AssignmentId": bad.id})
            one.tick()
            assert one.hiring["spent"] == one.mturk.spent == 60
            assert one.done("accept")[0]["message"] == "accepted at the platform"


def test_a_forged_or_missing_receipt_is_left_to_a_person(one: HiringStudy) -> None:
    one.start()
    one.tick()
    first, second = one.take("AW1"), one.take("AW2")
    token = one.enter(first)
    one.judge(token)
    one.service.post("/v1/session/finish", {}, bearer=token)
    one.mturk.submit(first.id, "<A><Answer><QuestionIdentifier>receipt</QuestionIdentifier>"
                     "<FreeText>1.forged</FreeText></Answer></A>")  # fmt: skip
    one.mturk.submit(second.id, "<A/>")
    one.tick()
    assert one.hiring["submissions"] == {"held": 2}
    reasons = sorted(each["message"] for each in one.done("hold"))
    assert reasons == [
        "handed in at the platform without being finished here: 0 answered",
        "the receipt is not the one that was given for this session",
    ]
    assert one.mturk.spent == 0


@pytest.mark.parametrize("budget", [0, 71, 144])
def test_the_budget_is_never_exceeded(sqlite_url: str, budget: int) -> None:
    with hiring_study(sqlite_url, hiring={**HIRING, "budget": budget}) as one:
        if not budget:
            response = one.service.send("POST", f"{AT}/hiring", {"state": "running"})
            assert "hiring.budget" in refusal(response, 409, "not-hiring")["detail"]
            return
        one.start()
        sessions = 0
        for number in range(12):
            one.tick()
            assert one.hiring["spent"] + one.hiring["reserved"] <= budget
            try:
                one.work(f"AW{number}")
                sessions += 1
            except AssertionError:
                break
        one.tick()
        assert one.mturk.spent == one.hiring["spent"] <= budget
        assert sessions == budget // 72 or one.service.get(f"{AT}/progress")["finished"]


def test_a_platform_that_is_not_there_is_tried_again_by_itself(
    one: HiringStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    one.start()
    one.fake.faults += ["fault"] * 4
    one.tick()
    assert one.hiring["state"] == "paused"
    assert "ServiceFault" in one.hiring["message"]
    assert one.hiring["retry_at"] is not None
    assert not one.tick(30)
    one.tick(31)
    assert (one.hiring["state"], one.hiring["message"]) == ("running", "")
    assert len(one.mturk.hits) == 1
    assert [each["kind"] for each in one.activity].count("resume") == 1


def test_what_the_platform_refuses_to_publish_pauses_and_reserves_nothing(one: HiringStudy) -> None:
    one.service.send("PATCH", AT, {"platform_options": {"keywords": "x" * 999, "locales": ["XX"]}})
    one.start()
    one.mturk.types = {}
    original = one.mturk._CreateHITWithHITType

    def refuse(body: dict[str, Any]) -> dict[str, Any]:
        one.mturk.types.clear()
        return original(body)

    # The fake itself finds the type gone, and refuses in its own words.
    one.mturk._CreateHITWithHITType = refuse  # type: ignore[method-assign]
    one.tick()
    assert one.hiring["state"] == "paused"
    assert "HITTypeDoesNotExist" in one.hiring["message"]
    assert one.hiring["reserved"] == 0
    assert one.hiring["offers"] == {"failed": 1}


def test_stopping_offers_no_more_and_still_pays_what_was_begun(one: HiringStudy) -> None:
    one.start()
    one.tick()
    taken = one.take("AW1")
    token = one.enter(taken)
    assert one.service.post(f"{AT}/hiring", {"state": "stopped"})["state"] == "stopped"
    one.tick()
    (hit,) = one.mturk.hits.values()
    assert hit.expires <= one.mturk.now
    one.judge(token)
    one.hand_in(token)
    one.tick()
    assert taken.status == "Approved"
    assert not one.tick(), "then there is nothing more to look after"
    assert len(one.mturk.hits) == 1


def test_only_one_runner_leads_and_another_takes_over_when_it_is_gone(one: HiringStudy) -> None:
    one.start()
    second = Runner(one.service.app.state.service, one.service.clock)
    assert one.tick()
    assert not second.tick()
    one.service.clock.move(121)
    assert second.tick()
    assert not one.runner.tick()
    second.resign()
    assert one.runner.tick()
    assert len(one.mturk.hits) == 1


def test_a_plan_tells_calls_and_costs_and_changes_nothing(one: HiringStudy) -> None:
    plan = one.service.post(f"{AT}/hiring/plan", {})
    assert plan["offers"] == [3]
    assert [call["name"] for call in plan["calls"]] == [
        "CreateQualificationType",
        "CreateHITType",
        "CreateHITWithHITType",
    ]
    assert (plan["session_cost"], plan["bonus_cost"], plan["cost"]) == (60, 12, 216)
    assert plan["free"] == 1000
    tried = {"hiring": {**HIRING, "reward": 100, "at_once": 20, "budget": 5000}}
    plan = one.service.post(f"{AT}/hiring/plan", tried)
    assert (plan["offers"], plan["session_cost"]) == ([9, 9, 2], 120)
    assert one.fake.calls == []
    assert one.activity == []
    assert one.service.get(AT)["hiring"]["reward"] == 50


def test_a_forecast_says_what_the_whole_study_will_cost(sqlite_url: str) -> None:
    with hiring_study(sqlite_url, selector="placement", quality=QUALITY) as one:
        plan = one.service.post(f"{AT}/hiring/plan", {})
        low, likely, high = plan["sessions"]
        assert 0 < low <= likely <= high
        assert plan["study_cost"] == [72 * low, 72 * likely, 72 * high]


def test_what_a_platform_posts_is_taken_once_and_only_by_its_secret_address(
    one: HiringStudy, signer: Signer
) -> None:
    one.service.send("PATCH", AT, {"platform_options": {"topic": TOPIC_ARN}})
    one.start()
    one.tick()
    taken = one.take("AW1")
    token = one.enter(taken)
    one.service.post("/v1/session/next", {}, bearer=token)
    about = {"HITId": taken.hit, "AssignmentId": taken.id}
    told, accepted = (
        signer.notification({"Events": [{**about, "EventType": kind}], "EventDocId": kind})
        for kind in ("AssignmentReturned", "AssignmentAccepted")
    )
    where = one.hiring["news"].removeprefix("https://judge.example.org")
    forged = where[:-1] + ("0" if where[-1] != "0" else "1")
    refusal(one.service.http.post(forged, json=told), 401, "bad-notice")
    refusal(one.service.http.post(where, content=b"junk"), 401, "bad-notice")
    refusal(one.service.http.post(where, json={**told, "Timestamp": "x"}), 401, "bad-notice")
    assert one.service.http.post(where, json=accepted).status_code == 200
    one.tick(1)
    for _ in range(2):
        assert one.service.http.post(where, json=told).status_code == 200
    assert one.service.get(f"{AT}/progress")["open"] == 1, "it is looked at later"
    one.tick(1)
    assert one.service.get(f"{AT}/progress")["open"] == 0
    assert len(one.done("return")) == 1


def test_a_link_hires_nobody(one: HiringStudy) -> None:
    one.service.make_study("plain", hiring={"budget": 100, "questions": 3})
    for path, body in (("hiring", {"state": "running"}), ("hiring/plan", {})):
        refusal(one.service.send("POST", f"/v1/studies/plain/{path}", body), 409, "not-offered")
    response = one.service.send("POST", f"{AT}/hiring", {"state": "paused"})
    refusal(response, 409, "not-hiring")
