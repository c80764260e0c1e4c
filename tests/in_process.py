"""The whole service in this process, on a real database and a clock that only tests move."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI
from httpx2 import Response
from installations import new_key
from loop_guard import watched
from sqlalchemy import event
from starlette.testclient import TestClient

from nextpair.app.enums import Scope
from nextpair.app.main import create_app
from nextpair.app.settings import ServiceSettings

Json = dict[str, Any]
STUDY, TOPIC = "answers", "coffee"
AT = f"/v1/studies/{STUDY}"
ON_TOPIC = f"{AT}/topics/{TOPIC}"
PROBLEM = "application/problem+json"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class InProcess:
    """An application with an admin's key, and short words for what most tests do."""

    def __init__(self, app: FastAPI, http: TestClient, clock: Clock, url: str, key: str) -> None:
        self.app = app
        self.http = http
        self.clock = clock
        self.url = url
        self.key = key

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        bearer: str | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Response:
        """Send a request with the admin's key, or with another key or token."""
        sent = {"Authorization": f"Bearer {bearer or self.key}", **(headers or {})}
        if body is not None:
            more["json"] = body
        return self.http.request(method, path, headers=sent, **more)

    def get(self, path: str, *, bearer: str | None = None, **query: object) -> Any:
        """Read something that must be there."""
        response = self.send("GET", path, bearer=bearer, params=query)
        assert response.status_code == 200, response.text
        return response.json()

    def post(self, path: str, body: object, *, status: int = 200, **given: Any) -> Any:
        """Post something that must be taken."""
        response = self.send("POST", path, body, **given)
        assert response.status_code == status, response.text
        return response.json()

    def make_key(self, scope: Scope) -> str:
        """Make another key."""
        made = self.post("/v1/keys", {"scope": scope.value}, status=201)
        return str(made["key"])

    def make_study(self, study: str = STUDY, **settings: object) -> Json:
        """Add a study, whose selector takes every answer for true unless another is named."""
        settings = {"selector": "merge-tie-random", **settings}
        made: Json = self.post("/v1/studies", {"id": study, **settings}, status=201)
        return made

    def make_topic(self, size: int, topic: str = TOPIC, study: str = STUDY) -> Json:
        """Add a topic with documents d1, d2 and so on."""
        documents = [{"id": f"d{n}", "text": f"text {n}"} for n in range(1, size + 1)]
        body = {"id": topic, "documents": documents}
        made: Json = self.post(f"/v1/studies/{study}/topics", body, status=201)
        return made

    def next(self, worker: str, study: str = STUDY, **wish: object) -> Json:
        """Ask for questions."""
        body = {"worker": worker, **wish}
        got: Json = self.post(f"/v1/studies/{study}/next", body)
        if got["understanding"] is None:
            del got["understanding"]
        return got

    def one(self, worker: str, study: str = STUDY, **wish: object) -> Json:
        """Ask for a question, which there must be."""
        (assignment,) = self.next(worker, study, **wish)["assignments"]
        return dict(assignment)

    def judge(
        self,
        assignment: Json,
        answer: str | Mapping[str, object] = "left",
        *,
        bearer: str | None = None,
        **more: object,
    ) -> Response:
        """Answer a question: a preference by its word, anything else as it is sent."""
        content = {"preference": answer} if isinstance(answer, str) else answer
        body = {"answer": content, **more}
        return self.send(
            "POST", f"/v1/assignments/{assignment['id']}/judgment", body, bearer=bearer
        )

    def skip(self, assignment: Json, *, bearer: str | None = None, **body: object) -> Response:
        """Give a question back."""
        return self.send("POST", f"/v1/assignments/{assignment['id']}/skip", body, bearer=bearer)

    def undo(self, assignment: Json, *, bearer: str | None = None, **body: object) -> Response:
        """Take an answer back."""
        return self.send("POST", f"/v1/assignments/{assignment['id']}/undo", body, bearer=bearer)

    def judge_all(self, *workers: str, study: str = STUDY, topic: str | None = None) -> int:
        """Let workers answer by turns, smaller numbers better, until nothing is left to ask."""
        answers = 0
        while True:
            before = answers
            for worker in workers:
                for assignment in self.next(worker, study, topic=topic)["assignments"]:
                    assert self.judge(assignment, by_number(assignment)).status_code == 201
                    answers += 1
            if answers == before:
                return answers


def by_number(assignment: Json) -> str:
    """Prefer the document of the smaller number."""
    left, right = (number_of(assignment[side]) for side in ("left", "right"))
    return "left" if left < right else "right"


def number_of(document: Json) -> int:
    """Return the number at the end of a document's text, or of its id: workers are told others."""
    found = re.search(r"[0-9]+$", document["text"]) or re.fullmatch(
        r"[a-z]([0-9]+)", document["id"]
    )
    assert found is not None, document
    return int(found[found.lastindex or 0])


def pair_of(assignment: Json) -> frozenset[str]:
    """Return which documents a question is about."""
    return frozenset((assignment["left"]["id"], assignment["right"]["id"]))


def refusal(response: Response, status: int, kind: str | None = None) -> Json:
    """Check that an answer is a problem document of a status and kind, and return it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == PROBLEM
    body: Json = response.json()
    assert body["status"] == status
    assert body["type"].startswith("urn:nextpair:")
    assert body["title"] and body["detail"]
    assert body["request_id"] == response.headers["x-request-id"]
    if kind is not None:
        assert body["type"] == f"urn:nextpair:{kind}", body
    return body


Installed = Callable[..., InProcess]


def hurried(connection: Any, _: object) -> None:
    """Wait for no disk: no machine dies here, and what a process has written outlives it anyway."""
    sqlite = isinstance(connection, sqlite3.Connection)
    connection.execute("PRAGMA synchronous = OFF" if sqlite else "SET synchronous_commit = off")
    if not sqlite:
        connection.commit()


@contextmanager
def installed(url: str, **settings: Any) -> Iterator[InProcess]:
    """Yield the service on a database, with settings of one's own."""
    key, clock = new_key(url), Clock()
    unlimited = dict.fromkeys(("rate_per_key", "rate_per_worker", "rate_per_address"), 1e6)
    settings = {"log_level": "warning", "runner_seconds": 0, **unlimited, **settings}
    app = create_app(ServiceSettings(database=url, **settings), clock=clock)
    engine = app.state.service.database._engine
    event.listen(engine, "connect", hurried)
    engine.dispose()
    with watched(engine), TestClient(app) as http:
        # What the database's clock decides on, leases and payments, tests move by the same clock.
        app.state.service.database.clock = clock
        yield InProcess(app, http, clock, url, key)
