"""Around every request: limits, other origins, the log, counts, health."""

import json
import logging

import pytest
from in_process import AT, ON_TOPIC, InProcess, installed, refusal
from installations import secret_of

from nextpair.app.security.api_keys import RateLimit
from nextpair.app.web.middleware import start_logging


def test_a_key_that_calls_too_often_is_told_when_to_come_back(sqlite_url: str) -> None:
    with installed(sqlite_url, rate_per_key=0.001) as service:
        answers = [service.send("GET", "/v1/studies") for _ in range(3)]
        assert answers[0].status_code == 200
        for told in answers[1:]:
            refusal(told, 429, "rate-limited")
            assert int(told.headers["retry-after"]) >= 1
        assert service.http.get("/healthz").status_code == 200


def test_each_key_has_its_own_allowance_which_fills_up_evenly() -> None:
    now = [0.0]
    limit = RateLimit(2, clock=lambda: now[0])

    def calls(key: str) -> int:
        done = 0
        try:
            while True:
                limit.spend(key)
                done += 1
        except Exception:
            return done

    assert (calls("a"), calls("b")) == (4, 4)
    now[0] += 1
    assert (calls("a"), calls("a")) == (2, 0)
    now[0] += 3600
    assert calls("a") == 4


ORIGIN = "https://example.org"
PREFLIGHT = {
    "Origin": ORIGIN,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
}


def test_pages_of_other_origins_may_not_call(light: InProcess) -> None:
    refusal(light.http.options("/v1/studies", headers=PREFLIGHT), 405)
    told = light.send("GET", "/v1/studies", headers={"Origin": ORIGIN})
    assert not [name for name in told.headers if name.startswith("access-control")]


def test_pages_of_configured_origins_may_call(sqlite_url: str) -> None:
    with installed(sqlite_url, cors_origins=(ORIGIN,)) as service:
        told = service.http.options("/v1/studies", headers=PREFLIGHT)
        assert told.status_code == 200
        assert told.headers["access-control-allow-origin"] == ORIGIN
        told = service.send("GET", "/v1/studies", headers={"Origin": ORIGIN})
        assert told.headers["access-control-allow-origin"] == ORIGIN
        assert "access-control-allow-credentials" not in told.headers
        other = {**PREFLIGHT, "Origin": "https://example.com"}
        told = service.http.options("/v1/studies", headers=other)
        assert told.status_code == 400
        assert "access-control-allow-origin" not in told.headers


def test_the_log_names_requests_and_key_ids_but_no_worker_and_no_key(
    sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with installed(sqlite_url, log_level="debug") as service:
        service.make_study()
        service.make_topic(3)
        asked = service.one("secret-ann")
        service.judge(asked, worker="secret-bob")
        service.judge(asked, bearer=asked["token"])
        service.send("PATCH", f"{AT}/workers/secret-ann", {"status": "blocked"})
        service.send("GET", f"{AT}/workers/secret-ann")
        service.send("GET", f"{AT}/secret-ann")
        service.send("GET", f"{ON_TOPIC}/explain?first=secret-ann&second=d1")
        service.send("POST", f"{AT}/next", {"worker": "secret-ann"})
        service.send("POST", f"{AT}/next", {"worker": "secret ann"})
        told = service.send("GET", "/v1/studies")
    written = capsys.readouterr()
    lines = [json.loads(line) for line in written.err.splitlines()]
    last = lines[-1]
    assert last["request_id"] == told.headers["x-request-id"]
    assert (last["method"], last["route"], last["status"]) == ("GET", "/v1/studies", 200)
    assert last["key"] == service.key.split("_")[1]
    assert len(lines) > 8
    whole = written.err + written.out
    for secret in ("secret", service.key, secret_of(service.key), asked["token"]):
        assert secret not in whole
    start_logging("warning")


def test_an_unexpected_error_is_a_problem_without_what_was_sent(
    light: InProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    light.make_study()

    def fail() -> float:
        raise RuntimeError("boom")

    light.app.state.clock = fail
    # The test client has no other way to see what a real server would answer.
    light.http._transport.raise_server_exceptions = False  # type: ignore[attr-defined]
    told = light.send("POST", f"{AT}/next", {"worker": "ann"})
    assert told.status_code == 500
    assert told.headers["content-type"] == "application/problem+json"
    assert told.json()["type"] == "urn:nextpair:internal"
    assert "boom" not in told.text
    assert logging.getLogger("nextpair").level == logging.WARNING


def test_requests_are_counted_by_route_and_status(light: InProcess) -> None:
    light.make_study()
    light.send("GET", "/v1/studies/none")
    light.send("GET", "/nowhere/secret-ann")
    told = light.send("GET", "/metrics")
    assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
    counted = 'nextpair_requests_total{method="%s",route="%s",status="%d"} 1.0'
    assert counted % ("POST", "/v1/studies", 201) in told.text
    assert counted % ("GET", "/v1/studies/{study}", 404) in told.text
    assert "nextpair_request_seconds_bucket" in told.text
    assert "secret-ann" not in told.text


def test_health_says_whether_the_database_answers(service: InProcess) -> None:
    for path in ("/healthz", "/readyz"):
        told = service.http.get(path)
        assert (told.status_code, told.json()) == (200, {"status": "ok"})
