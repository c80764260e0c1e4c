"""Asking: who gets which questions, how many, and why not more."""

import pytest
from in_process import AT, ON_TOPIC, STUDY, InProcess, by_number, pair_of, refusal


def test_a_question_shows_two_documents_and_nothing_others_think_of_them(
    service: InProcess,
) -> None:
    service.make_study()
    documents = [{"id": f"d{n}", "text": "t", "features": {"x": n}, "prior": n} for n in (1, 2)]
    service.post(f"{AT}/topics", {"id": "t", "title": "T", "documents": documents}, status=201)
    asked = service.one("ann")
    assert asked["left"].keys() == asked["right"].keys() == {"id", "title", "text", "html", "url"}
    assert pair_of(asked) == {"d1", "d2"}
    assert asked["topic"] == {"id": "t", "title": "T", "description": "", "narrative": ""}
    assert (asked["study"], asked["worker"], asked["kind"]) == (STUDY, "ann", "pair")
    assert (asked["state"], asked["attempt"]) == ("open", 1)
    assert service.get(f"/v1/assignments/{asked['id']}") | {"token": ""} == asked | {"token": ""}


def test_texts_are_left_out_when_they_are_not_wanted(light: InProcess) -> None:
    light.make_study()
    light.make_topic(2)
    asked = light.one("ann", documents=False)
    assert {asked["left"]["text"], asked["right"]["text"]} == {""}


def test_many_questions_at_once_are_different_pairs(service: InProcess) -> None:
    service.make_study(selector="uniform")
    service.make_topic(6)
    got = service.next("ann", count=100)
    pairs = [pair_of(one) for one in got["assignments"]]
    assert len(set(pairs)) == len(pairs) > 1
    assert got["reason"] == "held", "nobody else holds a question"
    assert service.next("ann") == {"assignments": [], "reason": "held"}
    assert service.next("bob", count=100)["reason"] == "wait"


def test_questions_come_from_every_topic_of_the_study(service: InProcess) -> None:
    service.make_study()
    for topic in ("a", "b", "c"):
        service.make_topic(2, topic)
    got = service.next("ann", count=3)
    assert {one["topic"]["id"] for one in got["assignments"]} == {"a", "b", "c"}
    assert got["reason"] is None
    for one in got["assignments"]:
        service.judge(one)
    assert service.next("ann")["reason"] == "done"


def test_a_topic_can_be_asked_for(service: InProcess) -> None:
    service.make_study()
    for topic in ("a", "b", "c"):
        service.make_topic(3, topic)
    for topic in ("b", "c", "b"):
        assert service.one("ann", topic=topic)["topic"]["id"] == topic
    unknown = service.send("POST", f"{AT}/next", {"worker": "ann", "topic": "z"})
    refusal(unknown, 404, "unknown-topic")


def test_nobody_is_asked_what_someone_else_holds(service: InProcess) -> None:
    service.make_study()
    service.make_topic(2)
    service.one("ann")
    assert service.next("bob") == {"assignments": [], "reason": "wait"}


def test_each_pair_has_as_many_workers_as_votes_and_none_twice(service: InProcess) -> None:
    service.make_study(votes=3)
    service.make_topic(2)
    first, second = service.one("ann"), service.one("bob")
    assert service.next("cid")["reason"] == "wait", "two who agree are enough"
    service.judge(first, by_number(first))
    service.judge(second, "left" if by_number(second) == "right" else "right")
    assert service.next("ann")["assignments"] == service.next("bob")["assignments"] == []
    third = service.one("cid")
    service.judge(third, by_number(third))
    assert [service.next(worker)["reason"] for worker in ("ann", "dan")] == ["done", "done"]
    assert service.get(f"{ON_TOPIC}/ranking")["classes"] == [["d1"], ["d2"]]


def test_nobody_gets_more_than_the_studys_cap(service: InProcess) -> None:
    service.make_study(judgments_per_worker=3, selector="uniform")
    service.make_topic(4, "a")
    service.make_topic(4, "b")
    first = service.next("ann", count=2)
    assert (len(first["assignments"]), first["reason"]) == (2, None)
    for one in first["assignments"]:
        service.judge(one)
    rest = service.next("ann", count=5)
    assert (len(rest["assignments"]), rest["reason"]) == (1, "cap")
    assert service.next("ann") == {"assignments": [], "reason": "cap"}
    assert len(service.next("bob")["assignments"]) == 1
    service.send("PATCH", AT, {"judgments_per_worker": None})
    assert len(service.next("ann")["assignments"]) == 1


def test_what_is_skipped_does_not_count_towards_the_cap(service: InProcess) -> None:
    service.make_study(judgments_per_worker=1, selector="uniform")
    service.make_topic(4)
    assert service.skip(service.one("ann")).status_code == 200
    assert len(service.next("ann")["assignments"]) == 1


@pytest.mark.parametrize("path", [AT, ON_TOPIC])
@pytest.mark.parametrize("wish", [{}, {"topic": "coffee"}], ids=["any", "topic"])
def test_while_paused_nothing_is_handed_out_and_answers_are_taken(
    service: InProcess, path: str, wish: dict[str, str]
) -> None:
    service.make_study()
    service.make_topic(3)
    held = service.one("ann")
    service.send("PATCH", path, {"status": "paused"})
    assert service.next("bob", **wish) == {"assignments": [], "reason": "paused"}
    assert service.judge(held).status_code == 201
    service.send("PATCH", path, {"status": "open"})
    assert len(service.next("bob", **wish)["assignments"]) == 1


@pytest.mark.parametrize(("path", "kind"), [(AT, "study-closed"), (ON_TOPIC, "topic-closed")])
def test_what_is_closed_takes_no_questions_answers_or_skips(
    service: InProcess, path: str, kind: str
) -> None:
    service.make_study()
    service.make_topic(4)
    answered, held = service.one("ann"), service.one("bob")
    assert service.judge(answered).status_code == 201
    assert service.send("PATCH", path, {"status": "closed"}).json()["status"] == "closed"
    wish = {"worker": "bob", "topic": "coffee"}
    refusal(service.send("POST", f"{AT}/next", wish), 409, kind)
    refusal(service.judge(held), 409, kind)
    refusal(service.skip(held), 409, kind)
    refusal(service.undo(answered), 409, kind)
    assert service.judge(answered).status_code == 200, "a repetition is still a success"
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 1


def test_a_closed_topic_is_passed_over_when_any_will_do(service: InProcess) -> None:
    service.make_study()
    service.make_topic(3)
    service.make_topic(3, "tea")
    service.send("PATCH", ON_TOPIC, {"status": "closed"})
    assert {service.one(worker)["topic"]["id"] for worker in ("ann", "bob")} == {"tea"}


def test_a_blocked_worker_gets_nothing_until_let_in_again(service: InProcess) -> None:
    service.make_study()
    service.make_topic(6)
    held = service.one("ann")
    blocked = service.send("PATCH", f"{AT}/workers/ann", {"status": "blocked"})
    assert blocked.json()["status"] == "blocked"
    for wish in ({"worker": "ann"}, {"worker": "ann", "topic": "coffee"}):
        refusal(service.send("POST", f"{AT}/next", wish), 403, "worker-blocked")
    refusal(service.judge(held), 403, "worker-blocked")
    service.send("PATCH", f"{AT}/workers/ann", {"status": "active"})
    assert service.judge(held).status_code == 201, "what they held is theirs again"
    assert service.next("ann")["assignments"]
    refusal(service.send("PATCH", f"{AT}/workers/zoe", {"status": "active"}), 404, "unknown-worker")


def test_a_repeated_call_gets_the_same_questions(service: InProcess) -> None:
    service.make_study(selector="uniform")
    for topic in ("a", "b", "c"):
        service.make_topic(3, topic)
    body, once = {"worker": "ann", "count": 4}, {"Idempotency-Key": "first"}
    first = service.post(f"{AT}/next", body, headers=once)["assignments"]
    assert len(first) == 4
    again = service.post(f"{AT}/next", body, headers=once)["assignments"]
    assert {one["id"] for one in again} == {one["id"] for one in first}
    second = service.post(f"{AT}/next", body, headers={"Idempotency-Key": "second"})["assignments"]
    assert len(second) == 2
    assert not {one["id"] for one in second} & {one["id"] for one in first}


def test_the_same_idempotency_key_of_another_worker_or_caller_is_another_call(
    service: InProcess,
) -> None:
    service.make_study(selector="uniform")
    service.make_topic(4)
    once = {"Idempotency-Key": "first"}
    other = service.post("/v1/keys", {"scope": "platform"}, status=201)["key"]
    got = [
        service.post(f"{AT}/next", {"worker": worker}, headers=once, bearer=bearer)
        for worker, bearer in (("ann", None), ("bob", None), ("ann", other))
    ]
    assert len({one["assignments"][0]["id"] for one in got}) == 3


def test_a_repeated_call_is_known_even_after_everything_was_answered(service: InProcess) -> None:
    service.make_study()
    service.make_topic(2)
    once = {"Idempotency-Key": "first"}
    (first,) = service.post(f"{AT}/next", {"worker": "ann"}, headers=once)["assignments"]
    service.judge(first)
    assert service.next("ann")["reason"] == "done"
    (again,) = service.post(f"{AT}/next", {"worker": "ann"}, headers=once)["assignments"]
    assert (again["id"], again["state"]) == (first["id"], "answered")


def test_a_lease_that_ran_out_comes_back_to_others(service: InProcess) -> None:
    service.make_study(lease_seconds=100)
    service.make_topic(2)
    service.one("ann")
    service.clock.move(99)
    assert service.next("bob")["reason"] == "wait"
    service.clock.move(2)
    asked = service.one("bob")
    assert pair_of(asked) == {"d1", "d2"}
    assert service.next("ann")["reason"] == "wait"


def test_a_lease_that_ran_out_comes_back_to_its_worker_as_the_same_question(
    service: InProcess,
) -> None:
    service.make_study(lease_seconds=100, judgments_per_worker=1)
    service.make_topic(2)
    first = service.one("ann")
    service.clock.move(101)
    again = service.one("ann")
    assert (again["id"], again["attempt"]) == (first["id"], 1)
    assert (again["left"], again["right"]) == (first["left"], first["right"])
    assert again["expires_at"] > first["expires_at"]
    assert service.judge(again, bearer=first["token"]).status_code == 201


def test_an_empty_study_and_an_empty_topic_have_nothing_to_ask(service: InProcess) -> None:
    service.make_study()
    assert service.next("ann") == {"assignments": [], "reason": "done"}
    service.make_topic(0)
    service.make_topic(1, "single")
    assert service.next("ann") == {"assignments": [], "reason": "done"}
    assert service.get(f"{ON_TOPIC}/ranking")["documents"] == []
    assert service.get(f"{ON_TOPIC}/progress")["finished"] is True
