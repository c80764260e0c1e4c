"""Bad input: a precise problem document, and nothing stored in part."""

from collections.abc import Iterator

import pytest
from httpx2 import Response
from in_process import AT, InProcess, installed, refusal

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


def test_what_is_no_json_is_said_where_it_stops_being_it(ready: InProcess) -> None:
    problem = refusal(raw(ready, "/v1/studies", b'{"votes": 3,, "seed": 1}'), 422, "invalid")
    assert problem["detail"].startswith("body: not JSON at character 13: ")
    told = ready.send("POST", "/v1/studies", content=b"{}", headers={"Content-Type": "text/plain"})
    assert "Content-Type: application/json" in refusal(told, 422, "invalid")["detail"]


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
