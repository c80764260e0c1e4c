"""A study that hires on Prolific, from the first offer to the last bonus."""

from typing import Any

from in_process import AT, InProcess, by_number, installed
from platforms.fake_prolific import WORKSPACE, FakeProlific
from platforms.fake_server import serving

from nextpair.app.hiring.runner import Runner

PUBLIC = "https://judge.example.org"
HIRING = {"questions": 2, "reward": 100, "bonus": 20, "budget": 1000, "at_once": 3}


def take_part(service: InProcess, study: str, worker: str, session: str, answers: int) -> str:
    """Let a worker come and answer; return their session's token."""
    query = f"PROLIFIC_PID={worker}&SESSION_ID={session}&STUDY_ID={study}"
    came = service.http.get(f"/judge/answers/enter?{query}", follow_redirects=False)
    token = str(came.headers["location"].partition("#")[2])
    for _ in range(answers):
        (one,) = service.post("/v1/session/next", {}, bearer=token)["assignments"]
        assert service.judge(one, by_number(one), bearer=one["token"]).status_code == 201
    return token


def test_who_finishes_is_paid_once_and_who_only_brings_the_code_is_held(sqlite_url: str) -> None:
    with serving(FakeProlific()) as fake:
        given = {
            "token": fake.token,
            "hook_secret": fake.hook_secret,
            "workspace": WORKSPACE,
            "api": f"{fake.url}/api/v1",
        }
        settings: dict[str, Any] = {"platforms": {"prolific": given}, "runner_seconds": 0}
        with installed(sqlite_url, public_url=PUBLIC, **settings) as service:
            _hire(service, fake)


def _hire(service: InProcess, fake: FakeProlific) -> None:
    service.make_study(platform="prolific", platform_options={"fee_percent": 30}, hiring=HIRING)
    service.make_topic(6)
    service.post(f"{AT}/hiring", {"state": "running"})
    runner = Runner(service.app.state.service, service.clock)

    def tick(times: int = 1) -> None:
        for _ in range(times):
            service.clock.move(15)
            runner.tick()

    tick()
    (study,) = fake.studies
    good, lazy, gone = (fake.take(study, name) for name in ("ann", "bob", "eve"))
    token = take_part(service, study, "ann", good, 2)
    told = service.post("/v1/session/finish", {}, bearer=token)
    assert told["url"] == "https://app.prolific.com/submissions/complete?cc=NEXTPAIR"
    take_part(service, study, "bob", lazy, 0)
    take_part(service, study, "eve", gone, 1)
    for session, status in ((good, None), (lazy, None), (gone, "RETURNED")):
        fake.end(session, status or "AWAITING REVIEW")
    news = service.get(f"{AT}/hiring")["news"].removeprefix(PUBLIC)
    change = {"event_type": "submission.status.change", "participant_id": "x"}
    for name in (good, "of-another-study", good):
        about = {**change, "resource_id": name, "status": "AWAITING REVIEW"}
        headers, body = fake.hook(about, f"event-{name}")
        assert service.http.post(news, content=body, headers=headers).status_code == 200
    tick(4)
    fake.settle_payments()
    about = service.get(f"{AT}/hiring")
    assert about["submissions"] == {"accepted": 1, "held": 1, "returned": 1}
    assert fake.submissions[good]["status"] == "APPROVED"
    assert fake.submissions[good]["bonus_payments"] == [20.0]
    assert fake.submissions[lazy]["status"] == "AWAITING REVIEW"
    assert about["spent"] == 130 + 26, "with the fees"
    assert about["spent"] + about["reserved"] <= about["budget"]
    runner.resign()
