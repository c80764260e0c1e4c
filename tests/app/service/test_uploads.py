"""Uploads in small transactions: others write in between, and see all of one or nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from in_process import AT, ON_TOPIC, STUDY, TOPIC, InProcess, installed, refusal
from sqlalchemy import text
from uploading import NAMES, NOTHING, between, database_of, left, lines, several, topics, upload

from nextpair.app.provisioning import staging
from nextpair.storage.errors import StorageFull


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every upload take several transactions."""
    monkeypatch.setattr("nextpair.app.provisioning.parts.PART_ROWS", 3)


def test_others_write_while_an_upload_is_half_way_and_see_nothing_of_it(
    service: InProcess,
) -> None:
    service.make_study()
    service.make_topic(20, topic="judged")
    seen: list[object] = []

    def judge(count: int) -> None:
        answered = service.judge(service.one(f"w{count}", topic="judged"))
        progress = service.get(f"{AT}/topics/judged/progress")["judgments"]
        seen.append((answered.status_code, progress == count, topics(service)))
        refusal(service.send("GET", ON_TOPIC), 404)
        assert [row["id"] for row in service.get("/v1/studies")["items"]] == [STUDY]

    with between(judge):
        assert upload(service).status_code == 201
    assert seen == [(201, True, ["judged"])] * 5
    assert topics(service) == [TOPIC, "judged"]
    kept = service.get(f"{ON_TOPIC}/documents")["items"]
    assert [(one["id"], one["text"]) for one in kept] == [(name, f"text {name}") for name in NAMES]
    assert left(service) == NOTHING
    assert service.judge(service.one("ann", topic=TOPIC)).status_code == 201


def test_what_is_uploaded_cannot_be_reached_by_guessing_its_id(light: InProcess) -> None:
    light.make_study()
    statuses = []

    def guess(count: int) -> None:
        with database_of(light).read() as connection:
            for found in connection.execute(text("SELECT max(id) FROM topics")).scalars():
                guessed = light.judge({"id": f"{found or 99}-1"})
                statuses.append((guessed.status_code, guessed.json()["type"]))

    with between(guess):
        assert upload(light).status_code == 201
    assert len(set(statuses)) == 1
    assert statuses[0][0] == 404


def test_an_import_of_many_topics_is_seen_all_at_once(service: InProcess) -> None:
    service.make_study()
    seen: list[list[str]] = []
    with between(lambda count: seen.append(topics(service))):
        told = several(service).json()["topics"]
    assert len(seen) > 3 and not any(seen)
    assert [(one["topic"], one["new"]) for one in told] == [(f"t{n}", True) for n in range(3)]
    assert topics(service) == ["t0", "t1", "t2"]
    for topic in topics(service):
        kept = service.get(f"{AT}/topics/{topic}/documents")["items"]
        assert [one["id"] for one in kept] == NAMES
    assert not any(one["new"] for one in several(service).json()["topics"])
    assert left(service) == NOTHING


def test_a_topic_that_comes_while_it_is_imported_with_others_is_kept_once(
    service: InProcess,
) -> None:
    service.make_study()
    assert several(service).status_code == 200
    with database_of(service).read() as connection:
        before = connection.execute(text("SELECT count(*) FROM documents")).scalar_one()
    service.make_study("other")

    def add_one(count: int) -> None:
        if count == 2:
            with between(lambda _: None):
                rows = [f"{name},t1,text" for name in NAMES]
                files = {"documents": ("d.csv", "\n".join(["id,topic,text", *rows]).encode())}
                service.send("POST", "/v1/studies/other/imports", files=files)

    with between(add_one):
        rows = [f"{name},t{number},text" for number in range(3) for name in NAMES]
        files = {"documents": ("d.csv", "\n".join(["id,topic,text", *rows]).encode())}
        told = service.send("POST", "/v1/studies/other/imports", files=files).json()["topics"]
    assert [one["new"] for one in told] == [True, False, True]
    with database_of(service).read() as connection:
        after = connection.execute(text("SELECT count(*) FROM documents")).scalar_one()
    assert after == 2 * before
    assert left(service) == NOTHING


def test_a_dry_run_stores_nothing_at_all(light: InProcess) -> None:
    light.make_study()
    parts: list[int] = []
    with between(parts.append):
        assert several(light, dry_run="true").json()["topics"][0]["new"] is True
    assert parts == [] and left(light) == NOTHING and topics(light) == []


@pytest.mark.parametrize("send", [upload, several])
def test_a_study_that_is_closed_meanwhile_gets_nothing(
    service: InProcess, send: Callable[[InProcess], Any]
) -> None:
    service.make_study()

    def close(count: int) -> None:
        if count == 2:
            assert service.send("PATCH", AT, {"status": "closed"}).status_code == 200

    with between(close):
        refusal(send(service), 409, "study-closed")
    assert topics(service) == [] and left(service) == NOTHING


@pytest.mark.parametrize(("of", "status"), [("text", 200), ("other", 409)])
def test_of_two_uploads_of_one_topic_at_once_exactly_one_is_kept(
    service: InProcess, of: str, status: int
) -> None:
    service.make_study()
    inner: list[int] = []

    def upload_too(count: int) -> None:
        if count == 2:
            with between(lambda _: None):
                inner.append(upload(service, lines(of=of)).status_code)

    with between(upload_too):
        outer = upload(service)
    assert (inner, outer.status_code) == ([201], status)
    kept = service.get(f"{ON_TOPIC}/documents")["items"]
    assert [one["text"] for one in kept] == [f"{of} {name}" for name in NAMES]
    assert left(service) == NOTHING


def test_other_content_that_comes_in_the_last_moment_is_not_taken_for_ones_own(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = staging._missing, list[int]()

    def late(*given: Any) -> Any:
        found = real(*given)
        calls.append(len(calls))
        if len(calls) == 2:
            # The outer upload has seen in its last transaction that the topic is not there.
            assert upload(service, lines(of="other")).status_code == 201
        return found

    with installed(postgresql_url) as service:
        service.make_study()
        monkeypatch.setattr(staging, "_missing", late)
        refusal(upload(service), 409, "content-conflict")
        kept = service.get(f"{ON_TOPIC}/documents")["items"]
        assert [one["text"] for one in kept] == [f"other {name}" for name in NAMES]
        assert left(service) == NOTHING


def test_the_same_again_changes_nothing_and_other_content_is_refused(service: InProcess) -> None:
    service.make_study()
    assert upload(service).status_code == 201
    before = service.get(ON_TOPIC)
    parts: list[int] = []
    with between(parts.append):
        assert upload(service).status_code == 200
        refusal(upload(service, lines(of="other")), 409, "content-conflict")
    assert service.get(ON_TOPIC) == before
    assert parts == [] and left(service) == NOTHING


def test_a_creating_call_is_done_once_however_many_transactions_it_takes(
    service: InProcess,
) -> None:
    service.make_study()
    documents = [{"id": name} for name in NAMES]

    def create(topic: str) -> Any:
        body = {"id": topic, "documents": documents}
        return service.send("POST", f"{AT}/topics", body, headers={"Idempotency-Key": "once"})

    assert [create("a").status_code, create("a").status_code] == [201, 200]
    refusal(create("b"), 409, "content-conflict")
    assert topics(service) == ["a"] and left(service) == NOTHING


def test_an_upload_that_fails_half_way_leaves_nothing(light: InProcess) -> None:
    light.make_study()

    def fail(count: int) -> None:
        if count == 3:
            raise StorageFull()

    with between(fail):
        refusal(upload(light), 507)
    assert topics(light) == [] and left(light) == NOTHING
    assert upload(light).status_code == 201
