"""The key before the body: whoever may not call is told so, whatever they send."""

import json
import re
from typing import Any

import pytest
from in_process import AT, STUDY, InProcess, installed, refusal

from nextpair.app.enums import Scope
from nextpair.app.web.openapi import OPEN_PATHS

JSON = {"Content-Type": "application/json"}
HOSTILE = [b"{", b"[" * 50_000, b"\xff\xfe", b'{"id": "\xff"}', b" " * 9_000_000, b"[]"]
"""Bodies that are no JSON, cannot be read, are too large, or are not what is asked for."""


def keyed(service: InProcess) -> list[tuple[str, str]]:
    """List every described operation that takes a body and needs a key."""
    found = []
    for path, methods in service.app.openapi()["paths"].items():
        for method, operation in methods.items():
            if path not in OPEN_PATHS and "requestBody" in operation:
                for name in ("study", "topic", "worker", "key"):
                    path = path.replace(f"{{{name}}}", "x")
                found.append((method.upper(), path.replace("{assignment}", "1-1")))
    return found


def test_without_a_key_no_body_is_looked_at(light: InProcess) -> None:
    operations = keyed(light)
    assert len(operations) > 20
    for method, path in operations:
        for body in HOSTILE:
            for headers in ({}, {"Authorization": "Bearer np_00000000_x"}):
                told = light.http.request(method, path, content=body, headers={**JSON, **headers})
                refusal(told, 401)
                assert (told.headers.get("connection") == "close") == (len(body) > 10_000)


def test_with_a_key_of_another_scope_no_body_is_looked_at(light: InProcess) -> None:
    reader = light.make_key(Scope.READ)
    refused = 0
    for method, path in keyed(light):
        for body in HOSTILE:
            told = light.send(method, path, bearer=reader, content=body, headers=JSON)
            if not path.startswith("/v1/session/"):
                refusal(told, 403, "forbidden")
                refused += 1
    assert refused > 100


def test_a_call_counts_once_however_often_its_key_is_asked_for(sqlite_url: str) -> None:
    # A bucket holds two seconds' worth.
    with installed(sqlite_url, rate_per_key=2) as service:
        answers = [service.send("POST", "/v1/keys", {"scope": "x"}).status_code for _ in range(5)]
        assert answers == [422, 422, 422, 422, 429]


def answer_of(size: int) -> dict[str, Any]:
    return {"answer": {"preference": "left"}, "worker": "x" * size}


def test_an_answer_is_no_upload(sqlite_url: str) -> None:
    with installed(sqlite_url, max_answer_mb=0.1) as service:
        service.make_study()
        service.make_topic(2)
        asked = service.one("ann")
        session = service.post(f"{AT}/sessions", {"worker": "ann"}, status=201)["session"]
        calls = [
            (f"/v1/assignments/{asked['id']}/judgment", asked["token"]),
            (f"/v1/assignments/{asked['id']}/skip", asked["token"]),
            ("/v1/session/next", session),
            (f"{AT}/next", service.make_key(Scope.PLATFORM)),
        ]
        for path, bearer in calls:
            for size, status in ((50_000, 422), (100_000, 413)):
                told = service.send("POST", path, answer_of(size), bearer=bearer)
                refusal(told, status)
        told = service.send("POST", "/v1/studies", {"title": "x" * 200_000})
        refusal(told, 422)


def test_the_longest_answer_there_is_can_be_sent(light: InProcess) -> None:
    light.post("/v1/studies", {"id": STUDY, "design": "rationale"}, status=201)
    # Each of these characters takes twelve bytes of JSON.
    text = "\U0001f600" * 2_000
    documents = [{"id": "a", "text": text}]
    light.post(f"{AT}/topics", {"id": "t", "documents": documents}, status=201)
    (asked,) = light.next("ann")["assignments"]
    answer = {"grade": "Definitely relevant", "excerpt": text}
    sent = json.dumps({"answer": answer}).encode()
    assert len(sent) > 24_000
    path = f"/v1/assignments/{asked['id']}/judgment"
    told = light.send("POST", path, bearer=asked["token"], content=sent, headers=JSON)
    assert told.status_code == 201, told.text


def test_who_shows_no_key_may_send_little(light: InProcess) -> None:
    light.make_study()
    news = f"{AT}/news/{'0' * 32}"
    refusal(light.http.post(news, content=b" " * 9_000_000), 401, "bad-notice")
    told = light.http.post("/v1/sign-ins/use", json={"code": "x" * 20_000})
    assert "0.01 MB" in refusal(told, 413, "too-large")["detail"]
    own = light.get(f"{AT}/hiring")["news"]
    told = light.http.post(own, content=b" " * 100_000)
    assert told.status_code != 413


@pytest.mark.parametrize("path", ["/v1/studies", f"{AT}/topics", f"{AT}/retractions"])
def test_what_would_fill_the_memory_is_not_parsed(light: InProcess, path: str) -> None:
    light.make_study()
    nested = (b"[" * 900 + b"]" * 900 + b",") * 4400
    for content in (
        b"[" + b"[]," * 2_600_000 + b"[]]",
        b"[" + nested + b"[]]",
        b'{"documents": [' + b"{}," * 2_600_000 + b"{}]}",
        b"[" * 200_000 + b'"\\',
    ):
        told = light.send("POST", path, content=content, headers=JSON)
        assert "100,000 objects and lists" in refusal(told, 413, "too-large")["detail"]
    # A text without an end, which would take hours if each of its quotes were tried.
    endless = b'"' + b'\\"' * 1_000_000 + b"[" * 200_000
    refusal(light.send("POST", path, content=endless, headers=JSON), 422, "invalid")


def test_brackets_in_texts_are_texts(light: InProcess) -> None:
    light.make_study()
    code = 'a["x\\"] = [{}];' * 60_000
    documents = [{"id": f"d{n}", "text": code} for n in range(4)]
    light.post(f"{AT}/topics", {"id": "t", "documents": documents}, status=201)
    assert light.get(f"{AT}/topics/t/documents")["items"][3]["text"] == code


FLOODS = [
    (f"{AT}/topics", b'{"id": "t", "documents": [' + b"1.5," * 90_000 + b"1]}"),
    (f"{AT}/topics", b'{"id": "t", "documents": [' + b"{}," * 90_000 + b"{}]}"),
    (f"{AT}/topics/t/golds", b'{"golds": [' + b"{}," * 9000 + b"{}]}"),
    (f"{AT}/retractions", b'{"judgments": [' + b"1," * 90_000 + b"1]}"),
    (
        f"{AT}/retractions",
        b'{"judgments": [{"topic": "t", "numbers": [' + b'"",' * 90_000 + b"1]}]}",
    ),
]
"""Bodies in which so many things are wrong that to say them all would take a minute."""


@pytest.mark.parametrize(("path", "content"), FLOODS)
def test_of_a_list_in_which_all_is_wrong_the_first_is_told(
    light: InProcess, path: str, content: bytes
) -> None:
    light.make_study()
    body = refusal(light.send("POST", path, content=content, headers=JSON), 422, "invalid")
    assert {re.sub(r"\D", "", one["where"]) for one in body["errors"]} <= {"", "0", "00"}


def test_a_document_has_no_thousands_of_features(light: InProcess) -> None:
    light.make_study()
    features = {f"f{n}": "x" for n in range(5001)}
    body = {"id": "t", "documents": [{"id": "a", "features": features}]}
    told = refusal(light.send("POST", f"{AT}/topics", body), 422, "invalid")
    assert told["errors"] == [
        {"where": "body.documents.0.features", "what": "must have at most 5,000 numbers"}
    ]


def test_an_answer_has_few_values(light: InProcess) -> None:
    light.make_study()
    light.make_topic(2)
    asked = light.one("ann")
    session = light.post(f"{AT}/sessions", {"worker": "ann"}, status=201)["session"]
    path = f"/v1/assignments/{asked['id']}/judgment"
    flood = b'{"held": [' + b"1," * 90_000 + b"1]}"
    for where, bearer in (("/v1/session/next", session), (path, asked["token"])):
        told = light.send("POST", where, bearer=bearer, content=flood, headers=JSON)
        assert "5,000 values" in refusal(told, 413, "too-large")["detail"]
    reason = {"reason": "a, b" * 200}
    assert light.skip(asked, bearer=asked["token"], **reason).status_code == 200
