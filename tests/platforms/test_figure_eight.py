"""Figure Eight: pairs as units, places with a code, and webhooks of every bad kind."""

from collections.abc import Iterator
from typing import Any

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json, by_number, installed
from platforms.attempt_history import AttemptHistory
from platforms.fake_figure_eight import FakeFigureEight
from platforms.fake_server import Reply, serving
from pydantic import SecretStr

from nextpair.app.errors import (
    BadArrival,
    BadNotice,
    Malformed,
    PlatformDenied,
    PlatformRefused,
    PlatformUnreachable,
)
from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.messages import (
    CompletionCode,
    Offer,
    Receipt,
    Stage,
    Submission,
    Task,
    Webhook,
)
from nextpair.app.platforms.registry import make_platform, read_access

TOPIC = {"id": "coffee", "title": "Coffee", "description": "", "narrative": ""}
DOCUMENTS = [{"id": n, "title": "", "text": f"<{n}>", "html": None, "url": None} for n in "ab"]
TASKS = [Task(f"1-{n}", TOPIC, DOCUMENTS) for n in range(1, 4)]
GOLDS = [Task(f"gold-1-{n}", TOPIC, DOCUMENTS, {"preference": "left"}) for n in range(1, 7)]
URL = "https://judge.example.org/judge/s/enter"
WEBHOOK_URL = "https://judge.example.org/v1/studies/s/news/abc"
PAIRS = Offer(
    "s", 1, "S", "", URL, 1, 3, 30, "USD", tasks=[*TASKS, *GOLDS], webhook_url=WEBHOOK_URL
)
PLACES = Offer("s", 1, "S", "", URL, 2, 10, 50, "USD", webhook_url=WEBHOOK_URL)
SLOTS = {"way": "slots"}


@pytest.fixture
def fake() -> Iterator[FakeFigureEight]:
    """A Figure Eight of our own."""
    with serving(FakeFigureEight()) as running:
        yield running


def given_to(fake: FakeFigureEight, **more: str) -> dict[str, str]:
    return {
        "key": fake.key,
        "hook_tokens": f"old, {fake.hook_token}",
        "api": f"{fake.url}/v1",
    } | more


def access(fake: FakeFigureEight, **more: str) -> Any:
    values = {name: SecretStr(value) for name, value in given_to(fake, **more).items()}
    return read_access("figure-eight", {"figure_eight": values})


def opened(fake: FakeFigureEight, options: Json | None = None, **more: str) -> Account:
    return fake.opened(make_platform("figure-eight", options or {}).open(access(fake, **more)))


def test_pairs_become_units_of_one_job_and_known_answers_test_questions(
    fake: FakeFigureEight,
) -> None:
    history, account = AttemptHistory(), opened(fake)
    account.publish(PAIRS, history.attempt("one"))
    more = Offer(
        "s", 2, "S", "", URL, 1, 1, 30, "USD", tasks=[Task("1-9", TOPIC, DOCUMENTS), *GOLDS]
    )
    account.publish(more, history.attempt("two"))
    (job,) = fake.jobs.values()
    assert (job["payment_cents"], job["units_per_assignment"]) == (30, 3)
    assert (job["options"], job["webhook_uri"]) == ({"front_load": 1}, WEBHOOK_URL)
    assert len(fake.orders) == 1, "what comes later is launched by itself"
    assert [one["data"]["nextpair_task"] for one in fake.open_units()] == [
        "1-1",
        "1-2",
        "1-3",
        "1-9",
    ]
    golden = [one for one in fake.units.values() if one["state"] == "golden"]
    assert len(golden) == 6 and golden[0]["data"]["preference_gold"] == ["left"]
    assert fake.open_units()[0]["data"]["text_a"] == "&lt;a&gt;"


@pytest.mark.parametrize("step", ["POST /v1/jobs.json", "upload", "gold", "orders"])
def test_a_process_that_dies_while_publishing_publishes_once(
    fake: FakeFigureEight, step: str
) -> None:
    history, account = AttemptHistory(), opened(fake)
    verb = "PUT" if step == "gold" else "POST"
    fake.loses_answer_after = step if " " in step else f"{verb} /v1/jobs/632001/{step}"
    with pytest.raises(PlatformUnreachable):
        account.publish(PAIRS, history.attempt("one"))
    assert fake.loses_answer_after is None
    account.publish(PAIRS, history.attempt("one"))
    assert (len(fake.jobs), len(fake.units), len(fake.orders)) == (1, 9, 1)


@pytest.mark.parametrize("mark", ["css", "js", "title"])
def test_a_job_whose_making_nobody_was_told_of_is_found_by_its_mark(
    fake: FakeFigureEight, mark: str
) -> None:
    history, account = AttemptHistory(), opened(fake, {"marked_in": mark})
    fake.loses_answer_after = "POST /v1/jobs.json"
    with pytest.raises(PlatformUnreachable):
        account.publish(PAIRS, history.attempt("a-token-of-its-own"))
    account.publish(PAIRS, history.attempt("a-token-of-its-own"))
    (job,) = fake.jobs.values()
    assert "a-token-of-i" in job[mark]


@pytest.mark.parametrize("launched", ["order_approved", "state=running", ""])
def test_a_job_is_launched_once_however_it_says_that_it_is(
    fake: FakeFigureEight, launched: str
) -> None:
    history, account = AttemptHistory(), opened(fake, {"launched": launched})
    fake.loses_answer_after = "POST /v1/jobs/632001/orders"
    with pytest.raises(PlatformUnreachable):
        account.publish(PAIRS, history.attempt("one"))
    if not launched:
        with pytest.raises(PlatformDenied, match="look at it there"):
            account.publish(PAIRS, history.attempt("one"))
    account.publish(PAIRS, history.attempt("one"))
    assert len(fake.orders) == 1


def test_an_error_inside_a_good_answer_is_one_and_so_is_silence(fake: FakeFigureEight) -> None:
    account = opened(fake)
    fake.faults = [Reply(200, {"errors": ["no money"]})]
    with pytest.raises(PlatformRefused, match="no money"):
        account.publish(PAIRS, AttemptHistory().attempt("one"))
    fake.faults = [Reply(200, {"id": 7})]
    fake.jobs["7"] = {"id": 7}
    with pytest.raises(PlatformRefused, match="not kept"):
        account.publish(PAIRS, AttemptHistory().attempt("two"))


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(429), PlatformUnreachable),
        (Reply(500), PlatformUnreachable),
        (Reply(401, {"error": {"message": "bad key f8-key"}}), PlatformDenied),
        (Reply(402), PlatformDenied),
        (Reply(422, {"error": "too many units"}), PlatformRefused),
    ],
)
def test_what_goes_wrong_is_told_by_its_kind_and_without_the_key(
    fake: FakeFigureEight, reply: Reply, kind: type[Exception]
) -> None:
    fake.faults = [reply]
    with pytest.raises(kind) as caught:
        opened(fake).publish(PAIRS, AttemptHistory().attempt("one"))
    assert fake.key not in str(caught.value)


def test_webhooks_are_read_if_signed_with_either_secret_and_however_they_come(
    fake: FakeFigureEight,
) -> None:
    platform, given = make_platform("figure-eight", {}), access(fake)
    opened(fake).publish(PAIRS, AttemptHistory().attempt("one"))
    unit = fake.open_units()[0]
    empty = fake.hook(unit)
    fake.judge(unit, {"preference": "left"}, tainted=True)
    fake.judge(unit, {"preference": "right"})
    for body in (fake.hook(unit), fake.hook(unit, secret=fake.key), fake.hook([unit])):
        (event,) = platform.read_webhook(Webhook({}, body), given)
        (answer,) = event.answers
        assert (answer.task, answer.worker) == ("1-1", "figure-eight:30220001")
        assert (answer.answer, answer.seconds) == ({"preference": "right"}, 20.0)
    assert platform.read_webhook(Webhook({}, empty), given) == [], "a unit nobody has judged"
    assert platform.read_webhook(Webhook({}, fake.hook({}, signal="job_complete")), given) == []
    good = fake.hook(unit)
    for forged in (
        fake.hook(unit, secret="guess"),
        good.replace(b"right", b"left+"),
        good.partition(b"&signature")[0],
        b"",
    ):
        with pytest.raises(BadNotice):
            platform.read_webhook(Webhook({}, forged), given)
    with pytest.raises(Malformed, match="data is missing"):
        platform.read_webhook(Webhook({}, fake.hook({"what": 1})), given)
    keyless = access(fake, key="", hook_tokens="")
    with pytest.raises(BadNotice):
        platform.read_webhook(Webhook({}, fake.hook(unit, secret="")), keyless)


def test_a_report_is_read_when_it_is_made(fake: FakeFigureEight) -> None:
    account = opened(fake)
    offer = account.publish(PAIRS, AttemptHistory().attempt("one"))
    fake.judge(fake.open_units()[0], {"preference": "left"})
    assert list(account.poll([offer], {})) == [], "202: it is being made"
    told = [answer for event in account.poll([offer], {}) for answer in event.answers]
    assert [one.task for one in told] == ["1-1"]
    fake.faults = [Reply(200, b"no zip")]
    with pytest.raises(PlatformUnreachable):
        list(account.poll([offer], {}))
    for path in ("", "renew.json"):
        before = len(fake.calls("POST /v1/jobs/632001/"))
        fake.faults = [Reply(200, fake.report_of("632001")), *[Reply(200, {})] * bool(path)]
        assert list(opened(fake, {"regenerate": path, "report": "full"}).poll([offer], {}))
        asked = [one.path for one in fake.calls("POST /v1/jobs/632001/")[before:]]
        assert asked == ([f"/v1/jobs/632001/{path}"] if path else []), "as the option says"
        assert fake.calls("GET /v1/jobs/632001.csv")[-1].query == {"type": "full"}


def test_calls_keep_the_distance_that_the_installation_asks_for(
    fake: FakeFigureEight, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    opened(fake, gap_seconds="30").publish(PAIRS, AttemptHistory().attempt("one"))
    assert len(slept) == len(fake.requests)
    assert slept[0] == 0.0 and all(29 < one <= 30 for one in slept[1:])


def test_places_frame_our_page_and_want_a_code_that_begins_as_theirs(fake: FakeFigureEight) -> None:
    account, platform = opened(fake, SLOTS), make_platform("figure-eight", SLOTS)
    offer = account.publish(PLACES, AttemptHistory().attempt("one"))
    first, second = (one["data"] for one in fake.open_units())
    assert first["slot"] != second["slot"] and first["code"] != second["code"]
    (job,) = fake.jobs.values()
    assert f'<iframe src="{URL}?slot={{{{slot}}}}&amp;code=' in job["cml"]
    query = {name: str(first[name]) for name in ("slot", "code", "offer")}
    arrival = platform.identify(query, access(fake))
    assert (arrival.session, arrival.offer) == (first["slot"], offer)
    code = platform.finish(arrival, Receipt("t", "RECEIPT", 3), access(fake))
    assert code == CompletionCode(f"{first['code']}-RECEIPT")
    assert platform.is_preview({"slot": "{{slot}}"})
    with pytest.raises(BadArrival):
        platform.identify({"slot": "x"}, access(fake))
    framed = access(fake, frame_sites="https://work.example.org, https://b.example.org/x")
    assert list(platform.frame_ancestors(framed)) == [
        "https://work.example.org",
        "https://b.example.org",
    ]


def test_an_offer_that_ends_leaves_no_open_units(fake: FakeFigureEight) -> None:
    account = opened(fake)
    offer = account.publish(PAIRS, AttemptHistory().attempt("one"))
    fake.judge(fake.open_units()[0], {"preference": "left"})
    account.expire(offer, AttemptHistory().attempt("e"))
    assert not fake.open_units()
    assert [one["state"] for one in fake.units.values()].count("finalized") == 1


def test_a_bonus_is_never_paid_twice_even_if_nobody_knows(fake: FakeFigureEight) -> None:
    account, history = opened(fake, SLOTS), AttemptHistory()
    offer = account.publish(PLACES, history.attempt("one"))
    unit = fake.open_units()[0]
    fake.judge(unit, {"receipt": "x"}, worker=42)
    submission = Submission(unit["data"]["slot"], "slot:x", Stage.SUBMITTED, offer)
    job = offer.partition(":")[0]
    fake.loses_answer_after = f"POST /v1/jobs/{job}/workers/42/bonus"
    for _ in range(2):
        with pytest.raises(PlatformRefused, match="may have been paid"):
            account.bonus(submission, 25, "Thanks", history.attempt("b"))
    assert fake.bonuses == [(job, "42", 25)]
    account.reject(submission, "why", history.attempt("r"))
    account.keep_away(f"slot:{unit['data']['slot']}", history.attempt("k"))
    assert (fake.rejected, fake.flagged) == (["42"], ["42"])


# -- whole studies --------------------------------------------------------------------------------


@pytest.fixture
def service(fake: FakeFigureEight, sqlite_url: str) -> Iterator[InProcess]:
    """A service that may hire at the fake Figure Eight."""
    settings: dict[str, Any] = {
        "public_url": "https://judge.example.org",
        "platforms": {"figure_eight": given_to(fake)},
        "runner_seconds": 0,
    }
    with installed(sqlite_url, **settings) as made:
        yield made


@pytest.fixture
def runner(service: InProcess) -> Iterator[Runner]:
    """What looks after it."""
    made = Runner(service.app.state.service, service.clock)
    yield made
    made.resign()


def begin(service: InProcess, **options: Any) -> None:
    hiring = {"questions": 2, "reward": 30, "budget": 2000, "at_once": 2, "bonus": 5}
    service.make_study(platform="figure-eight", platform_options=options, hiring=hiring)
    service.make_topic(5)
    service.post(f"{AT}/hiring", {"state": "running"})


def test_a_study_is_judged_as_units_by_webhooks_that_come_twice_and_out_of_order(
    fake: FakeFigureEight, service: InProcess, runner: Runner
) -> None:
    begin(service)
    news = service.get(f"{AT}/hiring")["news"].removeprefix("https://judge.example.org")
    late: list[bytes] = []
    for _ in range(40):
        service.clock.move(15)
        runner.tick()
        units = fake.open_units()
        bodies = []
        for unit in units:
            data = unit["data"]
            left, right = (int(data[side].rsplit(" ", 1)[1]) for side in ("text_a", "text_b"))
            fake.judge(unit, {"preference": "left" if left < right else "right"})
            bodies.append(fake.hook(unit))
        for body in [*reversed(bodies), *bodies]:
            assert service.http.post(news, content=body).status_code == 200
        late += bodies
        forged = fake.hook(units[0], secret="guess") if units else b""
        assert service.http.post(news, content=forged).status_code == 401
        if not units and service.get(f"{AT}/progress")["finished"]:
            break
    assert service.get(f"{ON_TOPIC}/ranking")["classes"] == [[f"d{n}"] for n in range(1, 6)]
    answered = service.get(f"{ON_TOPIC}/judgments")["items"]
    for body in late:
        assert service.http.post(news, content=body).status_code == 200
    service.clock.move(15)
    runner.tick()
    assert service.get(f"{ON_TOPIC}/judgments")["items"] == answered, "late ones tell nothing new"
    about = service.get(f"{AT}/hiring")
    pages = sum(about["offers"].values())
    assert about["spent"] == pages * 36 <= about["budget"] and about["reserved"] == 0


def test_a_place_is_judged_here_and_paid_for_its_code(
    fake: FakeFigureEight, service: InProcess, runner: Runner
) -> None:
    begin(service, way="slots")
    service.clock.move(15)
    runner.tick()
    first, second = fake.open_units()[:2]
    query = {name: first["data"][name] for name in ("slot", "code", "offer")}
    came = service.http.get(
        f"/judge/answers/enter?{'&'.join(f'{k}={v}' for k, v in query.items())}"
    )
    token = str(came.url).partition("#")[2]
    for _ in range(2):
        (one,) = service.post("/v1/session/next", {}, bearer=token)["assignments"]
        service.judge(one, by_number(one), bearer=one["token"])
    told = service.post("/v1/session/finish", {}, bearer=token)
    assert told["code"].startswith(f"{first['data']['code']}-")
    fake.judge(first, {"receipt": told["code"]}, worker=42)
    fake.judge(second, {"receipt": f"{second['data']['code']}-GUESSED"}, worker=43)
    for _ in range(4):
        service.clock.move(15)
        runner.tick()
    about = service.get(f"{AT}/hiring")
    assert about["submissions"] == {"accepted": 1}, "nobody is paid for a code that was guessed"
    assert [(worker, cents) for _, worker, cents in fake.bonuses] == [("42", 5)]
