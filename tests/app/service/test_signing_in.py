"""Signing a browser in by a one-time code: once, soon, with no more rights, and to be undone."""

import threading
from pathlib import Path

import pytest
from in_process import InProcess, Json, installed, refusal
from installations import secret_of

from nextpair.app.enums import Scope
from nextpair.app.security.api_keys import SIGN_IN_SECONDS, SIGNED_IN_SECONDS

USE = "/v1/sign-ins/use"


def code(service: InProcess, bearer: str | None = None) -> str:
    made = service.post("/v1/sign-ins", {}, status=201, bearer=bearer)
    assert made["url"] == f"/sign-in#{made['code']}"
    return str(made["code"])


def use(service: InProcess, secret: str) -> Json:
    told = service.http.post(USE, json={"code": secret})
    assert told.status_code == 201, told.text
    signed_in: Json = told.json()
    return signed_in


def test_a_code_signs_one_browser_in_with_a_key_of_its_own(service: InProcess) -> None:
    secret = code(service)
    signed_in = use(service, secret)
    assert signed_in["key"] != service.key
    assert signed_in["scope"] == "admin"
    assert service.get("/v1/keys/current", bearer=signed_in["key"])["id"] == signed_in["id"]
    refusal(service.http.post(USE, json={"code": secret}), 401, "bad-sign-in")


def test_a_code_is_good_for_some_minutes_and_a_browser_for_some_days(service: InProcess) -> None:
    late, soon = code(service), code(service)
    service.clock.move(SIGN_IN_SECONDS - 1)
    key = use(service, soon)["key"]
    service.clock.move(1)
    refusal(service.http.post(USE, json={"code": late}), 401, "bad-sign-in")
    service.clock.move(SIGNED_IN_SECONDS - 2)
    assert service.get("/v1/studies", bearer=key)
    service.clock.move(1)
    told = refusal(service.send("GET", "/v1/studies", bearer=key), 401, "unauthorized")
    assert "sign in again" in told["detail"]
    assert service.get("/v1/studies")


@pytest.mark.parametrize("guess", ["x", "x" * 43, "..", "", "a" * 101, None, 7])
def test_a_guess_opens_nothing(service: InProcess, guess: object) -> None:
    code(service)
    told = service.http.post(USE, json={"code": guess})
    assert told.status_code in (401, 422)
    assert "key" not in told.json()


def test_many_who_use_one_code_at_once_get_one_key(sqlite_url: str) -> None:
    with installed(sqlite_url) as service:
        secret, statuses = code(service), list[int]()

        def take() -> None:
            statuses.append(service.http.post(USE, json={"code": secret}).status_code)

        threads = [threading.Thread(target=take) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert sorted(statuses) == [201] + [401] * 7
        assert len(service.get("/v1/keys")["items"]) == 2


def test_a_reader_signs_readers_in_and_a_platform_nobody(service: InProcess) -> None:
    reader, platform = service.make_key(Scope.READ), service.make_key(Scope.PLATFORM)
    signed_in = use(service, code(service, reader))
    assert signed_in["scope"] == "read"
    body = {"id": "made"}
    refusal(service.send("POST", "/v1/studies", body, bearer=signed_in["key"]), 403, "forbidden")
    refusal(service.send("POST", "/v1/sign-ins", {}, bearer=platform), 403, "forbidden")


def test_revoking_a_key_signs_its_browsers_out_and_spoils_its_codes(service: InProcess) -> None:
    made = service.post("/v1/keys", {"scope": "read"}, status=201)
    first = use(service, code(service, made["key"]))["key"]
    # A browser that signs another one in does not make it independent.
    second = use(service, code(service, first))["key"]
    unused = code(service, second)
    assert service.get("/v1/studies", bearer=second)
    service.send("DELETE", f"/v1/keys/{made['id']}")
    for bearer in (first, second):
        refusal(service.send("GET", "/v1/studies", bearer=bearer), 401, "unauthorized")
    refusal(service.http.post(USE, json={"code": unused}), 401, "bad-sign-in")


def test_signing_out_ends_the_browsers_key_and_no_other(service: InProcess) -> None:
    key = use(service, code(service))["key"]
    assert service.send("DELETE", "/v1/sign-ins/current", bearer=key).json() == {"revoked": True}
    refusal(service.send("GET", "/v1/studies", bearer=key), 401, "unauthorized")
    told = service.send("DELETE", "/v1/sign-ins/current")
    assert told.json() == {"revoked": False}, "a key that was pasted is used elsewhere too"
    assert service.get("/v1/studies")


def test_neither_codes_nor_keys_are_kept_as_they_are(sqlite_url: str) -> None:
    with installed(sqlite_url) as service:
        unused, key = code(service), use(service, code(service))["key"]
    folder = Path(sqlite_url.removeprefix("sqlite:///")).parent
    kept = b"".join(file.read_bytes() for file in folder.iterdir())
    assert unused.encode() not in kept
    assert secret_of(key).encode() not in kept
