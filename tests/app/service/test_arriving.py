"""Workers whom a platform sends: let in by its parameters, and handed back when they are done."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from httpx2 import Response
from in_process import AT, STUDY, InProcess, Json, by_number, installed, refusal

GENERIC = {
    "worker": "pid",
    "session": "sid",
    "ending": "form",
    "back": "to",
    "path": "/submit",
    "sites": ["https://work.example.org"],
    "frames": ["https://frames.example.org"],
    "fields": ["sid={session}", "receipt={receipt}"],
    "preview": "sid=NONE",
}


@pytest.fixture
def service(sqlite_url: str) -> Iterator[InProcess]:
    """A service with a study that a platform of forms sends workers to, for two questions each."""
    with installed(sqlite_url) as made:
        made.make_study(platform="generic", platform_options=GENERIC, hiring={"questions": 2})
        made.make_topic(6)
        yield made


def come(service: InProcess, worker: str, session: str, **more: str) -> Response:
    query = {"pid": worker, "sid": session, "to": "https://work.example.org/", **more}
    return service.http.get(f"/judge/{STUDY}/enter?{urlencode(query)}", follow_redirects=False)


def enter(service: InProcess, worker: str, session: str) -> str:
    response = come(service, worker, session)
    assert response.status_code == 303, response.text
    page, _, token = response.headers["location"].partition("#")
    assert page == f"/judge/{STUDY}"
    return str(token)


def answer(service: InProcess, token: str, most: int = 100) -> int:
    answered = 0
    while answered < most:
        got = service.post("/v1/session/next", {}, bearer=token)
        if not got["assignments"]:
            break
        for one in got["assignments"]:
            assert service.judge(one, by_number(one), bearer=one["token"]).status_code == 201
            answered += 1
    return answered


def finish(service: InProcess, token: str) -> Response:
    return service.send("POST", "/v1/session/finish", {}, bearer=token)


def test_a_worker_enters_answers_and_is_handed_back(service: InProcess) -> None:
    token = enter(service, "ann", "s1")
    about = service.get("/v1/session", bearer=token)
    assert (about["worker"], about["count"]) == ("ann", 2)
    assert (about["hands_in"], about["finished"]) == (True, False)
    refusal(finish(service, token), 409, "unfinished")
    assert answer(service, token) == 2
    told = finish(service, token).json()
    assert (told["kind"], told["action"]) == ("form", "https://work.example.org/submit")
    assert told["fields"]["sid"] == "s1"
    assert finish(service, token).json() == told, "the same again says the same"
    again = enter(service, "ann", "s1")
    about = service.get("/v1/session", bearer=again)
    assert (about["answered"], about["finished"]) == (2, True)
    assert finish(service, again).json() == told


def test_who_only_looks_takes_nothing(service: InProcess) -> None:
    response = come(service, "", "NONE")
    assert response.headers["location"] == f"/judge/{STUDY}?preview=1"
    assert service.get(f"{AT}/workers")["items"] == []


def test_two_sessions_at_once_are_not_paid_for_the_same_answers(service: InProcess) -> None:
    first, second = enter(service, "ann", "s1"), enter(service, "ann", "s2")
    assert answer(service, first) == 2
    service.clock.move(1)
    assert finish(service, first).status_code == 200
    problem = refusal(finish(service, second), 409, "unfinished")
    assert "nothing was answered in this session" in problem["detail"]
    service.clock.move(1)
    assert answer(service, second) == 2
    told: Json = finish(service, second).json()
    assert told["fields"]["sid"] == "s2"


def test_a_session_that_comes_to_another_worker_frees_the_first_ones_questions(
    service: InProcess,
) -> None:
    first = enter(service, "ann", "s1")
    (held,) = service.post("/v1/session/next", {}, bearer=first)["assignments"]
    assert service.get(f"{AT}/topics/coffee/progress")["open"] == 1
    enter(service, "bob", "s1")
    assert service.get(f"{AT}/topics/coffee/progress")["open"] == 0
    service.clock.move(1)
    assert service.judge(held, "left", bearer=held["token"]).json()["late"]


@pytest.mark.parametrize("to", ["https://evil.example.org", "javascript:alert(1)", ""])
def test_nobody_is_let_in_who_would_be_handed_back_elsewhere(service: InProcess, to: str) -> None:
    response = come(service, "ann", "s1", to=to)
    assert response.status_code == 422
    assert response.json()["type"] == "urn:nextpair:bad-arrival"
    # It can be seen in the platform's frame.
    assert "https://frames.example.org" in response.headers["content-security-policy"]
    assert "x-frame-options" not in response.headers
    assert service.get(f"{AT}/workers")["items"] == []


def test_the_page_may_post_only_where_the_platform_waits(service: InProcess) -> None:
    policy = service.http.get(f"/judge/{STUDY}").headers["content-security-policy"]
    assert "form-action https://work.example.org;" in policy
    assert "frame-ancestors https://frames.example.org;" in policy
    other = service.http.get("/judge/nobody").headers["content-security-policy"]
    assert "form-action 'none'" in other and "frame-ancestors 'none'" in other


def test_a_worker_who_has_seen_it_all_may_hand_in_fewer(service: InProcess) -> None:
    service.make_study("small", platform="generic", platform_options=GENERIC)
    service.make_topic(2, "t", "small")
    query = urlencode({"pid": "ann", "sid": "x", "to": "https://work.example.org"})
    response = service.http.get(f"/judge/small/enter?{query}", follow_redirects=False)
    token = response.headers["location"].partition("#")[2]
    assert answer(service, token) == 1
    assert finish(service, token).json()["kind"] == "form"


def test_nobody_judges_a_study_uninvited_unless_it_asks_for_links(service: InProcess) -> None:
    made = service.make_study("closed")
    assert made["platform"] == "invited"
    service.make_topic(2, "t", "closed")
    for query in ("worker=eve", "", "worker=ann&invited=1"):
        response = service.http.get(f"/judge/closed/enter?{query}", follow_redirects=False)
        problem = refusal(response, 403, "uninvited")
        assert "judging link" in problem["detail"]
    assert service.get("/v1/studies/closed/workers")["items"] == []
    session = service.post("/v1/studies/closed/sessions", {"worker": "eve"}, status=201)["session"]
    about = service.get("/v1/session", bearer=session)
    assert (about["worker"], about["hands_in"]) == ("eve", False)
    assert answer(service, session) == 1
    assert finish(service, session).json()["kind"] == "nothing"
    service.send("PATCH", "/v1/studies/closed", {"platform": "link"})
    response = service.http.get("/judge/closed/enter?worker=mallory", follow_redirects=False)
    assert response.status_code == 303, "the study has asked for it"


def test_a_plain_link_needs_no_options(service: InProcess) -> None:
    service.make_study("plain", platform="link")
    service.make_topic(2, "t", "plain")
    response = service.http.get("/judge/plain/enter?worker=eve", follow_redirects=False)
    token = response.headers["location"].partition("#")[2]
    about = service.get("/v1/session", bearer=token)
    assert (about["worker"], about["count"], about["hands_in"]) == ("eve", None, False)
    assert answer(service, token) == 1
    assert finish(service, token).json()["kind"] == "nothing"


def test_a_link_can_end_with_a_code_of_the_workers_own(service: InProcess) -> None:
    codes = set()
    for study in ("one", "two"):
        service.make_study(study, platform="link", platform_options={"code": True})
        service.make_topic(3, "t", study)
        response = service.http.get(f"/judge/{study}/enter?worker=eve", follow_redirects=False)
        token = response.headers["location"].partition("#")[2]
        assert answer(service, token) > 1
        codes.add(finish(service, token).json()["code"])
    assert len(codes) == 2 and all(len(code) == 10 for code in codes)
