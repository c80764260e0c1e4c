"""Strangers whom no platform has sent: their answers do not count."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from httpx2 import Response
from in_process import InProcess, Json, by_number, installed, pair_of, refusal
from platforms.fake_mturk_server import answer_xml
from platforms.fake_prolific import FakeProlific
from platforms.hiring_study import (
    AT,
    HIRING,
    STUDY,
    TOPIC,
    HiringStudy,
    enter,
    hiring_study,
    judge,
    set_up,
)
from platforms.scenarios import ENTRANCE, PUBLIC, Scenario
from platforms.session_scenarios import ProlificScenario, SlotsScenario

from nextpair.app.hiring.entry import match_without_worker
from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.messages import Stage
from nextpair.storage.hiring_rows import SubmissionRow, SubmissionState

ON_TOPIC = f"{AT}/topics/{TOPIC}"


@pytest.fixture
def one(sqlite_url: str) -> Iterator[HiringStudy]:
    """A study that hires on MTurk, with one HIT."""
    with hiring_study(sqlite_url, quality={}) as made:
        made.start()
        made.tick()
        yield made


def come(one: HiringStudy, **names: str) -> Response:
    query = {"assignmentId": "3STRANGE", "workerId": "ASTRANGER", "turkSubmitTo": one.fake.url}
    path = f"/judge/{STUDY}/enter?{urlencode({**query, **names})}"
    return one.service.http.get(path, follow_redirects=False)


def stranger(one: HiringStudy, number: int = 1, worker: str = "") -> str:
    """Admit a stranger who claims to work on the open HIT; return their session."""
    (hit, *_) = (each for each in one.mturk.hits.values() if each.expires > one.mturk.now)
    names = {"assignmentId": f"3STRANGE{number}", "workerId": worker or f"ASTRANGER{number}"}
    response = come(one, hitId=hit.id, **names)
    assert response.status_code == 303, response.text
    return str(response.headers["location"].partition("#")[2])


def questions(one: HiringStudy, token: str, count: int) -> list[Json]:
    return list(one.service.post("/v1/session/next", {"count": count}, bearer=token)["assignments"])


def all_that_counts(service: InProcess) -> Json:
    """Read everything that is visible of a study's answers."""
    written = service.send("GET", f"{AT}/export/jsonl")
    assert written.status_code == 200
    return {
        "progress": service.get(f"{ON_TOPIC}/progress"),
        "ranking": service.get(f"{ON_TOPIC}/ranking"),
        "log": service.get(f"{ON_TOPIC}/judgments")["items"],
        "export": written.text,
        "judgments": service.get(f"{AT}/pace")["judgments"],
    }


def test_nobody_comes_in_by_an_offer_that_is_not_this_studys(one: HiringStudy) -> None:
    one.service.make_study("other", platform="mturk")
    (hit,) = one.mturk.hits
    before = (all_that_counts(one.service), one.hiring, one.activity)
    for path, offer in ((STUDY, "3INVENTED"), ("other", hit)):
        query = {"assignmentId": "3X", "workerId": "AX", "turkSubmitTo": one.fake.url}
        asked = f"/judge/{path}/enter?{urlencode({**query, 'hitId': offer})}"
        problem = refusal(one.service.http.get(asked, follow_redirects=False), 422, "bad-arrival")
        assert "no offer of this study" in problem["detail"]
    refusal(come(one), 422, "bad-arrival")
    for study in (STUDY, "other"):
        assert one.service.get(f"/v1/studies/{study}/workers")["items"] == []
    assert (all_that_counts(one.service), one.hiring, one.activity) == before


def test_the_id_of_an_ended_hit_lets_nobody_in_and_costs_nothing(one: HiringStudy) -> None:
    (hit,) = one.mturk.hits
    one.work("AGOOD")
    one.tick()
    one.service.post(f"{AT}/hiring", {"state": "stopped"})
    one.tick()
    before = (one.hiring, one.service.get(f"{AT}/workers")["items"])
    assert before[0]["reserved"] == 0
    for number in range(20):
        response = come(one, hitId=hit, assignmentId=f"3S{number}", workerId=f"AS{number}")
        assert "has ended" in refusal(response, 422, "bad-arrival")["detail"]
    assert (one.hiring, one.service.get(f"{AT}/workers")["items"]) == before


def test_answers_of_a_session_that_the_platform_never_heard_of_do_not_count(
    one: HiringStudy,
) -> None:
    before = all_that_counts(one.service)
    money = one.hiring
    token = stranger(one)
    for asked in questions(one, token, 4):
        told = one.service.judge(asked, "right", bearer=asked["token"])
        assert (told.status_code, told.json()["number"]) == (201, None)
        again = one.service.judge(asked, "right", bearer=asked["token"])
        assert (again.status_code, again.json()["number"]) == (200, None)
        refusal(one.service.judge(asked, "left", bearer=asked["token"]), 409)
    about = one.service.get("/v1/session", bearer=token)
    assert about["answered"] == 4
    assert one.service.post("/v1/session/finish", {}, bearer=token)["kind"] == "form"
    one.tick()
    assert all_that_counts(one.service) == before
    now = one.hiring
    assert [now[key] for key in ("spent", "reserved")] == [
        money[key] for key in ("spent", "reserved")
    ]
    assert now["submissions"] == {"unconfirmed": 1}
    assert len(one.mturk.hits) == 1, "nothing more is offered for strangers who say they are done"


def test_strangers_who_hold_all_questions_keep_nobody_waiting(database_url: str) -> None:
    with hiring_study(database_url, size=5, quality={}) as one:
        one.start()
        one.tick()
        held = set()
        for number in range(3):
            for asked in questions(one, stranger(one, number), 4):
                held.add(pair_of(asked))
                if number == 1:
                    assert one.service.judge(asked, "right", bearer=asked["token"]).is_success
        assert held
        taken = one.take("AREAL")
        token = one.enter(taken)
        assert one.judge(token) == 4
        one.hand_in(token)
        one.tick()
        assert taken.status == "Approved"
        log = one.service.get(f"{ON_TOPIC}/judgments")["items"]
        assert [entry["worker"] for entry in log] == ["AREAL"] * 4
        assert one.hiring["spent"] + one.hiring["reserved"] <= HIRING["budget"]


def test_what_a_worker_answered_counts_as_soon_as_the_platform_tells_of_them(
    one: HiringStudy,
) -> None:
    taken = one.take("AREAL")
    token = one.enter(taken)
    assert one.judge(token) == 4
    answered_by = one.service.clock.now
    assert one.service.get(f"{ON_TOPIC}/progress")["judgments"] == 0
    one.tick()
    assert one.service.get(f"{ON_TOPIC}/progress")["judgments"] == 0, "MTurk tells nothing yet"
    one.hand_in(token)
    one.tick()
    log = one.service.get(f"{ON_TOPIC}/judgments")["items"]
    assert [entry["worker"] for entry in log] == ["AREAL"] * 4
    assert [entry["number"] for entry in log] == [1, 2, 3, 4]
    assert all(entry["created_at"] < _moment(answered_by) for entry in log)
    assert one.service.get(f"{AT}/pace")["judgments"] == 4
    assert one.hiring["spent"] == one.mturk.spent == 72


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def test_a_notification_confirms_who_has_come_and_who_comes_later(
    database_url: str,
) -> None:
    with hiring_study(database_url, quality={}) as one:
        one.service.send("PATCH", AT, {"platform_options": {"queue": f"{one.fake.url}/queue"}})
        one.start()
        one.tick()
        early, late = one.take("AEARLY"), one.take("ALATE")
        token = one.enter(early)
        one.judge(token, most=2)
        assert one.service.get(f"{ON_TOPIC}/progress")["judgments"] == 0
        one.tick()
        assert one.service.get(f"{ON_TOPIC}/progress")["judgments"] == 2
        one.judge(token, most=1)
        one.judge(one.enter(late), most=1)
        assert one.service.get(f"{ON_TOPIC}/progress")["judgments"] == 4, "at once, from now on"
        for number in range(3):
            one.judge(stranger(one, number), most=4)
        one.tick()
        assert one.service.get(f"{ON_TOPIC}/progress")["judgments"] == 4
        one.judge(token)
        about = one.service.get("/v1/session", bearer=token)
        assert about["answered"] == 4, "those of before and after"
        one.hand_in(token)
        one.tick()
        assert early.status == "Approved"


def test_an_answer_that_is_held_can_be_taken_back(one: HiringStudy) -> None:
    taken = one.take("AREAL")
    token = one.enter(taken)
    first, second = questions(one, token, 2)
    for asked in (first, second):
        assert one.service.judge(asked, "left", bearer=asked["token"]).is_success
        one.service.clock.move(1)
    refusal(one.service.undo(first, bearer=first["token"]), 409)
    again = one.service.undo(second, bearer=second["token"]).json()
    assert pair_of(again) == pair_of(second)
    assert one.service.judge(again, "right", bearer=again["token"]).status_code == 201
    one.judge(token)
    one.hand_in(token)
    one.tick()
    log = one.service.get(f"{ON_TOPIC}/judgments")["items"]
    said = [entry["answer"]["preference"] for entry in log if entry["assignment"] == second["id"]]
    assert said == ["right"]
    assert len(log) == 4 and taken.status == "Approved"


def test_a_stranger_in_a_workers_name_takes_nothing_from_them(one: HiringStudy) -> None:
    forged = stranger(one, worker="AREAL")
    first, *rest = questions(one, forged, 4)
    assert one.service.judge(first, "right", bearer=first["token"]).is_success
    one.service.skip(rest[0], bearer=rest[0]["token"])
    taken = one.take("AREAL")
    token = one.enter(taken)
    asked = questions(one, token, 4)
    assert len(asked) == 4
    for each in asked:
        assert one.service.judge(each, by_number(each), bearer=each["token"]).is_success
    # What was the stranger's is void where the worker has it now, and nothing else is reachable.
    theirs = {each["id"] for each in questions(one, forged, 4)}
    assert not theirs & {each["id"] for each in asked}
    one.judge(forged)
    one.service.post("/v1/session/finish", {}, bearer=forged)
    one.hand_in(token)
    one.tick()
    assert taken.status == "Approved"
    log = one.service.get(f"{ON_TOPIC}/judgments")["items"]
    assert sorted(each["assignment"] for each in log) == sorted(each["id"] for each in asked)


def test_checks_of_a_session_are_concluded_once_it_counts(database_url: str) -> None:
    quality = {"batch": 4, "traps": 1, "traps_pass": 1.0, "quiz": 2, "attempts": 1}
    # As many questions as the quiz and a batch have together.
    hiring = {**HIRING, "questions": 6}
    with hiring_study(database_url, quality=quality, hiring=hiring) as one:
        quiz = [(f"q{n}", f"w{n}") for n in range(8001, 8004)]
        documents = [{"id": name, "text": name} for pair in quiz for name in pair]
        golds = [
            {"documents": list(pair), "answer": {"preference": "left"}, "quiz": True}
            for pair in quiz
        ]
        one.service.post(f"{ON_TOPIC}/golds", {"documents": documents, "golds": golds})
        one.start()
        one.tick()
        good, bad = one.take("AGOOD"), one.take("ABAD")
        tokens = one.enter(good), one.enter(bad)
        for token, fool in zip(tokens, (False, True), strict=True):
            for _ in range(2):
                (asked,) = questions(one, token, 1)
                names = [asked[side]["text"] for side in ("left", "right")]
                right = "left" if names[0].startswith("q") else "right"
                wrong = {"left": "right", "right": "left"}[right]
                told = one.service.judge(asked, wrong if fool else right, bearer=asked["token"])
            assert told.json()["verdict"]["passed"] is not fool
        assert questions(one, tokens[1], 4) == [], "who has failed gets no work"
        assert one.service.get(f"{AT}/workers")["items"][0]["status"] == "active"
        judge(one.service, tokens[0])
        for token in tokens:
            one.hand_in(token)
        one.tick()
        assert (good.status, bad.status) == ("Approved", "Rejected")
        assert [each["WorkerId"] for each in one.mturk.bonuses] == ["AGOOD"]
        status = {each["id"]: each["status"] for each in one.service.get(f"{AT}/workers")["items"]}
        assert status == {"AGOOD": "active", "ABAD": "stopped"}


def test_what_is_told_without_a_name_of_a_session_that_was_handed_in_is_nobody_elses() -> None:
    def row(number: int, state: SubmissionState, confirmed_at: float | None) -> SubmissionRow:
        times: Json = {"begun_at": 1.0, "finished_at": 2.0, "created_at": 1.0}
        about: Json = {
            "study_id": 1,
            "platform": "prolific",
            "session": "s",
            "offer_id": 1,
            "extra": {},
        }
        who: Json = {"id": number, "worker_id": number, "state": state}
        return SubmissionRow(**who, **about, **times, confirmed_at=confirmed_at)

    real = row(1, SubmissionState.ACCEPTED, 1.0)
    stranger = row(2, SubmissionState.FINISHED, None)
    for stage in Stage:
        assert (
            match_without_worker([real, stranger], stage)
            == match_without_worker([stranger, real], stage)
            == real
        )


def test_a_session_that_nobody_stands_by_is_given_up_and_a_late_hand_in_still_counts(
    one: HiringStudy,
) -> None:
    taken = one.take("ASLOW")
    token = one.enter(taken)
    one.judge(token)
    form = one.service.post("/v1/session/finish", {}, bearer=token)
    one.tick(3600 + 601)
    assert one.hiring["submissions"] == {"lapsed": 1}
    assert one.service.get(f"{ON_TOPIC}/progress")["judgments"] == 0
    fields = dict(form["fields"])
    one.mturk.submit(fields.pop("assignmentId"), answer_xml(fields))
    one.tick()
    assert one.service.get(f"{ON_TOPIC}/progress")["judgments"] == 4
    assert (taken.status, one.hiring["spent"]) == ("Approved", 72)


# -- platforms that can be asked, and forms that prove themselves ---------------------------------


@contextmanager
def playing(
    kind: type[Scenario], url: str, **access: str
) -> Iterator[tuple[Scenario, InProcess, Runner]]:
    with kind.running_platform() as scenario:
        given = {scenario.platform.replace("-", "_"): {**scenario.access(), **access}}
        with installed(url, public_url=PUBLIC, platforms=given) as service:
            settings = {"platform_options": scenario.options(), "quality": {}}
            set_up(service, 8, platform=scenario.platform, **settings)
            service.post(f"{AT}/hiring", {"state": "running"})
            runner = Runner(service.app.state.service, service.clock)
            runner.tick()
            yield scenario, service, runner
            runner.resign()


def open_page(service: InProcess, **names: str) -> Response:
    asked = f"/judge/{STUDY}/enter?{urlencode(names)}"
    return service.http.get(asked, follow_redirects=False)


def test_prolific_is_asked_who_comes(sqlite_url: str) -> None:
    with playing(ProlificScenario, sqlite_url) as (scenario, service, _):
        assert isinstance(scenario, ProlificScenario)
        (study,) = scenario.fake.studies
        session = scenario.fake.take(study, "ann")
        for claimed in (("eve", "invented"), ("eve", session)):
            query = dict(zip(("PROLIFIC_PID", "SESSION_ID"), claimed, strict=True))
            refusal(open_page(service, STUDY_ID=study, **query), 422, "bad-arrival")
        assert service.get(f"{AT}/workers")["items"] == []
        names = {"PROLIFIC_PID": "ann", "SESSION_ID": session, "STUDY_ID": study}
        token = enter(service, ENTRANCE, names)
        judge(service, token, most=2)
        assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 2, "at once"


def test_where_prolific_does_not_answer_in_time_it_tells_later(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with playing(ProlificScenario, sqlite_url) as (scenario, service, runner):
        assert isinstance(scenario, ProlificScenario)
        fake: FakeProlific = scenario.fake
        (study,) = fake.studies
        session = fake.take(study, "ann")
        scenario.revoke_key()
        names = {"PROLIFIC_PID": "ann", "SESSION_ID": session, "STUDY_ID": study}
        token = enter(service, ENTRANCE, names)
        false = enter(service, ENTRANCE, {**names, "PROLIFIC_PID": "eve", "SESSION_ID": "forged"})
        judge(service, token, most=2)
        judge(service, false, most=2)
        assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 0
        scenario.restore_key()
        service.clock.move(15)
        runner.tick()
        log = service.get(f"{ON_TOPIC}/judgments")["items"]
        assert [entry["worker"] for entry in log] == ["ann", "ann"]


def test_a_place_at_figure_eight_is_proved_by_its_code(sqlite_url: str) -> None:
    with playing(SlotsScenario, sqlite_url) as (scenario, service, _):
        assert isinstance(scenario, SlotsScenario)
        unit, other, *_rest = scenario.fake.open_units()
        names = {name: unit["data"][name] for name in ("slot", "code", "offer")}
        for forged in ({"slot": other["data"]["slot"]}, {"slot": "x-1"}, {"code": "ABCDEF"}):
            refusal(open_page(service, **{**names, **forged}), 422, "bad-arrival")
        assert service.get(f"{AT}/workers")["items"] == []
        token = enter(service, ENTRANCE, names)
        judge(service, token, most=2)
        assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 2


def test_a_wrong_answer_about_a_topic_stops_only_whom_the_platform_has_sent(
    sqlite_url: str,
) -> None:
    with hiring_study(sqlite_url, quality={"attempts": 1}) as one:
        question = {"question": "What?", "choices": ["Wine", "Coffee"], "right": "Coffee"}
        documents = [{"id": f"d{n}", "text": f"text {n}"} for n in range(1, 7)]
        body = {"id": "asked", "documents": documents, "understanding": question}
        one.service.post(f"{AT}/topics", body, status=201)
        one.service.send("PATCH", f"{AT}/topics/{TOPIC}", {"status": "closed"})
        one.start()
        one.tick()
        path = "/v1/session/understanding"
        forged = stranger(one, worker="AREAL")
        assert one.service.post("/v1/session/next", {}, bearer=forged)["reason"] == "understanding"
        wrong = {"topic": "asked", "choice": "Wine"}
        assert one.service.post(path, wrong, bearer=forged)["effect"] == "stop"
        right = {"topic": "asked", "choice": "Coffee"}
        assert not one.service.post(path, right, bearer=forged)["passed"], "one attempt"
        assert one.service.post("/v1/session/next", {}, bearer=forged)["reason"] == "stopped"
        taken = one.take("AREAL")
        token = one.enter(taken)
        assert questions(one, token, 1) == []
        assert one.service.post(path, right, bearer=token)["passed"]
        assert one.judge(token) == 4
        one.hand_in(token)
        one.tick()
        assert taken.status == "Approved"
        again = one.take("AREAL2")
        assert one.service.get(f"{AT}/workers")["items"][0]["status"] == "active"
        known = one.service.next("AREAL", topic="asked")
        assert known["reason"] != "understanding", "the verdict is the worker's now"
        assert questions(one, one.enter(again), 1) == [], "and nobody else's"


def test_what_is_held_waits_while_its_topic_is_closed_and_who_is_blocked_gives_none(
    one: HiringStudy,
) -> None:
    kept, blocked = one.take("AREAL"), one.take("ABLOCKED")
    tokens = one.enter(kept), one.enter(blocked)
    for token in tokens:
        assert one.judge(token) == 4
        one.hand_in(token)
    one.service.send("PATCH", f"{AT}/workers/ABLOCKED", {"status": "blocked"})
    one.service.send("PATCH", ON_TOPIC, {"status": "closed"})
    one.tick()
    assert one.hiring["state"] == "running"
    assert one.service.get(f"{ON_TOPIC}/progress")["judgments"] == 0
    one.service.send("PATCH", ON_TOPIC, {"status": "open"})
    one.tick()
    log = one.service.get(f"{ON_TOPIC}/judgments")["items"]
    assert [entry["worker"] for entry in log] == ["AREAL"] * 4


def test_a_stranger_in_the_name_of_a_worker_who_holds_a_trap_is_asked_something_else(
    sqlite_url: str,
) -> None:
    with hiring_study(sqlite_url, quality={"batch": 4, "traps": 2}) as one:
        one.service.send("PATCH", AT, {"platform_options": {"queue": f"{one.fake.url}/queue"}})
        one.start()
        one.tick()
        token = one.enter(one.take("AREAL"))
        one.tick()
        mine = questions(one, token, 4)
        assert len(mine) == 4
        forged = questions(one, stranger(one, worker="AREAL"), 4)
        assert forged and not {each["id"] for each in mine} & {each["id"] for each in forged}
        assert not set(map(pair_of, mine)) & set(map(pair_of, forged))
