"""Malformed messages of platforms: they are refused, and other studies go on."""

import json
import logging
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from in_process import AT, InProcess, Json, installed, refusal
from platforms import fake_mturk_server
from platforms.corruption import corrupted, corrupted_bytes
from platforms.fake_server import FakePlatform, Reply
from platforms.fake_sns import TOPIC_ARN
from platforms.hiring_study import HIRING, HiringStudy, enter, judge
from platforms.scenarios import PUBLIC, Scenario
from platforms.session_scenarios import MTurkScenario, ProlificScenario, SlotsScenario
from platforms.task_scenarios import WEBHOOK_SECRET, LabelStudioScenario, UnitsScenario, preferred

from nextpair.app.hiring.runner import Runner
from nextpair.app.hiring.validating_account import ValidatingAccount
from nextpair.app.platforms.base import Account
from nextpair.app.web.middleware import JsonFormatter
from nextpair.storage import hirings
from nextpair.storage.hiring_rows import InboxMessage

EXAMPLES, TICKS = 30, 10
STEADY = "/v1/studies/steady"
SCENARIOS: list[type[Scenario]] = [
    MTurkScenario,
    ProlificScenario,
    SlotsScenario,
    UnitsScenario,
    LabelStudioScenario,
]
NAMES = [kind.__name__ for kind in SCENARIOS]
Send = Callable[[Any], tuple[bytes, dict[str, str]]]


class RecordedLog(logging.Handler):
    """Records the log as it is written."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Record a line."""
        self.lines.append(JsonFormatter().format(record))


class TwoStudies:
    """A study on a platform that sends malformed messages, and one on another platform."""

    def __init__(self, scenario: Scenario, steady: Scenario, service: InProcess) -> None:
        self.scenario, self.steady, self.service = scenario, steady, service
        self.runner = Runner(service.app.state.service, service.clock)
        self.worked = 0

    def look(self) -> None:
        """Let the runner tick, which may pause the first study only."""
        before = self._asked()
        self.service.clock.move(61)
        assert self.runner.tick()
        assert self._asked() > before, "the other study was not served"

    def _asked(self) -> int:
        fake: Any = self.steady.fake  # type: ignore[attr-defined]
        return len(fake.calls if isinstance(self.steady, MTurkScenario) else fake.requests)

    def go_on(self) -> None:
        """Start hiring again, as an owner would who has read why it pauses."""
        self.service.post(f"{AT}/hiring", {"state": "running"})

    def hiring(self) -> Json:
        """The hiring status of the first study."""
        return dict(self.service.get(f"{AT}/hiring"))

    def post(self, body: bytes, headers: dict[str, str]) -> int:
        """Post a webhook, and return the status."""
        where = str(self.hiring()["news"]).removeprefix(PUBLIC)
        response = self.service.http.post(where, content=body, headers=headers)
        if response.status_code != 200:
            assert response.json()["detail"]
        return int(response.status_code)

    def stored(self) -> int:
        """Count the messages in the inbox."""
        with self.service.app.state.service.database.read() as connection:
            found = connection.exec_driver_sql("SELECT count(*) FROM notices").scalar_one()
        return int(found)

    def pay_steady(self) -> None:
        """Let a worker of the other study work, who must be paid."""
        spent = self.service.get(f"{STEADY}/hiring")["spent"]
        worker = f"STEADY{self.worked}"
        self.worked += 1
        if isinstance(self.steady, MTurkScenario):
            HiringStudy(self.service, self.steady.fake).work("A" + worker)
        else:
            assert isinstance(self.steady, ProlificScenario)
            fake = self.steady.fake
            active = (name for name, one in fake.studies.items() if one["status"] == "ACTIVE")
            study = next(name for name in active if fake.has_room(name))
            session = fake.take(study, worker)
            names = {"PROLIFIC_PID": worker, "SESSION_ID": session, "STUDY_ID": study}
            token = enter(self.service, f"{PUBLIC}/judge/steady/enter", names)
            judge(self.service, token)
            self.service.post("/v1/session/finish", {}, bearer=token)
            fake.end(session)
        self.look()
        self.steady.settle_payments()
        assert self.service.get(f"{STEADY}/hiring")["spent"] > spent


@contextmanager
def listening() -> Iterator[RecordedLog]:
    """Record the log; a starting application removes all handlers."""
    told, log = RecordedLog(), logging.getLogger("nextpair")
    log.addHandler(told)
    try:
        yield told
    finally:
        log.removeHandler(told)


@contextmanager
def two(kind: type[Scenario], url: str, **access: str) -> Iterator[TwoStudies]:
    other = ProlificScenario if kind is not ProlificScenario else MTurkScenario
    with ExitStack() as stack:
        scenario, steady = (stack.enter_context(one.running_platform()) for one in (kind, other))
        given = {
            scenario.platform.replace("-", "_"): {**scenario.access(), **access},
            steady.platform: steady.access(),
        }
        service = stack.enter_context(installed(url, public_url=PUBLIC, platforms=given))
        scenario.prepare(service, size=12)
        service.make_study(
            "steady",
            platform=steady.platform,
            hiring={**HIRING, "on_failure": "pay", "budget": 10_000},
        )
        service.make_topic(30, study="steady")
        service.post(f"{STEADY}/hiring", {"state": "running"})
        made = TwoStudies(scenario, steady, service)
        made.look()
        yield made
        made.runner.resign()


def mturk_hook(made: TwoStudies) -> tuple[Any, Send]:
    events = [{"EventType": "AssignmentReturned", "HITId": "H1", "AssignmentId": "A1"}]
    told = {"Type": "Notification", "TopicArn": TOPIC_ARN, "MessageId": "m"}

    def send(document: Any) -> tuple[bytes, dict[str, str]]:
        return json.dumps({**told, "Message": json.dumps(document)}).encode(), {}

    return {"Events": events, "EventDocId": "doc"}, send


def prolific_hook(made: TwoStudies) -> tuple[Any, Send]:
    assert isinstance(made.scenario, ProlificScenario)
    fake = made.scenario.fake

    def send(content: Any) -> tuple[bytes, dict[str, str]]:
        headers, body = fake.hook(content, event=str(random.random()))
        return body, headers

    about = {"event_type": "submission.status.change", "resource_id": "s", "status": "RETURNED"}
    return {**about, "participant_id": "p"}, send


def figure_eight_hook(made: TwoStudies) -> tuple[Any, Send]:
    fake: Any = made.scenario.fake  # type: ignore[attr-defined]
    unit = json.loads(json.dumps(fake.open_units()[0]))
    fake.judge(unit, {"preference": "left", "receipt": "x"})
    return unit, lambda content: (fake.hook(content), {})


def label_studio_hook(made: TwoStudies) -> tuple[Any, Send]:
    assert isinstance(made.scenario, LabelStudioScenario)
    task = json.loads(json.dumps(made.scenario.fake.open_tasks()[0]))
    result = {"type": "pairwise", "value": {"selected": "left"}}
    about = {"id": 9, "completed_by": 1, "was_cancelled": False, "lead_time": 7.3}
    annotation = {**about, "updated_at": "2026-11-18T01:00:00Z", "result": [result]}
    told = {"action": "ANNOTATION_CREATED", "annotation": annotation, "task": task}
    return told, lambda content: (
        json.dumps(content).encode(),
        {"X-Nextpair-Secret": WEBHOOK_SECRET},
    )


HOOKS = [mturk_hook, prolific_hook, figure_eight_hook, figure_eight_hook, label_studio_hook]


@pytest.mark.parametrize(("kind", "hook"), list(zip(SCENARIOS, HOOKS, strict=True)), ids=NAMES)
def test_odd_webhooks_that_are_signed_are_refused_and_stop_nothing(
    kind: type[Scenario], hook: Callable[[TwoStudies], tuple[Any, Send]], sqlite_url: str
) -> None:
    access = {"signed": "false"} if kind is MTurkScenario else {}
    with two(kind, sqlite_url, **access) as made:
        content, send = hook(made)
        chance = random.Random(kind.__name__)
        answered = []
        for number in range(EXAMPLES):
            status = made.post(*send(corrupted(content, chance)))
            assert status in (200, 401, 422), "an odd message is the sender's mistake"
            answered.append(status)
            if number % 10 == 9:
                made.look()
        assert 422 in answered
        for body in (b"", b"[", b"[" * 100_000, b"\xff", b"payload=%ED%A0%80&signal=x&signature=y"):
            assert made.post(body, send(content)[1]) in (200, 401, 422)
        made.look()
        assert made.hiring()["warnings"] == []
        made.pay_steady()


@pytest.mark.parametrize("kind", SCENARIOS, ids=NAMES)
def test_odd_answers_of_a_platform_are_the_trouble_of_its_own_studies(
    kind: type[Scenario], sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    with two(kind, sqlite_url) as made, listening() as told:
        chance = random.Random(kind.__name__)
        _bring_in_work(made)
        with _corrupting(made, chance, monkeypatch):
            for number in range(TICKS):
                made.look()
                if made.hiring()["state"] != "running" and number % 3 == 0:
                    made.go_on()
                if number % 10 == 9:
                    made.pay_steady()
        assert made.hiring()["message"] or made.hiring()["state"] == "running"
        made.go_on()
        made.look()
        made.pay_steady()
    assert told.lines and "Traceback" not in "".join(told.lines)


def _bring_in_work(made: TwoStudies) -> None:
    """Let workers do something for the platform to report."""
    scenario: Any = made.scenario
    if isinstance(scenario, MTurkScenario):
        HiringStudy(made.service, scenario.fake).work("AODD", fool=True)
    elif isinstance(scenario, ProlificScenario):
        scenario._work(made.service, "odd")
    elif isinstance(scenario, SlotsScenario):
        scenario._work(made.service, 7)
    elif isinstance(scenario, UnitsScenario):
        scenario._answer(None)
    else:
        for task in scenario.fake.open_tasks():
            scenario.fake.annotate(task["id"], preferred(task["data"]))


@contextmanager
def _corrupting(
    made: TwoStudies, chance: random.Random, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Let a platform corrupt every third answer."""
    scenario: Any = made.scenario
    with monkeypatch.context() as patched:
        if isinstance(scenario, MTurkScenario):
            send = fake_mturk_server._Handler._send

            def mad(self: Any, status: int, body: bytes, kind: str) -> None:
                wrong = status == 200 and chance.random() < 0.3
                send(self, status, corrupted_bytes(body, chance) if wrong else body, kind)

            patched.setattr(fake_mturk_server._Handler, "_send", mad)
        else:
            fake: FakePlatform = scenario.fake
            answer = fake.answer

            def answered(request: Any) -> Reply:
                reply = answer(request)
                if reply.status >= 300 or chance.random() > 0.3:
                    return reply
                return Reply(200, corrupted_bytes(reply.content, chance), reply.headers)

            patched.setattr(fake, "answer", answered)
        yield


def _annotated(made: TwoStudies, who: str) -> tuple[Json, Send]:
    """Let someone answer a task, and return what is told of it."""
    assert isinstance(made.scenario, LabelStudioScenario)
    fake = made.scenario.fake
    content, send = label_studio_hook(made)
    done = fake.annotate(content["task"]["id"], "left", user=who)  # type: ignore[arg-type]
    return {**content, "annotation": done}, send


def test_what_is_wrong_with_a_webhook_is_told_precisely(sqlite_url: str) -> None:
    with two(LabelStudioScenario, sqlite_url) as made:
        content, send = label_studio_hook(made)
        for value, words in (
            ([7], "annotation.lead_time must be a number of seconds"),
            (float("nan"), "not JSON"),
            (-3, "annotation.lead_time must be a number of seconds"),
        ):
            content["annotation"]["lead_time"] = value
            body, headers = send(content)
            where = str(made.hiring()["news"]).removeprefix(PUBLIC)
            response = made.service.http.post(where, content=body, headers=headers)
            assert words in refusal(response, 422, "malformed")["detail"]
        assert made.stored() == 0


def test_a_notice_that_fails_again_and_again_is_set_aside_and_the_owner_is_told(
    database_url: str,
) -> None:
    with two(LabelStudioScenario, database_url) as made:
        service = made.service.app.state.service
        study = service.study_id("answers")
        odd_ones: list[Json] = [
            {"id": "x", "submissions": [{"session": 7}], "answers": [], "offers": []},
            {"id": "y", "submissions": "none"},
            {"id": "z", "answers": [{"id": "1", "task": "1-1", "worker": "w", "answer": {},
                                     "seconds": [1]}]},
        ]  # fmt: skip
        with service.database.write() as connection:
            for content in odd_ones:
                row = InboxMessage(study, str(content["id"]), content, 1.0, None)
                hirings.add_message(connection, row)
        content, send = _annotated(made, "ann")
        assert made.post(*send(content)) == 200
        with listening() as told:
            for _ in range(5):
                made.look()
        about = made.hiring()
        assert about["state"] == "running"
        (warning,) = about["warnings"]
        assert warning.startswith("3 messages of the platform could not be taken in.")
        assert made.service.get(f"{AT}/pace")["paid"]["warnings"] == [warning]
        assert made.service.get(f"{AT}/progress")["judgments"] == 1, "the good one is taken in"
        kinds = [one["kind"] for one in made.service.get(f"{AT}/activity")["items"]]
        assert kinds.count("set_aside") == 3
        assert len([line for line in told.lines if "set aside" in line]) == 3, "each once"
        made.pay_steady()


def test_the_log_of_hiring_names_no_worker(sqlite_url: str) -> None:
    with two(LabelStudioScenario, sqlite_url) as made, listening() as told:
        # Answers before, so that the worker can be blocked.
        content, send = _annotated(made, "jane.doe")
        assert made.post(*send(content)) == 200
        made.look()
        worker = "label-studio:jane.doe"
        blocked = made.service.send("PATCH", f"{AT}/workers/{worker}", {"status": "blocked"})
        assert blocked.status_code == 200, blocked.text
        told.lines.clear()
        content, send = _annotated(made, "jane.doe")
        assert made.post(*send(content)) == 200
        made.scenario.fake.faults.append(Reply(500, {"detail": "jane.doe broke it"}))  # type: ignore
        made.look()
        assert "jane.doe broke it" in made.hiring()["message"], "the owner is told"
        assert any("left out" in line for line in told.lines)
        assert any("pauses" in line for line in told.lines)
        assert "jane" not in "".join(told.lines)


def test_every_call_to_a_platform_is_validated() -> None:
    calls = {name for name in vars(Account) if not name.startswith("_")}
    assert calls == {name for name in vars(ValidatingAccount) if not name.startswith("_")}
