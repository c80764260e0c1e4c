"""Answering and skipping: once, by whose question it is, and never thrown away."""

import pytest
from in_process import AT, ON_TOPIC, STUDY, InProcess, by_number, installed, pair_of, refusal
from itsdangerous import URLSafeTimedSerializer

from nextpair.app.enums import Scope
from nextpair.app.judging.submit_answer import SubmittedAnswer, submit_answer
from nextpair.app.security.tokens import DAY, AssignmentRef


@pytest.fixture
def ready(service: InProcess) -> InProcess:
    """A service with a topic of four documents."""
    service.make_study(lease_seconds=100)
    service.make_topic(4)
    return service


def judgments(service: InProcess) -> int:
    return int(service.get(f"{ON_TOPIC}/progress")["judgments"])


def test_an_answer_is_in_the_log_as_it_was_given(ready: InProcess) -> None:
    asked = ready.one("ann")
    told = ready.judge(asked, "right", seconds=2.5, worker="ann", attempt=1)
    assert told.status_code == 201
    judged = told.json()
    assert (judged["study"], judged["topic"], judged["number"]) == (STUDY, "coffee", 1)
    assert (judged["left"], judged["right"]) == (asked["left"]["id"], asked["right"]["id"])
    assert judged["answer"] == {"preference": "right"}
    better = judged["first"] if judged["outcome"] == "better" else judged["second"]
    assert better == asked["right"]["id"]
    assert (judged["seconds"], judged["late"], judged["attempt"]) == (2.5, False, 1)
    (entry,) = ready.get(f"{ON_TOPIC}/judgments")["items"]
    shared = entry.keys() & judged.keys()
    assert {name: entry[name] for name in shared} == {name: judged[name] for name in shared}
    assert (entry["worker"], entry["retracted"]) == ("ann", None)


@pytest.mark.parametrize("answer", ["equal", "equally_good", "equally_bad"])
def test_ties_are_ties_where_the_study_has_them(light: InProcess, answer: str) -> None:
    light.make_study()
    light.make_topic(2)
    assert light.judge(light.one("ann"), answer).json()["outcome"] == "tie"
    light.make_study("strict", ties=False)
    light.make_topic(2, "coffee", "strict")
    asked = light.one("ann", "strict")
    refusal(light.judge(asked, answer), 422, "bad-answer")
    assert light.judge(asked, "left").status_code == 201


def test_the_same_answer_again_is_a_success_and_another_is_not(ready: InProcess) -> None:
    asked = ready.one("ann")
    first = ready.judge(asked, "left")
    ready.clock.move(5)
    again = ready.judge(asked, "left")
    assert (again.status_code, again.json()) == (200, first.json())
    refusal(ready.judge(asked, "right"), 409, "answer-conflict")
    assert judgments(ready) == 1


def test_a_late_answer_counts_and_is_marked(ready: InProcess) -> None:
    asked = ready.one("ann")
    ready.clock.move(101)
    told = ready.judge(asked)
    assert (told.status_code, told.json()["late"]) == (201, True)
    assert judgments(ready) == 1


def test_a_late_answer_counts_although_someone_else_answered_meanwhile(service: InProcess) -> None:
    service.make_study(lease_seconds=100)
    service.make_topic(2)
    late = service.one("ann")
    service.clock.move(101)
    other = service.one("bob")
    assert pair_of(other) == pair_of(late)
    assert service.judge(other, by_number(other)).status_code == 201
    assert service.judge(late, by_number(late)).json()["late"] is True
    assert judgments(service) == 2
    assert service.get(f"{ON_TOPIC}/ranking")["classes"] == [["d1"], ["d2"]]


def test_a_lease_and_being_in_time_end_at_the_same_moment(service: InProcess) -> None:
    service.make_study(lease_seconds=100)
    service.make_topic(2)
    asked = service.one("ann")
    service.clock.move(100)
    assert pair_of(service.one("bob")) == pair_of(asked)
    assert service.judge(asked).json()["late"] is True


def test_an_answer_is_late_if_its_pair_goes_to_someone_else_while_it_is_decided_on(
    postgresql_url: str,
) -> None:
    # On SQLite who decides has the lock already.
    with (
        installed(postgresql_url, processes=2) as here,
        installed(postgresql_url, processes=2) as there,
    ):
        here.make_study(lease_seconds=100)
        here.make_topic(2)
        asked = here.one("ann")
        topic_id, number = map(int, asked["id"].split("-"))
        looks: list[float] = []

        def clock() -> float:
            looks.append(here.clock.now)
            if len(looks) == 1:
                for one in (here, there):
                    one.clock.move(101)
                assert pair_of(there.one("bob")) == pair_of(asked)
            return looks[-1]

        ref, left = AssignmentRef(topic_id, number), SubmittedAnswer({"preference": "left"})
        judged = submit_answer(here.app.state.service, ref, left, clock)
        assert len(looks) == 2, "it is decided on again"
        assert (judged.late, judged.judgment.created_at) == (True, looks[1])


def test_nobody_answers_or_skips_another_workers_question(ready: InProcess) -> None:
    asked = ready.one("ann")
    ready.one("bob")
    for worker in ("bob", "nobody-yet"):
        refusal(ready.judge(asked, worker=worker), 403, "not-yours")
        refusal(ready.skip(asked, worker=worker), 403, "not-yours")
        refusal(ready.undo(asked, worker=worker), 403, "not-yours")
    assert ready.judge(asked, worker="ann").status_code == 201


def test_a_token_opens_its_own_question_and_no_other(ready: InProcess) -> None:
    mine, other = ready.one("ann"), ready.one("bob")
    for call in (ready.judge, ready.skip, ready.undo):
        refusal(call(other, bearer=mine["token"]), 403, "not-yours")
    shown = ready.send("GET", f"/v1/assignments/{other['id']}", bearer=mine["token"])
    refusal(shown, 403, "not-yours")
    shown = ready.send("GET", f"/v1/assignments/{mine['id']}", bearer=mine["token"])
    assert shown.json()["id"] == mine["id"]
    assert ready.judge(mine, bearer=mine["token"]).status_code == 201


def test_a_token_is_no_key(ready: InProcess) -> None:
    token = ready.one("ann")["token"]
    for path in (AT, "/v1/keys", f"{ON_TOPIC}/ranking", "/metrics"):
        refusal(ready.send("GET", path, bearer=token), 401, "unauthorized")
    wish = {"worker": "ann"}
    refusal(ready.send("POST", f"{AT}/next", wish, bearer=token), 401, "unauthorized")


def test_a_forged_token_opens_nothing(ready: InProcess) -> None:
    asked = ready.one("ann")
    token = asked["token"]
    forger = URLSafeTimedSerializer("guess", salt="assignment")
    numbers = [int(part) for part in asked["id"].split("-")]
    forged = [
        "npa_",
        "npa_x",
        "npa_" + str(forger.dumps([*numbers, 1])),
        token[:-9] + ("A" if token[-9] != "A" else "B") + token[-8:],
        token.replace("npa_", "npa_A"),
    ]
    for one in forged:
        told = ready.judge(asked, bearer=one)
        refusal(told, 401, "bad-token")
        assert told.headers["www-authenticate"] == "Bearer"
    assert judgments(ready) == 0


def test_an_old_token_has_expired(sqlite_url: str) -> None:
    with installed(sqlite_url, token_days=2) as service:
        service.make_study()
        service.make_topic(2)
        asked = service.one("ann")
        service.clock.move(2 * DAY)
        at = f"/v1/assignments/{asked['id']}"
        assert service.send("GET", at, bearer=asked["token"]).status_code == 200
        service.clock.move(1)
        refusal(service.judge(asked, bearer=asked["token"]), 401, "expired-token")
        assert service.judge(asked).status_code == 201, "the platform can still hand it in"


def test_a_token_answers_once_and_repeats_that_answer_only(ready: InProcess) -> None:
    asked = ready.one("ann")
    assert ready.judge(asked, "left", bearer=asked["token"]).status_code == 201
    assert ready.judge(asked, "left", bearer=asked["token"]).status_code == 200
    refusal(ready.judge(asked, "right", bearer=asked["token"]), 409, "answer-conflict")


def test_a_skipped_pair_goes_to_someone_else_and_never_back(service: InProcess) -> None:
    service.make_study(lease_seconds=100)
    service.make_topic(2)
    asked = service.one("ann")
    told = service.skip(asked, bearer=asked["token"])
    given_back = {"id": asked["id"], "state": "skipped", "reason": None, "verdict": None}
    assert told.json() == given_back
    assert service.skip(asked).json() == told.json(), "twice is once"
    assert service.next("ann")["assignments"] == []
    other = service.one("bob")
    assert pair_of(other) == pair_of(asked)
    service.clock.move(101)
    assert service.next("ann")["assignments"] == []
    refusal(service.judge(asked), 409, "already-skipped")
    assert service.judge(other).status_code == 201


def test_what_is_answered_cannot_be_skipped(ready: InProcess) -> None:
    asked = ready.one("ann")
    ready.judge(asked)
    refusal(ready.skip(asked), 409, "answer-conflict")
    assert judgments(ready) == 1


def test_a_pair_everyone_skips_is_asked_of_newcomers_only(service: InProcess) -> None:
    service.make_study()
    service.make_topic(2)
    for worker in ("ann", "bob", "cid"):
        assert service.skip(service.one(worker)).status_code == 200
    for worker in ("ann", "bob", "cid"):
        assert service.next(worker)["assignments"] == []
    assert len(service.next("dan")["assignments"]) == 1


@pytest.mark.parametrize("assignment", ["1", "a-b", "1-", "-1", "1-1-1", "1-" + "9" * 16, "1-1%0A"])
def test_what_cannot_be_an_assignment_is_refused(light: InProcess, assignment: str) -> None:
    body = {"answer": {"preference": "left"}}
    path = f"/v1/assignments/{assignment}"
    refusal(light.send("POST", f"{path}/judgment", body), 422, "invalid")
    refusal(light.send("GET", path), 422, "invalid")


@pytest.mark.parametrize("assignment", ["999-1", "1-999", "0-0", "9" * 15 + "-" + "9" * 15])
def test_an_assignment_that_is_not_there_is_said_so(ready: InProcess, assignment: str) -> None:
    asked = {"id": assignment}
    for told in (ready.judge(asked), ready.skip(asked), ready.undo(asked)):
        refusal(told, 404, "unknown-assignment")
    refusal(ready.send("GET", f"/v1/assignments/{assignment}"), 404, "unknown-assignment")


def test_assignments_that_are_not_there_leave_nothing_in_memory(light: InProcess) -> None:
    for number in range(1, 50):
        refusal(light.judge({"id": f"{number}-1"}), 404, "unknown-assignment")
    assert len(light.app.state.service.topics) == 0


def test_a_platform_key_asks_and_answers(ready: InProcess) -> None:
    key = ready.make_key(Scope.PLATFORM)
    (asked,) = ready.post(f"{AT}/next", {"worker": "ann"}, bearer=key)["assignments"]
    assert ready.judge(asked, bearer=key).status_code == 201
    assert ready.undo(asked, bearer=key).status_code == 200
    assert ready.skip(asked, bearer=key).status_code == 200
