"""Studies and topics: added once, changed where they may, listed by pages."""

import json
from typing import Any

import pytest
from in_process import AT, ON_TOPIC, STUDY, TOPIC, InProcess, refusal

JSONL = {"Content-Type": "application/jsonl"}


def lines(*objects: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in objects)


def test_a_study_has_the_settings_it_was_given_and_defaults_for_the_rest(
    service: InProcess,
) -> None:
    made = service.make_study(votes=3, selector="quick-sort", options={}, lease_seconds=5)
    assert made["id"] == STUDY
    assert (made["votes"], made["selector"], made["lease_seconds"]) == (3, "quick-sort", 5)
    assert (made["status"], made["design"], made["undo_seconds"]) == ("open", "preference", 60)
    assert made["created_at"].endswith("+00:00")
    assert service.get(AT) == made


def test_a_study_without_a_name_is_given_one(service: InProcess) -> None:
    first, second = (service.post("/v1/studies", {}, status=201)["id"] for _ in range(2))
    assert first != second
    assert service.get(f"/v1/studies/{first}")["id"] == first


def test_the_same_study_again_is_a_success_and_another_of_its_name_is_not(
    service: InProcess,
) -> None:
    said = {"id": STUDY, "votes": 3}
    made = service.post("/v1/studies", said, status=201)
    service.clock.move(1)
    assert service.post("/v1/studies", said) == made
    refusal(service.send("POST", "/v1/studies", {"id": STUDY}), 409, "content-conflict")
    assert service.get(AT) == made


def test_a_creating_call_is_done_once_per_idempotency_key(service: InProcess) -> None:
    once = {"Idempotency-Key": "a"}
    made = service.post("/v1/studies", {}, status=201, headers=once)
    assert service.post("/v1/studies", {}, headers=once) == made
    other = service.send("POST", "/v1/studies", {"votes": 3}, headers=once)
    assert "Idempotency-Key" in refusal(other, 409, "content-conflict")["detail"]
    assert len(service.get("/v1/studies")["items"]) == 1


def test_what_creates_is_described_with_the_answer_to_its_repetition(light: InProcess) -> None:
    # A session is signed and not stored, and a sign-in is for once: they have no repetition.
    described = light.app.openapi()["paths"]
    once = ("/v1/studies/{study}/sessions", "/v1/sign-ins", "/v1/sign-ins/use")
    posted = (one for path, one in described.items() if path not in once)
    creating = [one["post"]["responses"] for one in posted if "post" in one]
    creating = [responses for responses in creating if "201" in responses]
    assert len(creating) == 5
    for responses in creating:
        assert responses["200"]["content"] == responses["201"]["content"]


@pytest.mark.parametrize("key", ["", "with space", "é", "x" * 201])
def test_an_idempotency_key_is_a_short_word(light: InProcess, key: str) -> None:
    headers = {"Idempotency-Key": key.encode("latin-1")}
    # As bytes: a header with such a letter cannot be sent as text.
    refusal(light.send("POST", "/v1/studies", {}, headers=headers), 422)  # type: ignore[arg-type]
    assert light.get("/v1/studies")["items"] == []


def test_a_study_changes_only_what_is_named(service: InProcess) -> None:
    made = service.make_study(title="before", judgments_per_worker=7)
    changed = service.send("PATCH", AT, {"status": "paused", "judgments_per_worker": None})
    assert changed.json() == {**made, "status": "paused", "judgments_per_worker": None}
    assert service.get(AT) == changed.json()


def test_what_would_change_past_judgments_cannot_be_changed(light: InProcess) -> None:
    made = light.make_study()
    for field in ("votes", "selector", "design", "seed", "id"):
        refusal(light.send("PATCH", AT, {field: made[field]}), 422, "invalid")
    assert light.get(AT) == made


def test_what_is_not_there_is_said_so(light: InProcess) -> None:
    refusal(light.send("GET", AT), 404, "unknown-study")
    refusal(light.send("PATCH", AT, {}), 404, "unknown-study")
    refusal(light.send("POST", f"{AT}/topics", {"id": "t", "documents": []}), 404, "unknown-study")
    upload = light.send("POST", f"{AT}/topics.jsonl", content=lines({"id": "t"}))
    refusal(upload, 404, "unknown-study")
    light.make_study()
    refusal(light.send("GET", ON_TOPIC), 404, "unknown-topic")
    refusal(light.send("PATCH", ON_TOPIC, {"status": "open"}), 404, "unknown-topic")
    refusal(light.send("GET", "/v1/nothing"), 404, "not-found")
    refusal(light.send("PUT", AT, {}), 405, "method-not-allowed")


DOCUMENTS: list[dict[str, Any]] = [
    {"id": "d 1", "title": "Ünïcode", "text": "𝄞\ttext", "features": {"x": 1.5}, "prior": 2},
    {"id": "d2", "html": "<b>b</b>", "url": "https://example.org/2", "features": {"x": None}},
]
HEAD = {"id": TOPIC, "title": "Coffee", "description": "How?", "narrative": "Well.", "seed": 7}


@pytest.mark.parametrize("way", ["topics", "topics.jsonl"])
def test_a_topic_comes_back_as_it_was_given(service: InProcess, way: str) -> None:
    service.make_study()
    content: dict[str, Any] = (
        {"json": {**HEAD, "documents": DOCUMENTS}}
        if way == "topics"
        else {"content": lines(HEAD, *DOCUMENTS), "headers": JSONL}
    )
    made = service.send("POST", f"{AT}/{way}", **content)
    assert made.status_code == 201, made.text
    assert made.json() == {**service.get(ON_TOPIC), "not_shown": []}
    assert made.json().items() >= {**HEAD, "documents": 2, "position": 0, "status": "open"}.items()
    kept = service.get(f"{ON_TOPIC}/documents")["items"]
    empty = {"title": "", "text": "", "html": None, "url": None, "prior": None}
    assert kept == [{**empty, **document} for document in DOCUMENTS]


def test_both_ways_of_adding_a_topic_are_the_same_topic(service: InProcess) -> None:
    service.make_study()
    body = {**HEAD, "documents": DOCUMENTS}
    made = service.post(f"{AT}/topics", body, status=201)
    service.clock.move(1)
    assert service.post(f"{AT}/topics", body) == made
    upload = lines(HEAD, *DOCUMENTS)
    assert service.send("POST", f"{AT}/topics.jsonl", content=upload).json() == made
    other = service.send("POST", f"{AT}/topics.jsonl", content=lines(HEAD, DOCUMENTS[0]))
    refusal(other, 409, "content-conflict")
    listed = service.get(f"{AT}/topics")["items"]
    assert [{**one, "not_shown": []} for one in listed] == [made]


def test_blank_lines_and_a_missing_last_line_end_are_passed_over(light: InProcess) -> None:
    light.make_study()
    content = b'\n{"id": "coffee"}\r\n\n{"id": "d1"}\n  \n{"id": "d2"}'
    made = light.send("POST", f"{AT}/topics.jsonl", content=content)
    assert made.json()["documents"] == 2


def test_an_upload_may_arrive_in_any_pieces(light: InProcess) -> None:
    light.make_study()
    whole = lines({"id": TOPIC}, *({"id": f"dé{n}"} for n in range(50)))
    pieces = (whole[at : at + 7] for at in range(0, len(whole), 7))
    assert light.send("POST", f"{AT}/topics.jsonl", content=pieces).json()["documents"] == 50


def test_a_topic_without_a_seed_has_its_studys_and_its_names(light: InProcess) -> None:
    light.make_study("one", seed=1)
    light.make_study("two", seed=2)
    seeds = {
        light.make_topic(2, topic, study)["seed"] for study in ("one", "two") for topic in "ab"
    }
    assert len(seeds) == 4


def test_lists_come_by_pages_each_item_once(service: InProcess) -> None:
    for study in "cabde":
        service.make_study(study)
        service.make_topic(5, study, "c") if study != "c" else service.make_topic(5, "c", "c")
    for path in ("/v1/studies", "/v1/studies/c/topics", "/v1/studies/c/topics/c/documents"):
        whole = service.get(path)
        assert whole["next"] is None
        found, page = [], service.get(path, limit=2)
        while True:
            assert len(page["items"]) <= 2
            found += page["items"]
            if page["next"] is None:
                break
            page = service.get(path, limit=2, after=page["next"])
        assert found == whole["items"]
        assert len(found) == 5


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "limt=5", "after=%00"])
def test_a_page_that_cannot_be_meant_is_refused(service: InProcess, query: str) -> None:
    refusal(service.send("GET", f"/v1/studies?{query}"), 422, "invalid")


def test_a_closed_study_takes_no_new_topics_but_knows_its_own(service: InProcess) -> None:
    service.make_study()
    made = service.make_topic(2)
    service.send("PATCH", AT, {"status": "closed"})
    service.clock.move(1)
    again = {"id": TOPIC, "documents": [{"id": f"d{n}", "text": f"text {n}"} for n in (1, 2)]}
    assert service.post(f"{AT}/topics", again) == made
    new = {"id": "new", "documents": []}
    refusal(service.send("POST", f"{AT}/topics", new), 409, "study-closed")
