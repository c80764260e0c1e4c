"""Messages as platforms send them, through the doors that they would come by.

Those in `tests/data/platforms` were made up for this; where the collection that the project was
planned with lies beside the repository, the same is done with its own.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode
from xml.etree import ElementTree

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json, installed
from platforms.fake_server import serving
from platforms.fake_sns import Signer
from platforms.hiring_study import HiringStudy, enter, judge
from platforms.scenarios import ENTRANCE, PUBLIC, Scenario, post_webhook
from platforms.session_scenarios import MTurkScenario, ProlificScenario
from platforms.task_scenarios import WEBHOOK_SECRET, LabelStudioScenario, UnitsScenario

from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.accounts.mturk_messages import fields_in
from nextpair.app.platforms.messages import Offer
from nextpair.app.platforms.mturk import MTurk
from nextpair.app.platforms.registry import make_platform

OWN = Path(__file__).parents[1] / "data" / "platforms"
SHARED = Path(__file__).parents[3] / "shared" / "platforms" / "fixtures"


@pytest.fixture(params=["own", "shared"])
def folder(request: pytest.FixtureRequest) -> Path:
    """Where messages lie."""
    if request.param == "own":
        return OWN
    if not SHARED.is_dir():
        pytest.skip("there is no ../shared/platforms/fixtures beside the repository")
    return SHARED


@contextmanager
def staged(
    kind: type[Scenario], url: str, options: Json | None = None, **access: str
) -> Iterator[tuple[Any, InProcess, Runner]]:
    """A study that hires, with its first offer published."""
    with kind.running_platform() as scenario:
        given = {scenario.platform.replace("-", "_"): {**scenario.access(), **access}}
        with installed(url, public_url=PUBLIC, platforms=given) as service:
            scenario.prepare(service)
            if options is not None:
                service.send("PATCH", AT, {"platform_options": options})
            runner = Runner(service.app.state.service, service.clock)
            tick(service, runner)
            try:
                yield scenario, service, runner
            finally:
                runner.resign()


def tick(service: InProcess, runner: Runner) -> None:
    service.clock.move(15)
    runner.tick()


def log(service: InProcess) -> list[Json]:
    return list(service.get(f"{ON_TOPIC}/judgments")["items"])


def test_units_of_figure_eight_count_once_and_only_as_they_were_signed(
    folder: Path, sqlite_url: str
) -> None:
    form = (folder / "f8_unit_complete.form").read_bytes().strip()
    secret = (folder / "f8_secret.txt").read_text().strip()
    with staged(UnitsScenario, sqlite_url, hook_tokens=secret) as (scenario, service, runner):
        for name in ("f8_unit_complete.form", "f8_unit_complete_empty.form"):
            post_webhook(service, (folder / name).read_bytes().strip())
        for bad in (form.replace(b"finalized", b"finalised", 1), form[:-1], form[:-1] + b"x"):
            post_webhook(service, bad, status=401)
        tick(service, runner)
        assert log(service) == [], "these units are not of this study"

        # The same unit, were it one of ours.
        unit = json.loads((folder / "f8_unit_complete.payload.json").read_text())
        assert json.loads(parse_qs(form.decode())["payload"][0]) == unit
        unit["data"] |= scenario.fake.open_units()[0]["data"]
        scenario.fake.hook_token = secret
        for _ in range(2):
            post_webhook(service, scenario.fake.hook(unit))
        tick(service, runner)
        (one,) = log(service)
        last = unit["results"]["judgments"][-1]
        assert one["worker"] == f"figure-eight:{last['worker_id']}"
        assert one["answer"]["preference"] == last["data"]["preference"]


def test_an_annotation_of_label_studio_counts_once(folder: Path, sqlite_url: str) -> None:
    told = json.loads((folder / "labelstudio_annotation_created.json").read_text())
    headers = {"X-Nextpair-Secret": WEBHOOK_SECRET}
    with staged(LabelStudioScenario, sqlite_url) as (scenario, service, runner):
        post_webhook(service, json.dumps(told).encode(), headers)
        post_webhook(service, json.dumps(told).encode(), status=401)
        tick(service, runner)
        assert log(service) == [], "it is of another project"
        task = scenario.fake.open_tasks()[0]
        task["annotations"] = [told["annotation"]]
        told["task"]["data"] |= task["data"]
        for _ in range(2):
            post_webhook(service, json.dumps(told).encode(), headers)
        tick(service, runner)
        (one,) = log(service)
        annotation = told["annotation"]
        assert one["worker"] == f"label-studio:{annotation['completed_by']}"
        assert one["seconds"] == annotation["lead_time"]
        chosen = annotation["result"][0]["value"]["selected"]
        assert one["answer"]["preference"] == chosen


def test_answers_of_mturk_are_read_and_a_receipt_that_is_not_ours_is_left_to_a_person(
    folder: Path, sqlite_url: str
) -> None:
    plain, packed = ((folder / f"mturk_answer{more}.xml") for more in ("", "_taskAnswers"))
    assert "receipt" in fields_in(plain.read_text())
    assert "completion_code" in fields_in(packed.read_text())
    with staged(MTurkScenario, sqlite_url) as (scenario, service, runner):
        one = HiringStudy(service, scenario.fake)
        for worker, answer in (("AW1", plain), ("AW2", packed)):
            taken = one.take(worker)
            token = one.enter(taken)
            one.judge(token)
            service.post("/v1/session/finish", {}, bearer=token)
            scenario.fake.mturk.submit(taken.id, answer.read_text())
        tick(service, runner)
        assert one.hiring["submissions"] == {"held": 2}
        wrong = "the receipt is not the one that was given for this session"
        assert {each["message"] for each in one.done("hold")} == {wrong}


def test_a_question_of_mturk_is_as_it_must_be(folder: Path) -> None:
    wanted = (folder / "mturk_external_question.xml").read_text()
    address, height = ElementTree.fromstring(wanted)
    platform = make_platform("mturk", {"frame_height": int(height.text or "")})
    assert isinstance(platform, MTurk)
    offer = Offer("s", 1, "S", "", address.text or "", 1, 1, 1, "USD")
    made = platform.hit(offer, "T", "token")["Question"]
    assert ElementTree.canonicalize(made) == ElementTree.canonicalize(wanted)


def test_what_sns_posts_is_taken_once_and_only_signed(folder: Path, sqlite_url: str) -> None:
    told, confirm = (
        json.loads((folder / f"mturk_sns_{kind}.json").read_text())
        for kind in ("notification", "subscription_confirmation")
    )
    options, headers = {"topic": told["TopicArn"]}, {"Content-Type": "text/plain; charset=UTF-8"}
    with serving(Signer()) as signer:
        access = {"certificate_sites": signer.url}
        with staged(MTurkScenario, sqlite_url, options, **access) as (_, service, _):
            for one in (told, confirm):
                post_webhook(service, json.dumps(one).encode(), headers, status=401)
                for version in ("1", "2"):
                    body = json.dumps(signer.sign(one, version)).encode()
                    post_webhook(service, body, headers)
            with service.app.state.service.database.read() as connection:
                found = connection.exec_driver_sql("SELECT name FROM notices").scalars().all()
    document = json.loads(told["Message"])
    assert sorted(found) == sorted([document["EventDocId"], f"confirm:{confirm['Token']}"])


def test_what_lies_in_the_queue_is_heard_and_struck_off(folder: Path, sqlite_url: str) -> None:
    body = (folder / "mturk_sqs_body.json").read_text()
    event = json.loads(body)["Events"][0]
    with staged(MTurkScenario, sqlite_url) as (scenario, service, runner):
        one = HiringStudy(service, scenario.fake)
        taken = one.take("AW1")
        token = one.enter(taken)
        one.judge(token)
        service.post("/v1/session/finish", {}, bearer=token)
        about = body.replace(event["AssignmentId"], taken.id).replace(event["HITId"], taken.hit)
        scenario.fake.mturk.queue |= {"1": body, "2": body, "3": about}
        tick(service, runner)
        assert scenario.fake.mturk.queue == {}
        # What lies there has no receipt: only MTurk's own list says that something was handed in.
        assert one.hiring["submissions"] == {"finished": 1}


def test_a_webhook_of_prolific_counts_by_its_very_bytes(folder: Path, sqlite_url: str) -> None:
    body = (folder / "prolific_submission_status_change.raw.json").read_bytes()
    headers = json.loads((folder / "prolific_headers.json").read_text())
    secret = headers.pop("_secret_for_test")
    told = json.loads(body)
    with staged(ProlificScenario, sqlite_url, hook_secret=secret) as (scenario, service, runner):
        (study,) = scenario.fake.studies
        session, worker = told["resource_id"], told["participant_id"]
        made = scenario.fake.submissions.pop(scenario.fake.take(study, worker))
        scenario.fake.submissions[session] = {**made, "id": session, "status": told["status"]}
        names = {"PROLIFIC_PID": worker, "SESSION_ID": session, "STUDY_ID": study}
        token = enter(service, ENTRANCE, names)
        judge(service, token)
        service.post("/v1/session/finish", {}, bearer=token)
        late = {**headers, "X-Prolific-Request-Timestamp": "1"}
        dumped = json.dumps(told, sort_keys=True).encode()
        for bad, beside in ((body + b" ", headers), (body, late), (dumped, headers), (body, {})):
            post_webhook(service, bad, beside, status=401)
        for _ in range(2):
            post_webhook(service, body, headers)
        tick(service, runner)
        assert scenario.fake.submissions[session]["status"] == "APPROVED"
        assert service.get(f"{AT}/hiring")["submissions"] == {"accepted": 1}


def test_forms_are_written_as_they_are_read() -> None:
    form = (OWN / "f8_unit_complete.form").read_text()
    assert urlencode(parse_qsl(form)) == form
