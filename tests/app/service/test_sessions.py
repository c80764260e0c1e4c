"""Judging sessions over HTTP: what one opens, what it does not, and that it wastes no question."""

from in_process import AT, ON_TOPIC, STUDY, TOPIC, InProcess, Json, by_number, installed, refusal

from nextpair.app.enums import Scope

HOUR = 3600


def begin(service: InProcess, worker: str = "ann", **session: object) -> str:
    """Open a session, and return its token."""
    made = service.post(f"{AT}/sessions", {"worker": worker, **session}, status=201)
    assert made["url"] == f"/judge/{STUDY}#{made['session']}"
    return str(made["session"])


def ask(service: InProcess, session: str, count: int = 1, *held: Json) -> Json:
    """Ask for questions as the page does."""
    body = {"count": count, "held": [one["id"] for one in held]}
    told: Json = service.post("/v1/session/next", body, bearer=session)
    return told


def test_a_session_says_what_is_asked_and_hands_out_questions(service: InProcess) -> None:
    service.make_study(title="Answers", instructions="Choose.")
    service.make_topic(4)
    session = begin(service, count=3)
    about = service.get("/v1/session", bearer=session)
    assert (about["study"], about["title"], about["worker"]) == (STUDY, "Answers", "ann")
    assert (about["answered"], about["count"]) == (0, 3)
    assert about["design"] == service.get(f"{AT}/design")
    told = ask(service, session, 2)
    assert [one["worker"] for one in told["assignments"]] == ["ann", "ann"]
    first = told["assignments"][0]
    assert service.judge(first, by_number(first), bearer=first["token"]).status_code == 201
    assert service.get("/v1/session", bearer=session)["answered"] == 1


def test_a_session_opens_nothing_else(light: InProcess) -> None:
    light.make_study()
    light.make_topic(3)
    session = begin(light)
    (asked,) = ask(light, session)["assignments"]
    calls = [
        ("GET", "/v1/studies", None),
        ("GET", f"{ON_TOPIC}/ranking", None),
        ("GET", f"{ON_TOPIC}/documents", None),
        ("POST", f"{AT}/next", {"worker": "ben"}),
        ("POST", f"{AT}/sessions", {"worker": "ben"}),
        ("POST", f"/v1/assignments/{asked['id']}/judgment", {"answer": {"preference": "left"}}),
        ("GET", f"/v1/assignments/{asked['id']}", None),
    ]
    for method, path, body in calls:
        refusal(light.send(method, path, body, bearer=session), 401, "unauthorized")


def test_a_key_or_an_assignment_token_is_no_session(light: InProcess) -> None:
    light.make_study()
    light.make_topic(3)
    asked = light.one("ann")
    for bearer in (light.key, asked["token"]):
        refusal(light.send("GET", "/v1/session", bearer=bearer), 401, "unauthorized")


def test_only_a_platform_opens_sessions(light: InProcess) -> None:
    light.make_study()
    reader, platform = light.make_key(Scope.READ), light.make_key(Scope.PLATFORM)
    body = {"worker": "ann"}
    refusal(light.send("POST", f"{AT}/sessions", body, bearer=reader), 403, "forbidden")
    assert light.send("POST", f"{AT}/sessions", body, bearer=platform).status_code == 201
    refusal(light.send("POST", "/v1/studies/none/sessions", body), 404, "unknown-study")
    other = {"worker": "ann", "topic": "none"}
    refusal(light.send("POST", f"{AT}/sessions", other), 404, "unknown-topic")


def test_a_session_ends_and_cannot_be_changed(sqlite_url: str) -> None:
    with installed(sqlite_url, session_hours=2) as service:
        service.make_study()
        service.make_topic(3)
        session = begin(service)
        head, _, signature = session.rpartition(".")
        for broken in (session[:-2], f"{head[:-1]}x.{signature}", "nps_", "nps_a.b"):
            told = service.send("GET", "/v1/session", bearer=broken)
            refusal(told, 401, "bad-token")
        service.clock.move(2 * HOUR - 1)
        service.get("/v1/session", bearer=session)
        service.clock.move(1)
        refusal(service.send("GET", "/v1/session", bearer=session), 401, "expired-token")


def test_what_the_page_lost_comes_again_and_what_it_has_does_not(service: InProcess) -> None:
    service.make_study()
    service.make_topic(8)
    session = begin(service)
    first, second = ask(service, session, 2)["assignments"]
    # Tokens are signed anew, with the second in which they are.
    lost = ask(service, session, 2)["assignments"]
    assert [one["id"] for one in lost] == [first["id"], second["id"]]
    (third,) = ask(service, session, 1, first, second)["assignments"]
    again = ask(service, session, 2, second, third)["assignments"]
    assert again[0]["id"] == first["id"]
    assert again[1]["id"] not in (second["id"], third["id"])
    # Another session of the same worker goes on where this one was left.
    assert ask(service, begin(service))["assignments"][0]["id"] == first["id"]


def test_what_ran_out_is_not_held(light: InProcess) -> None:
    light.make_study(lease_seconds=60)
    light.make_topic(6)
    session = begin(light)
    (lost,) = ask(light, session)["assignments"]
    light.clock.move(61)
    (other,) = light.next("ben")["assignments"]
    assert ask(light, session)["assignments"][0]["expires_at"] != lost["expires_at"]
    assert other["worker"] == "ben"


def test_a_session_has_no_more_questions_than_its_count(light: InProcess) -> None:
    light.make_study()
    light.make_topic(8)
    session = begin(light, count=3)
    held = ask(light, session, 2)["assignments"]
    for _ in range(3):
        one = held.pop(0)
        light.judge(one, by_number(one), bearer=one["token"])
        held += ask(light, session, 1, *held)["assignments"]
    assert held == []
    told = ask(light, session)
    assert (told["reason"], told["answered"], told["count"]) == ("cap", 3, 3)
    # What is taken back can be answered again, and no other question comes in its place.
    again = light.undo(one, bearer=one["token"]).json()
    told = ask(light, session, 1, again)
    assert (told["answered"], told["assignments"]) == (2, [])
    # A new session begins to count anew.
    light.clock.move(1)
    assert ask(light, begin(light, count=1))["answered"] == 0


def test_a_session_of_one_topic_asks_of_no_other(light: InProcess) -> None:
    light.make_study()
    light.make_topic(3)
    light.make_topic(3, "tea")
    everything = begin(light)
    (mine,) = ask(light, everything)["assignments"]
    other = TOPIC if mine["topic"]["id"] == "tea" else "tea"
    session = begin(light, topic=other)
    for one in ask(light, session, 5)["assignments"]:
        assert one["topic"]["id"] == other
    body = {"topic": mine["topic"]["id"], "choice": "x"}
    refusal(light.send("POST", "/v1/session/understanding", body, bearer=session), 403)


def test_a_blocked_worker_gets_nothing_back_and_a_paused_study_gives_nothing(
    light: InProcess,
) -> None:
    light.make_study()
    light.make_topic(5)
    session = begin(light)
    assert ask(light, session)["assignments"]
    light.send("PATCH", AT, {"status": "paused"})
    told = ask(light, session)
    assert (told["assignments"], told["reason"]) == ([], "paused")
    light.send("PATCH", AT, {"status": "open"})
    light.send("PATCH", f"{AT}/workers/ann", {"status": "blocked"})
    refused = light.send("POST", "/v1/session/next", {}, bearer=session)
    refusal(refused, 403, "worker-blocked")


def test_the_log_has_the_sides_that_the_page_showed(service: InProcess) -> None:
    service.make_study()
    service.make_topic(4)
    asked = service.one("ann")
    turned = asked["right"]["id"]
    told = service.judge(asked, "left", left=turned)
    assert told.status_code == 201
    assert (told.json()["left"], told.json()["right"]) == (turned, asked["left"]["id"])
    better = told.json()["first"] if told.json()["outcome"] == "better" else told.json()["second"]
    assert better == turned
    assert service.get(f"/v1/assignments/{asked['id']}")["left"]["id"] == turned
    # The same again is a success; the same words about other sides are another answer.
    assert service.judge(asked, "left", left=turned).status_code == 200
    assert service.judge(asked, "left").status_code == 200
    other = service.judge(asked, "left", left=asked["left"]["id"])
    refusal(other, 409, "answer-conflict")


def test_a_side_is_one_of_the_two_documents(light: InProcess) -> None:
    light.make_study()
    light.make_topic(4)
    refusal(light.judge(light.one("ann"), "left", left="d99"), 422, "bad-answer")


def test_why_a_question_was_skipped_is_kept(service: InProcess) -> None:
    service.make_study()
    service.make_topic(4)
    asked = service.one("ann")
    told = service.skip(asked, bearer=asked["token"], reason="It is in Finnish")
    assert told.json()["reason"] == "It is in Finnish"
    kept = service.get(f"/v1/assignments/{asked['id']}")
    assert (kept["state"], kept["reason"]) == ("skipped", "It is in Finnish")


def test_a_page_begins_with_one_call(service: InProcess) -> None:
    service.make_study()
    service.make_topic(4)
    session = begin(service)
    told = service.post("/v1/session/begin", {"count": 2}, bearer=session)
    assert told["about"] == service.get("/v1/session", bearer=session)
    again = ask(service, session, 2)
    assert [one["id"] for one in told["first"]["assignments"]] == [
        one["id"] for one in again["assignments"]
    ]


def test_instructions_are_read_before_a_question_is_taken(light: InProcess) -> None:
    light.make_study(instructions="Choose.")
    light.make_topic(4)
    session = begin(light)
    told = light.post("/v1/session/begin", {}, bearer=session)
    assert told["first"] is None
    assert light.get(f"{ON_TOPIC}/progress")["open"] == 0
    (asked,) = ask(light, session)["assignments"]
    light.judge(asked, bearer=asked["token"])
    assert light.post("/v1/session/begin", {}, bearer=session)["first"]["assignments"]
