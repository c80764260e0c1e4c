"""Bad input: a precise problem document, and nothing stored in part."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from httpx2 import Response
from in_process import AT, ON_TOPIC, InProcess, installed, refusal

JSON = {"Content-Type": "application/json"}
TOPICS, UPLOAD = f"{AT}/topics", f"{AT}/topics.jsonl"


@pytest.fixture
def ready(light: InProcess) -> Iterator[InProcess]:
    """A service with a study; whatever is sent, it must have no topic and no worker afterwards."""
    light.make_study()
    before = light.get("/v1/studies")
    yield light
    assert light.get(TOPICS)["items"] == []
    assert light.get("/v1/studies") == before
    assert light.get(f"{AT}/workers")["items"] == []


def raw(service: InProcess, path: str, content: bytes) -> Response:
    return service.send("POST", path, content=content, headers=JSON)


def upload(service: InProcess, *objects: object) -> Response:
    lines = b"\n".join(
        one if isinstance(one, bytes) else json.dumps(one).encode() for one in objects
    )
    return service.send("POST", UPLOAD, content=lines)


def test_what_is_no_json_is_said_where_it_stops_being_it(ready: InProcess) -> None:
    problem = refusal(raw(ready, "/v1/studies", b'{"votes": 3,, "seed": 1}'), 422, "invalid")
    assert problem["detail"].startswith("body: not JSON at character 13: ")
    told = ready.send("POST", "/v1/studies", content=b"{}", headers={"Content-Type": "text/plain"})
    assert "Content-Type: application/json" in refusal(told, 422, "invalid")["detail"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b'{"id": "x",}', 422),
        (b"[]", 422),
        (b"null", 422),
        (b"1", 422),
        (b'"x"', 422),
        (b'{"id": "\xff"}', 400),
        (b'\xff\xfe{\x00"\x00', 422),
        (b'{"seed": ' + b"9" * 5000 + b"}", 400),
        (b"[" * 100_000, 400),
        (b'{"a":' * 100_000, 400),
    ],
    ids=[
        "empty", "cut off", "comma", "list", "null", "number", "text",
        "not utf-8", "utf-16", "endless number", "deep list", "deep object",
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/v1/studies", TOPICS, f"{AT}/next", f"{AT}/retractions"])
def test_what_is_no_object_of_json_is_refused(
    ready: InProcess, path: str, content: bytes, status: int
) -> None:
    refusal(raw(ready, path, content), status)


STUDIES: list[tuple[Any, str]] = [
    ({"id": ""}, "id"),
    ({"id": "../x"}, "id"),
    ({"id": "x" * 201}, "id"),
    ({"id": 5}, "id"),
    ({"id": "a\x00b"}, "id"),
    ({"id": "a\n"}, "id"),
    ({"voets": 3}, "voets"),
    ({"votes": 0}, "votes"),
    ({"votes": 2.5}, "votes"),
    ({"votes": 10**40}, "votes"),
    ({"votes": None}, "votes"),
    ({"votes": [3]}, "votes"),
    ({"seed": -1}, "seed"),
    ({"seed": 2**53}, "seed"),
    ({"title": "x" * 1001}, "title"),
    ({"title": "\x00"}, "title"),
    ({"instructions": "x" * 100_001}, "instructions"),
    ({"instructions": "a\x00"}, "instructions"),
    ({"lease_seconds": 0}, "lease_seconds"),
    ({"lease_seconds": -1}, "lease_seconds"),
    ({"lease_seconds": 1e300}, "lease_seconds"),
    ({"undo_seconds": -1}, "undo_seconds"),
    ({"judgments_per_worker": 0}, "judgments_per_worker"),
    ({"options": {"x": None}}, "options"),
    ({"options": {"x": {"y": 1}}}, "options"),
    ({"options": {"x\x00": 1}}, "options"),
    ({"options": {f"x{n}": 1 for n in range(101)}}, "options"),
]


@pytest.mark.parametrize(("body", "where"), STUDIES)
def test_a_study_that_cannot_be_is_refused_by_name(
    ready: InProcess, body: dict[str, object], where: str
) -> None:
    problem = refusal(ready.send("POST", "/v1/studies", body), 422, "invalid")
    assert f"body.{where}" in problem["errors"][0]["where"]
    assert "5" * 50 not in str(problem)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("field", ["lease_seconds", "undo_seconds", "votes", "seed"])
def test_what_is_no_number_is_no_setting(ready: InProcess, field: str, word: str) -> None:
    content = f'{{"{field}": {word}}}'.encode()
    refusal(raw(ready, "/v1/studies", content), 422, "invalid")
    told = ready.send("PATCH", AT, content=content, headers=JSON)
    refusal(told, 422, "invalid")


def test_an_option_that_is_no_number_is_refused(ready: InProcess) -> None:
    told = raw(ready, "/v1/studies", b'{"options": {"x": NaN}}')
    refusal(told, 422, "invalid")


@pytest.mark.parametrize(
    "content",
    [
        b'{"title": "\\ud800"}',
        b'{"\\ud800": 1}',
        b'{"options": {"\\ud800": 1}}',
        b'{"options": {"x": "\\udfff"}}',
        b'{"selector": "\\ud800"}',
        b'{"id": "\\ud800"}',
    ],
)
def test_half_a_character_is_refused(ready: InProcess, content: bytes) -> None:
    refusal(raw(ready, "/v1/studies", content), 422)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"selector": "no-such"}, "unknown-selector"),
        ({"selector": "../../etc/passwd"}, "unknown-selector"),
        ({"selector": "base"}, "unknown-selector"),
        ({"selector": ""}, "unknown-selector"),
        ({"options": {"no-such": 1}}, "unknown-option"),
    ],
)
def test_an_unknown_selector_or_option_is_refused(
    ready: InProcess, body: dict[str, object], kind: str
) -> None:
    refusal(ready.send("POST", "/v1/studies", body), 422, kind)


DOCUMENTS: list[tuple[list[Any], str]] = [
    ([{}], "id"),
    ([{"id": ""}], "id"),
    ([{"id": "x" * 501}], "id"),
    ([{"id": "a\x00b"}], "id"),
    ([{"id": "a\tb"}], "id"),
    ([{"id": 7}], "id"),
    ([{"id": "a", "txet": "x"}], "txet"),
    ([{"id": "a", "text": "b\x00c"}], "text"),
    ([{"id": "a", "html": "b\x00c"}], "html"),
    ([{"id": "a", "url": "b\x00c"}], "url"),
    ([{"id": "a", "text": None}], "text"),
    ([{"id": "a", "text": ["b"]}], "text"),
    ([{"id": "a", "features": {"x": "y"}}], "features"),
    ([{"id": "a", "features": {"x\x00": 1}}], "features"),
    ([{"id": "a", "features": [1]}], "features"),
    ([{"id": "a", "prior": "high"}], "prior"),
    ([{"id": "a", "prior": float("nan")}], "prior"),
    ([{"id": "a", "prior": 10**400}], "prior"),
    ([{"id": "a", "features": {"x": float("inf")}}], "features"),
    ([{"id": "a", "features": {"x": 10**400}}], "features"),
    ([{"id": "a", "text": "\ud800"}], "text"),
    ([{"id": "\udfff"}], "id"),
    ([{"id": "a", "features": {"\ud800": 1}}], "features"),
    (["a"], ""),
    ([None], ""),
]


@pytest.mark.parametrize(("documents", "where"), DOCUMENTS)
def test_a_document_that_cannot_be_is_refused_by_its_place(
    ready: InProcess, documents: list[object], where: str
) -> None:
    good = {"id": "good"}
    content = json.dumps({"id": "t", "documents": [good, *documents]}).encode()
    problem = refusal(raw(ready, TOPICS, content), 422, "invalid")
    assert problem["errors"][0]["where"].startswith(f"body.documents.1{where and '.' + where}")
    told = refusal(upload(ready, {"id": "t"}, good, *documents), 422, "invalid")
    assert told["errors"][0]["where"].startswith("line.3")


@pytest.mark.parametrize(
    ("documents", "kind"),
    [
        ([{"id": "a"}, {"id": "b"}, {"id": "a"}], "duplicate-document"),
        ([{"id": "a", "features": {"x": 1}}, {"id": "b", "features": {"y": 1}}],
         "mismatched-features"),
        ([{"id": "a", "features": {"x": 1}}, {"id": "b"}], "mismatched-features"),
    ],
)  # fmt: skip
def test_documents_that_do_not_go_together_are_refused(
    ready: InProcess, documents: list[object], kind: str
) -> None:
    refusal(ready.send("POST", TOPICS, {"id": "t", "documents": documents}), 422, kind)
    refusal(upload(ready, {"id": "t"}, *documents), 422, kind)


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        ([], "body"),
        ([b"\n \n"], "body"),
        ([b"{"], "line.1"),
        ([b"[]"], "line.1"),
        ([{"id": "t"}, b'{"id": "\xff"}'], "line.2"),
        ([{"id": "t"}, b'{"id": "\\ud800"}'], "line.2"),
        ([{"id": "t"}, b'{"id": "a", "prior": NaN}'], "line.2"),
        ([{"id": "t"}, b"[" * 5000], "line.2"),
        ([{"id": "t", "documents": []}], "line.1"),
        ([{"id": "t"}, b"", {"id": "a"}, b"x"], "line.4"),
        ([b'\xef\xbb\xbf{"id": "t"}'], "line.1"),
    ],
)
def test_a_bad_line_is_named(ready: InProcess, lines: list[object], where: str) -> None:
    problem = refusal(upload(ready, *lines), 422, "invalid")
    assert problem["errors"][0]["where"].startswith(where)


def test_fifty_thousand_documents_are_too_many(ready: InProcess) -> None:
    documents = [{"id": f"d{n}"} for n in range(50_000)]
    told = ready.send("POST", TOPICS, {"id": "t", "documents": documents})
    assert "10,000" in refusal(told, 413, "too-large")["detail"]
    refusal(upload(ready, {"id": "t"}, *documents), 413, "too-large")


def test_ten_megabytes_of_text_are_too_much(ready: InProcess) -> None:
    documents = [{"id": "a"}, {"id": "b", "text": "x" * 10_000_000}]
    told = ready.send("POST", TOPICS, {"id": "t", "documents": documents})
    assert "8 MB" in refusal(told, 413, "too-large")["detail"]
    refusal(upload(ready, {"id": "t"}, *documents), 413, "too-large")


@pytest.mark.parametrize("field", ["text", "html"])
def test_a_text_that_is_too_long_is_named(ready: InProcess, field: str) -> None:
    documents = [{"id": "a"}, {"id": "b", field: "x" * 1_000_001}]
    for told in (
        ready.send("POST", TOPICS, {"id": "t", "documents": documents}),
        upload(ready, {"id": "t"}, *documents),
    ):
        assert "'b'" in refusal(told, 413, "too-large")["detail"]


def pieces(size: int) -> Iterator[bytes]:
    for _ in range(size // 1000):
        yield b" " * 1000


def test_a_body_that_does_not_say_its_size_is_cut_off_at_the_limit(sqlite_url: str) -> None:
    with installed(sqlite_url, max_body_mb=0.01, max_upload_mb=0.02) as service:
        for path, limit in (("/v1/studies", "0.01 MB"), (UPLOAD, "0.02 MB")):
            told = service.send("POST", path, content=pieces(30_000), headers=JSON)
            assert "content-length" not in told.request.headers
            assert limit in refusal(told, 413, "too-large")["detail"]
        assert service.get("/v1/studies")["items"] == []


def test_a_body_that_says_it_is_too_large_is_not_read(sqlite_url: str) -> None:
    with installed(sqlite_url, max_body_mb=0.01, max_upload_mb=0.02) as service:
        for path in ("/v1/studies", UPLOAD):
            told = service.send("POST", path, content=b" " * 30_000, headers=JSON)
            refusal(told, 413, "too-large")
            assert told.headers["connection"] == "close"


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "image/png"])
def test_a_body_of_another_kind_is_refused(ready: InProcess, media: str) -> None:
    told = ready.send("POST", "/v1/studies", content=b"{}", headers={"Content-Type": media})
    refusal(told, 422, "invalid")


@pytest.mark.parametrize(
    "path",
    ["/v1/studies?x=1", f"{AT}?limit=1", f"{TOPICS}?Limit=1", f"{AT}/export/csv?topics=a"],
)
def test_an_unknown_query_is_refused(ready: InProcess, path: str) -> None:
    problem = refusal(ready.send("GET", path), 422, "invalid")
    assert problem["errors"][0]["where"].startswith("query.")


WISHES: list[tuple[Any, str]] = [
    ({}, "worker"),
    ({"worker": ""}, "worker"),
    ({"worker": None}, "worker"),
    ({"worker": "a/b"}, "worker"),
    ({"worker": "a\x00"}, "worker"),
    ({"worker": "ann", "count": 0}, "count"),
    ({"worker": "ann", "count": 101}, "count"),
    ({"worker": "ann", "count": 1.5}, "count"),
    ({"worker": "ann", "topic": 5}, "topic"),
    ({"worker": "ann", "documents": "maybe"}, "documents"),
    ({"worker": "ann", "counts": 1}, "counts"),
]


@pytest.mark.parametrize(("wish", "where"), WISHES)
def test_a_wish_that_cannot_be_is_refused(
    ready: InProcess, wish: dict[str, object], where: str
) -> None:
    problem = refusal(ready.send("POST", f"{AT}/next", wish), 422, "invalid")
    assert problem["errors"][0]["where"] == f"body.{where}"


ANSWERS: list[Any] = [
    {},
    {"answer": None},
    {"answer": "left"},
    {"answer": {}},
    {"answer": {"preference": "both"}},
    {"answer": {"preference": "LEFT"}},
    {"answer": {"preference": "left", "x": 1}},
    {"answer": {"preference": "left"}, "x": 1},
    {"answer": {"preference": "left"}, "seconds": -1},
    {"answer": {"preference": "left"}, "seconds": 1e300},
    {"answer": {"preference": "left"}, "attempt": 0},
    {"answer": {"preference": "left"}, "attempt": 10**30},
    {"answer": {"preference": "left"}, "worker": "a/b"},
]


def test_an_answer_that_is_none_of_the_designs_is_refused(light: InProcess) -> None:
    light.make_study()
    light.make_topic(2)
    asked = light.one("ann")
    path = f"/v1/assignments/{asked['id']}/judgment"
    for answer in ANSWERS:
        refusal(light.send("POST", path, answer), 422)
    for word in (b"NaN", b"Infinity"):
        content = b'{"answer": {"preference": "left"}, "seconds": ' + word + b"}"
        refusal(raw(light, path, content), 422, "invalid")
    assert light.get(f"{ON_TOPIC}/judgments")["items"] == []
    assert light.get(f"/v1/assignments/{asked['id']}")["state"] == "open"


@pytest.mark.parametrize("name", ["%00", "a%00", "%2e%2e", "a%20b", "x" * 201, "%ff", "é"])
def test_a_name_that_cannot_be_is_refused_in_an_address(service: InProcess, name: str) -> None:
    service.make_study()
    for path in (f"/v1/studies/{name}", f"{TOPICS}/{name}", f"{TOPICS}/{name}/ranking"):
        told = service.send("GET", path)
        refusal(told, 422 if told.status_code == 422 else 404)


@pytest.mark.parametrize("body", [{"votes": "3"}, {"ties": "yes"}, {"ties": 1}, {"seed": True}])
def test_a_value_of_another_type_is_not_read_as_if_it_were_one(
    light: InProcess, body: dict[str, object]
) -> None:
    refusal(light.send("POST", "/v1/studies", body), 422, "invalid")
