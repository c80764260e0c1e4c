"""The fakes are as strict as what they stand for: a wrong client fails with them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import httpx
import pytest
from botocore.exceptions import ClientError
from platforms.fake_figure_eight import FakeFigureEight
from platforms.fake_label_studio import FakeLabelStudio
from platforms.fake_mturk import MTurk
from platforms.fake_mturk_model import cents
from platforms.fake_mturk_server import KEY, SECRET, Server
from platforms.fake_mturk_server import serving as serving_mturk
from platforms.fake_prolific import FakeProlific
from platforms.fake_server import serving

Json = dict[str, Any]
XSD = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/"
TYPE = {"AssignmentDurationInSeconds": 60, "Reward": "0.50", "Title": "T", "Description": "D"}


def question(url: str = "https://us.example.org/?a=1&amp;b=2", height: str = "0") -> str:
    """Write a question, as it must be unless told otherwise."""
    inner = f"<ExternalURL>{url}</ExternalURL><FrameHeight>{height}</FrameHeight>"
    return f'<ExternalQuestion xmlns="{XSD}ExternalQuestion.xsd">{inner}</ExternalQuestion>'


@pytest.fixture
def mturk() -> Iterator[Server]:
    """A Mechanical Turk of our own."""
    with serving_mturk(MTurk()) as running:
        yield running


@contextmanager
def requester(fake: Server, secret: str = SECRET) -> Iterator[Any]:
    """Connect as any client of MTurk does."""
    made = boto3.client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=fake.url,
        aws_access_key_id=KEY,
        aws_secret_access_key=secret,
    )
    yield made
    made.close()


@pytest.fixture
def client(mturk: Server) -> Iterator[Any]:
    """A client of MTurk with the right key."""
    with requester(mturk) as made:
        yield made


def test_mturk_refuses_what_the_real_one_refuses(mturk: Server, client: Any) -> None:
    with requester(mturk, "guess") as guessing:
        with pytest.raises(ClientError, match="UnrecognizedClient"):
            guessing.create_hit_type(**TYPE)
    kind = client.create_hit_type(**TYPE)["HITTypeId"]
    assert client.create_hit_type(**TYPE)["HITTypeId"] == kind, "the same is the same"
    for wrong in (
        {"Reward": "0,50"},
        {"Reward": "0.505"},
        {"Title": "T" * 129},
        {"AssignmentDurationInSeconds": 29},
        {"QualificationRequirements": [{"QualificationTypeId": "3NONE", "Comparator": "Exists"}]},
    ):
        with pytest.raises(ClientError):
            client.create_hit_type(**{**TYPE, **wrong})
    hit = {"HITTypeId": kind, "LifetimeInSeconds": 60, "UniqueRequestToken": "once"}
    for bad in (
        question("https://us.example.org/?a=1&b=2"),
        question("https://us.example.org/?workerId=1"),
        question().replace("ExternalQuestion.xsd", "Other.xsd"),
        question().replace("ExternalURL", "URL"),
        question(" " * 65_536),
    ):
        with pytest.raises(ClientError):
            client.create_hit_with_hit_type(**hit, Question=bad)
    made = client.create_hit_with_hit_type(**hit, Question=question())["HIT"]["HITId"]
    with pytest.raises(ClientError, match=made):
        client.create_hit_with_hit_type(**hit, Question=question())
    assert mturk.mturk.count("CreateHITWithHITType") == 1


def test_mturk_wants_money_feedback_and_an_answer(mturk: Server, client: Any) -> None:
    kind = client.create_hit_type(**TYPE)["HITTypeId"]
    hit = {"HITTypeId": kind, "LifetimeInSeconds": 60, "Question": question()}
    mturk.mturk.balance = 10 * 60
    with pytest.raises(ClientError, match="not enough funds"):
        client.create_hit_with_hit_type(**hit, MaxAssignments=10)
    made = client.create_hit_with_hit_type(**hit, MaxAssignments=9)["HIT"]["HITId"]
    taken = mturk.mturk.accept(made, "AW1")
    submit = f"{mturk.url}/mturk/externalSubmit"
    assert httpx.post(submit, data={"assignmentId": taken.id}).status_code == 400
    assert httpx.post(submit, json={"assignmentId": taken.id, "a": "b"}).status_code == 400
    assert httpx.post(submit, data={"assignmentId": taken.id, "a": "b"}).status_code == 200
    assert httpx.post(submit, data={"assignmentId": taken.id, "a": "b"}).status_code == 400
    about = {"AssignmentId": taken.id}
    with pytest.raises(ClientError):
        client.reject_assignment(**about, RequesterFeedback="")
    bonus = {**about, "WorkerId": "AW1", "BonusAmount": "0.10", "UniqueRequestToken": "b"}
    client.send_bonus(**bonus, Reason="thanks")
    with pytest.raises(ClientError):
        client.send_bonus(**bonus, Reason="thanks")
    client.approve_assignment(**about)
    with pytest.raises(ClientError, match="not Submitted"):
        client.approve_assignment(**about)
    assert mturk.mturk.spent == cents("0.60") + cents("0.12")


STUDY: Json = {
    "name": "N",
    "description": "D",
    "external_study_url": "https://us.example.org/?a={{%PROLIFIC_PID%}}&b={{%STUDY_ID%}}"
    "&c={{%SESSION_ID%}}",
    "prolific_id_option": "url_parameters",
    "total_available_places": 3,
    "estimated_completion_time": 9,
    "reward": 100,
    "completion_codes": [
        {"code": "C", "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}
    ],
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": "no such field"},
        {"reward": "1.00"},
        {"reward": 0},
        {"total_available_places": None},
        {"external_study_url": "https://us.example.org/"},
        {"prolific_id_option": "by_name"},
        {"maximum_allowed_time": 25},
        {"device_compatibility": ["watch"]},
        {"filters": [{"filter_id": "shoe-size", "selected_values": ["42"]}]},
        {"completion_codes": [{"code": "C", "code_type": "X", "actions": [{"action": "PAY"}]}]},
    ],
)
def test_prolific_refuses_what_its_list_of_fields_does(wrong: Json) -> None:
    with serving(FakeProlific()) as fake:
        http = _client(f"{fake.url}/api/v1", f"Token {fake.token}")
        assert http.post("/studies/", json=STUDY).status_code == 201
        assert http.post("/studies/", json={**STUDY, **wrong}).status_code == 400
        lacking = {name: value for name, value in STUDY.items() if name not in wrong}
        if len(lacking) < len(STUDY):
            assert http.post("/studies/", json=lacking).status_code == 400
        http.close()


def test_prolific_refuses_moves_that_cannot_be_and_pays_as_often_as_it_is_told() -> None:
    with serving(FakeProlific()) as fake:
        http = _client(f"{fake.url}/api/v1", f"Token {fake.token}")
        study = http.post("/studies/", json=STUDY).json()["id"]
        move = f"/studies/{study}/transition/"
        assert http.post(move, json={"action": "STOP"}).status_code == 400
        assert http.post(move, json={"action": "PUBLISH"}).status_code == 200
        assert http.post(move, json={"action": "PUBLISH"}).status_code == 400
        one = fake.take(study, "ann")
        decide = f"/submissions/{one}/transition/"
        assert http.post(decide, json={"action": "APPROVE"}).status_code == 400, "it is not ended"
        fake.end(one)
        rejected = {"action": "REJECT", "rejection_category": "FAILED_CHECK"}
        assert http.post(decide, json={**rejected, "message": "No."}).status_code == 400
        more = {"message": "x" * 100, "rejection_category": "BORED"}
        assert http.post(decide, json={**rejected, **more}).status_code == 400
        for line in (f"{one},150\n", f"{one},0.10\n" * 201):
            told = {"study_id": study, "csv_bonuses": line}
            assert http.post("/submissions/bonus-payments/", json=told).status_code == 400
        told = {"study_id": study, "csv_bonuses": f"{one},1.50\n"}
        made = http.post("/submissions/bonus-payments/", json=told).json()["id"]
        for _ in range(2):
            assert http.post(f"/bulk-bonus-payments/{made}/pay/").status_code == 202
        fake.settle_payments()
        assert fake.submissions[one]["bonus_payments"] == [150.0, 150.0]
        http.close()


def test_figure_eight_says_yes_and_means_no() -> None:
    with serving(FakeFigureEight()) as fake:
        http = _client(f"{fake.url}/v1", f"Token token={fake.key}")
        whole = {"title": "T", "instructions": "I", "cml": '<cml:text validates="required"/>'}
        for lacking in whole:
            told = {**whole, lacking: ""}
            made = http.post("/jobs.json", json={"job": told})
            assert made.status_code == 200 and "cml" not in made.json(), "nothing is kept"
        unknown = http.post("/jobs.json", json={"job": {**whole, "price": 1}})
        assert unknown.status_code == 200 and "error" in unknown.json()
        job = http.post("/jobs.json", json={"job": whole}).json()["id"]
        upload = f"/jobs/{job}/upload.json?force=true"
        assert http.post(upload, json=[{"a": 1}]).status_code == 500, "a JSON array"
        rows = {"content": json.dumps({"a": 1}), "headers": {"Content-Type": "application/json"}}
        assert http.post(upload, **rows).status_code == 202  # type: ignore[arg-type]
        assert http.get(f"/jobs/{job}.csv?type=json").status_code == 202
        bonus = f"/jobs/{job}/workers/1/bonus.json"
        assert "error" in http.post(bonus, data={"amount": "2001"}).json()
        assert http.get("/jobs/1.json").status_code == 404
        other = {"Authorization": "Token token=guess"}
        assert http.get("/jobs.json", headers=other).status_code == 401
        http.close()


def test_label_studio_wants_projects_that_it_can_show() -> None:
    with serving(FakeLabelStudio()) as fake:
        http = _client(fake.url, f"Token {fake.token}")
        config = '<View><Pairwise name="pw" toName="a,b"/><Text name="a" value="$x"/>{}</View>'
        whole = config.format('<Text name="b" value="$y"/>')
        assert http.post("/api/projects/", json={"title": "no", "label_config": whole}).is_error
        image = config.format('<Image name="b" value="$y"/>')
        assert http.post("/api/projects/", json={"title": "yes", "label_config": image}).is_error
        made = http.post("/api/projects/", json={"title": "yes", "label_config": whole}).json()
        at = f"/api/projects/{made['id']}/import"
        assert http.post(at, json=[{"data": {"x": "1"}}]).status_code == 400
        assert http.post(at, json=[{"data": {"x": "1", "y": "2"}}]).status_code == 201
        http.close()


def _client(url: str, authorization: str) -> httpx.Client:
    return httpx.Client(base_url=url, headers={"Authorization": authorization})


def test_mturk_tells_who_is_at_work_on_a_hit_and_when_it_ends(mturk: Server, client: Any) -> None:
    hit_type = client.create_hit_type(**TYPE)["HITTypeId"]
    told = {"HITTypeId": hit_type, "LifetimeInSeconds": 60, "MaxAssignments": 2}
    name = client.create_hit_with_hit_type(**told, Question=question())["HIT"]["HITId"]

    def look() -> tuple[str, int, int]:
        hit = client.get_hit(HITId=name)["HIT"]
        assert hit["Expiration"].timestamp() == mturk.mturk.hits[name].expires
        pending, available = (hit[f"NumberOfAssignments{one}"] for one in ("Pending", "Available"))
        return hit["HITStatus"], pending, available

    assert look() == ("Assignable", 0, 2)
    first, second = (mturk.mturk.accept(name, worker) for worker in ("A1", "A2"))
    assert look() == ("Unassignable", 2, 0)
    mturk.mturk.give_back(second)
    mturk.mturk.now += 61
    assert look() == ("Unassignable", 1, 1)
    with pytest.raises(ClientError):
        client.delete_hit(HITId=name)
    mturk.mturk.submit(first.id, "<A/>")
    assert look()[:2] == ("Reviewable", 0)
    listed = client.list_assignments_for_hit(HITId=name)["Assignments"]
    assert [one["AssignmentId"] for one in listed] == [first.id], "also of one that has ended"
    client.approve_assignment(AssignmentId=first.id)
    client.delete_hit(HITId=name)
    assert look()[0] == "Disposed"


def test_people_end_studies_and_jobs_without_us() -> None:
    prolific = FakeProlific()
    prolific.studies["s"] = {"status": "ACTIVE", "total_available_places": 1}
    for action, status in (("PAUSE", "PAUSED"), ("START", "ACTIVE"), ("STOP", "COMPLETED")):
        prolific.move("s", action)
        assert prolific.studies["s"]["status"] == status
    with pytest.raises(PermissionError, match="cannot START a study that is COMPLETED"):
        prolific.move("s", "START")
    fake = FakeFigureEight()
    fake.jobs["1"] = {"state": "running"}
    fake.units["2"] = {"job_id": 1, "state": "new"}
    fake.units["3"] = {"job_id": 1, "state": "finalized"}
    fake.move("1", "canceled")
    assert [one["state"] for one in fake.units.values()] == ["canceled", "finalized"]
    assert fake.open_units() == []
