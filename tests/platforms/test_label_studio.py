"""Label Studio: pairs go there in batches, answers come back, change, and vanish."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json, installed
from platforms.attempt_history import AttemptHistory
from platforms.fake_label_studio import FakeLabelStudio
from platforms.fake_server import Reply, serving
from pydantic import SecretStr

from nextpair.app.errors import BadNotice, Malformed, PlatformDenied, PlatformUnreachable
from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.messages import Offer, Task, TaskAnswer, Webhook
from nextpair.app.platforms.registry import make_platform, read_access

WEBHOOK_URL = "https://judge.example.org/v1/studies/s/news/abc"
TOPIC = {"id": "coffee", "title": "Coffee", "description": "", "narrative": ""}
DOCUMENTS = [{"id": n, "title": n, "text": f"text {n}", "html": None, "url": None} for n in "ab"]
TASKS = [Task(f"1-{n}", TOPIC, DOCUMENTS) for n in range(1, 4)]
GOLD = Task("gold-1-1", TOPIC, DOCUMENTS, {"preference": "left"})
OFFER = Offer(
    "s", 1, "A study", "Compare.", "", 1, 3, 0, "USD", tasks=[*TASKS, GOLD], webhook_url=WEBHOOK_URL
)
SECRET = "our-word"


@pytest.fixture
def fake() -> Iterator[FakeLabelStudio]:
    """A Label Studio of our own."""
    with serving(FakeLabelStudio()) as running:
        yield running


def access(fake: FakeLabelStudio, **more: str) -> Any:
    values = {"url": fake.url, "token": fake.token, "hook_secret": SECRET, **more}
    given = {"label_studio": {name: SecretStr(value) for name, value in values.items()}}
    return read_access("label-studio", given)


def opened(fake: FakeLabelStudio, **more: str) -> Account:
    return fake.opened(make_platform("label-studio", {}).open(access(fake, **more)))


def answers(account: Account, offer: str) -> dict[str, TaskAnswer]:
    return {one.task: one for event in account.poll([offer], {}) for one in event.answers}


def test_a_batch_goes_into_the_studys_one_project(fake: FakeLabelStudio) -> None:
    history, account = AttemptHistory(), opened(fake)
    account.publish(OFFER, history.attempt("one"))
    later = Offer(
        "s", 2, "A study", "", "", 1, 1, 0, "USD", tasks=[TASKS[0]], webhook_url=WEBHOOK_URL
    )
    account.publish(later, history.attempt("two"))
    assert len(fake.projects) == len(fake.webhooks) == 1
    assert [one["data"]["nextpair_task"] for one in fake.tasks.values()] == [
        "1-1",
        "1-2",
        "1-3",
        "1-1",
    ], "and no question whose answer is known"
    (hook,) = fake.webhooks.values()
    assert hook["headers"] == {"X-Nextpair-Secret": SECRET}


@pytest.mark.parametrize(
    "step", ["POST /api/projects/", "POST /api/webhooks/", "POST /api/projects/1/import"]
)
def test_a_process_that_dies_while_publishing_publishes_once(
    fake: FakeLabelStudio, step: str
) -> None:
    history, account = AttemptHistory(), opened(fake)
    fake.loses_answer_after = step
    with pytest.raises(PlatformUnreachable):
        account.publish(OFFER, history.attempt("one"))
    account.publish(OFFER, history.attempt("one"))
    assert (len(fake.projects), len(fake.webhooks), len(fake.tasks)) == (1, 1, 3)


def test_answers_are_read_and_only_words_that_are_ours(fake: FakeLabelStudio) -> None:
    account = opened(fake)
    offer = account.publish(OFFER, AttemptHistory().attempt("one"))
    one, two, three = fake.tasks
    fake.annotate(one, "left", user=7)
    fake.annotate(two, "equal")
    fake.annotate(three, "tie")
    told = answers(account, offer)
    assert told["1-1"].answer == {"preference": "left"}
    assert (told["1-1"].worker, told["1-1"].seconds) == ("label-studio:7", 7.3)
    assert told["1-2"].answer == {"preference": "equal"}
    assert told["1-3"].answer is None


def test_an_offer_that_ends_leaves_no_open_questions(fake: FakeLabelStudio) -> None:
    account = opened(fake)
    offer = account.publish(OFFER, AttemptHistory().attempt("one"))
    fake.annotate(next(iter(fake.tasks)), "left")
    for _ in range(2):
        account.expire(offer, AttemptHistory().attempt("e"))
    assert len(fake.tasks) == 1 and not fake.open_tasks()


def test_a_wrong_token_and_a_server_that_is_away_are_told_apart(fake: FakeLabelStudio) -> None:
    with pytest.raises(PlatformDenied) as denied:
        opened(fake, token="hunter2").publish(OFFER, AttemptHistory().attempt("one"))
    assert "hunter2" not in str(denied.value)
    fake.faults = [Reply(502, b"<html>")]
    with pytest.raises(PlatformUnreachable):
        opened(fake).publish(OFFER, AttemptHistory().attempt("one"))


def hook_of(annotation: Json, task: str = "1-1", action: str = "ANNOTATION_CREATED") -> bytes:
    data = {"nextpair_task": task}
    content = {"action": action, "annotation": annotation, "task": {"data": data}}
    return json.dumps(content).encode()


def test_a_webhook_must_bring_the_secret_it_was_given(fake: FakeLabelStudio) -> None:
    platform, given = make_platform("label-studio", {}), access(fake)
    opened(fake).publish(OFFER, AttemptHistory().attempt("one"))
    body = hook_of(fake.annotate(next(iter(fake.tasks)), "right"))
    headers = {"x-nextpair-secret": SECRET}
    (event,) = platform.read_webhook(Webhook(headers, body), given)
    assert event.answers[0].answer == {"preference": "right"}
    assert platform.read_webhook(Webhook(headers, hook_of({}, action="TASKS_CREATED")), given) == []
    for forged in (Webhook({}, body), Webhook({"X-Nextpair-Secret": "x"}, body)):
        with pytest.raises(BadNotice):
            platform.read_webhook(forged, given)
    with pytest.raises(Malformed, match="not JSON"):
        platform.read_webhook(Webhook(headers, b"["), given)
    with pytest.raises(BadNotice):
        platform.read_webhook(Webhook(headers, body), access(fake, hook_secret=""))


# -- a whole study --------------------------------------------------------------------------------


class Studio:
    """A service whose study is judged in Label Studio."""

    def __init__(self, service: InProcess, fake: FakeLabelStudio) -> None:
        self.service, self.fake = service, fake
        self.runner = Runner(service.app.state.service, service.clock)
        service.make_study(platform="label-studio", hiring={"questions": 2, "at_once": 2})
        service.make_topic(6)
        service.post(f"{AT}/hiring", {"state": "running"})

    def tick(self) -> None:
        """Let the runner look."""
        self.service.clock.move(15)
        self.runner.tick()

    def answer_all(self) -> int:
        """Let someone answer what is open, the smaller number better."""
        tasks = self.fake.open_tasks()
        for one in tasks:
            left, right = (_number(one["data"][side]) for side in ("text_a", "text_b"))
            self.fake.annotate(one["id"], "left" if left < right else "right")
        return len(tasks)

    def log(self) -> list[Json]:
        """List the judgments, also retracted ones."""
        return list(self.service.get(f"{ON_TOPIC}/judgments")["items"])


def _number(text: str) -> int:
    return int(text.rsplit(" ", 1)[1])


@pytest.fixture
def studio(fake: FakeLabelStudio, sqlite_url: str) -> Iterator[Studio]:
    """A study that is judged in the fake Label Studio."""
    given = {"url": fake.url, "token": fake.token, "hook_secret": SECRET}
    settings: dict[str, Any] = {
        "public_url": "https://judge.example.org",
        "platforms": {"label_studio": given},
        "runner_seconds": 0,
    }
    with installed(sqlite_url, **settings) as service:
        made = Studio(service, fake)
        yield made
        made.runner.resign()


def test_a_study_is_judged_in_label_studio_to_its_end(studio: Studio) -> None:
    rounds = 0
    studio.tick()
    assert len(studio.fake.tasks) <= 4, "no more than two batches of two at once"
    while studio.answer_all():
        rounds += 1
        studio.tick()
        assert rounds < 50
    ranking = studio.service.get(f"{ON_TOPIC}/ranking")["classes"]
    assert ranking == [[f"d{n}"] for n in range(1, 7)]
    assert rounds > 2, "the questions were chosen as answers came back"
    assert {one["worker"] for one in studio.log()} == {"label-studio:1"}
    before = len(studio.log())
    studio.tick()
    assert len(studio.log()) == before, "the same answers again are the same"


def test_an_answer_that_changes_or_vanishes_there_does_so_here(studio: Studio) -> None:
    studio.tick()
    task = next(iter(studio.fake.tasks))

    def standing() -> list[str]:
        log = studio.log()
        return [one["answer"]["preference"] for one in log if one["retracted"] is None]

    for said, expected in (("left", ["left"]), ("right", ["right"]), ("tie", [])):
        studio.fake.annotate(task, said)
        studio.tick()
        assert standing() == expected
    studio.fake.annotate(task, "left")
    studio.tick()
    assert standing() == ["left"]
    studio.fake.tasks[task]["annotations"] = []
    studio.tick()
    assert standing() == []


def test_an_answer_for_a_question_that_was_never_sent_there_changes_nothing(
    studio: Studio,
) -> None:
    studio.tick()
    own = studio.service.one("ann")
    task = next(iter(studio.fake.tasks.values()))
    task["data"]["nextpair_task"] = own["id"]
    studio.fake.annotate(task["id"], "left")
    studio.tick()
    assert studio.log() == []


def test_what_is_retracted_here_stays_so(studio: Studio) -> None:
    studio.tick()
    studio.fake.annotate(next(iter(studio.fake.tasks)), "left")
    studio.tick()
    number = studio.log()[0]["number"]
    body = {"judgments": [{"topic": "coffee", "numbers": [number]}], "reason": "a mistake"}
    studio.service.post(f"{AT}/retractions", body)
    studio.tick()
    assert len(studio.log()) == 1 and studio.log()[0]["retracted"] is not None
