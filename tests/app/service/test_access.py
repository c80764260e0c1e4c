"""Keys: needed everywhere, each for its scope, shown once, kept as hashes, and revoked at once."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from in_process import AT, ON_TOPIC, InProcess, installed, refusal
from installations import secret_of

from nextpair.app.enums import Scope
from nextpair.app.main import ROUTERS
from nextpair.app.web.authenticated_route import AuthenticatedRoute

DASHBOARD = (
    "/",
    "/help/files",
    "/sign-in",
    "/studies",
    "/studies/{study}",
    "/studies/{study}/report",
    "/studies/{study}/topics/{topic}",
)
"""Pages that are the same for everyone; the dashboard asks for a key."""
OPEN = {
    "/healthz": 200,
    "/readyz": 200,
    "/judge/{study}": 200,
    "/judge/{study}/preview": 404,
    "/judge/{study}/enter": 404,
    "/v1/studies/{study}/news/{word}": 422,
    "/v1/sign-ins/use": 422,
    "/static/{room}/{name}": 404,
    **dict.fromkeys(DASHBOARD, 200),
}
"""What needs no key, and what it says of things that are not there."""


def operations() -> Iterator[tuple[str, str]]:
    """Yield every method and path that the service has."""
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute)
            for method in route.methods or ():
                yield method, route.path


def filled(path: str) -> str:
    """Fill a path's parameters in."""
    given = {"assignment": "1-1", "format": "csv"}
    return re.sub(r"\{(\w+)\}", lambda name: given.get(name[1], "x"), path)


def test_every_route_asks_for_the_key_before_it_reads_a_body() -> None:
    routes = [route for router in ROUTERS for route in router.routes]
    assert routes and all(isinstance(route, AuthenticatedRoute) for route in routes)


def test_every_route_is_described(light: InProcess) -> None:
    described = light.app.openapi()["paths"]
    found = {(method.upper(), path) for path, methods in described.items() for method in methods}
    unlisted = {"/openapi.json", "/judge/{study}", "/static/{room}/{name}", *DASHBOARD}
    assert found == {(method, path) for method, path in operations() if path not in unlisted}
    assert light.get("/openapi.json")["paths"] == described
    for page in ("/docs", "/redoc"):
        refusal(light.send("GET", page), 404, "not-found")


@pytest.mark.parametrize("bearer", [None, "np_00000000_x", "np_", "x", "np_é", "npa_x.y.z"])
def test_every_route_but_health_and_pages_needs_a_key(light: InProcess, bearer: str | None) -> None:
    headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}".encode("latin-1")}
    asked = 0
    for method, path in operations():
        body = {"content": b"{}"} if method in ("POST", "PATCH") else {}
        # Whether there is a body at all depends on the method.
        told = light.http.request(method, filled(path), headers=headers, **body)  # type: ignore[arg-type]
        if path in OPEN:
            assert told.status_code == OPEN[path]
        else:
            refusal(told, 401)
            assert told.headers["www-authenticate"] == "Bearer"
            asked += 1
    assert asked > 25


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic eDp5", "np_x", "Bearer a b"])
def test_what_is_no_bearer_of_a_key_is_refused(light: InProcess, header: str) -> None:
    told = light.http.get("/v1/studies", headers={"Authorization": header})
    refusal(told, 401, "unauthorized")


READING = {
    ("GET", f"{ON_TOPIC}/ranking"),
    ("GET", f"{ON_TOPIC}/progress"),
    ("GET", f"{AT}/progress"),
    ("GET", f"{ON_TOPIC}/explain?first=d1&second=d2"),
    ("GET", f"{ON_TOPIC}/conflicts"),
    ("GET", f"{ON_TOPIC}/judgments"),
    ("GET", f"{AT}/workers"),
    ("GET", f"{AT}/export/csv"),
    ("GET", f"{AT}/activity"),
    ("GET", "/metrics"),
    ("DELETE", "/v1/sign-ins/current"),
}
LOOKING = {
    ("GET", "/v1/studies"),
    ("GET", AT),
    ("GET", f"{AT}/topics"),
    ("GET", ON_TOPIC),
    ("GET", f"{ON_TOPIC}/documents"),
}
JUDGING = {
    ("POST", f"{AT}/next"),
    ("POST", f"{AT}/sessions"),
    ("POST", "/v1/assignments/1-1/judgment"),
    ("POST", "/v1/assignments/1-1/skip"),
    ("POST", "/v1/assignments/1-1/undo"),
    ("GET", "/v1/assignments/1-1"),
}
MANAGING = {
    ("POST", "/v1/studies"),
    ("PATCH", AT),
    ("POST", f"{AT}/topics"),
    ("POST", f"{AT}/topics.jsonl"),
    ("PATCH", ON_TOPIC),
    ("PATCH", f"{AT}/workers/ann"),
    ("POST", f"{AT}/retractions"),
    ("GET", f"{AT}/hiring"),
    ("POST", f"{AT}/hiring"),
    ("POST", f"{AT}/hiring/plan"),
    ("POST", "/v1/keys"),
    ("GET", "/v1/keys"),
    ("DELETE", "/v1/keys/x"),
}


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        (Scope.READ, READING | LOOKING),
        (Scope.PLATFORM, JUDGING | LOOKING),
        (Scope.ADMIN, READING | LOOKING | JUDGING | MANAGING),
    ],
)
def test_a_key_opens_what_its_scope_says_and_nothing_else(
    light: InProcess, scope: Scope, allowed: set[tuple[str, str]]
) -> None:
    light.make_study()
    light.make_topic(3)
    light.one("ann")
    key = light.make_key(scope)
    for method, path in READING | LOOKING | JUDGING | MANAGING:
        # A body that nothing accepts: whoever may call is told so, and nothing is done.
        body: dict[str, Any] = {"content": b'{"x": 1}'} if method in ("POST", "PATCH") else {}
        told = light.send(method, path, bearer=key, **body)
        if (method, path) in allowed:
            assert told.status_code in (200, 404, 422), (method, path, told.text)
        else:
            refusal(told, 403, "forbidden")
    events = light.send("GET", f"{ON_TOPIC}/events?x=1", bearer=light.make_key(Scope.PLATFORM))
    assert events.status_code in (403, 422)


def test_a_key_is_shown_once_and_only_its_hash_is_kept(sqlite_url: str) -> None:
    with installed(sqlite_url) as service:
        once = {"Idempotency-Key": "first"}
        body = {"scope": "read", "label": "the report"}
        made = service.post("/v1/keys", body, status=201, headers=once)
        key = made.pop("key")
        assert service.get("/v1/studies", bearer=key)
        again = service.post("/v1/keys", body, headers=once)
        assert again == {**made, "key": None}
        listed = service.get("/v1/keys")["items"]
        assert made in listed
        assert len(listed) == 2
        assert key not in str(listed)
    kept = b"".join(
        file.read_bytes() for file in Path(sqlite_url.removeprefix("sqlite:///")).parent.iterdir()
    )
    assert made["id"].encode() in kept
    for secret in (key, service.key):
        assert secret.encode() not in kept
        assert secret_of(secret).encode() not in kept


def test_a_revoked_key_opens_nothing(service: InProcess) -> None:
    made = service.post("/v1/keys", {"scope": "admin"}, status=201)
    assert service.get("/v1/studies", bearer=made["key"])
    revoked = service.send("DELETE", f"/v1/keys/{made['id']}").json()
    assert revoked["revoked_at"]
    told = service.send("GET", "/v1/studies", bearer=made["key"])
    assert "revoked" in refusal(told, 401, "unauthorized")["detail"]
    service.clock.move(5)
    assert service.send("DELETE", f"/v1/keys/{made['id']}").json() == revoked, "twice is once"
    refusal(service.send("DELETE", "/v1/keys/unknown"), 404, "unknown-key")


def test_a_wrong_key_of_a_known_id_opens_nothing(light: InProcess) -> None:
    secret = secret_of(light.key)
    assert light.get("/v1/studies")
    told = light.send("GET", "/v1/studies", bearer=light.key.replace(secret, secret[::-1]))
    refusal(told, 401, "unauthorized")
