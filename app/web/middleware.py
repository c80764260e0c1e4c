"""Around every request: a name for it, a limit to its size, a line in the log, a count."""

import json
import logging
import secrets
import sys
import time
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nextpair.app.errors import TooLarge, problem_of
from nextpair.app.pages.headers import guarded
from nextpair.app.settings import MB
from nextpair.app.web.metrics import Metrics
from nextpair.app.web.problems import on_surprise, problem

log = logging.getLogger("nextpair")

UNKNOWN_MB = 0.01
"""What may be sent by someone of whom nothing is known yet: a one-time code takes far less."""


class Surroundings:
    """An ASGI layer around the application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, and note what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _Request(scope, receive, send)
        started = time.perf_counter()
        try:
            await request.run(self._app)
        finally:
            seconds = time.perf_counter() - started
            self._note(scope, request, seconds)

    def _note(self, scope: Scope, request: "_Request", seconds: float) -> None:
        # The route, not the path: a path may name a worker.
        route = getattr(scope.get("route"), "path", "none")
        self._metrics.count(scope["method"], route, request.status, seconds)
        if log.isEnabledFor(logging.INFO):
            noted = {
                "request_id": request.id,
                "method": scope["method"],
                "route": route,
                "status": request.status,
                "ms": round(seconds * 1000, 2),
                "key": scope.get("nextpair.key_id"),
            }
            log.info("request", extra=noted)


class SentBody:
    """What is sent with a request, and how much of it may be: little, until it is known by whom."""

    NAME = "nextpair.body"
    """Where a request keeps it."""

    def __init__(self, scope: Scope) -> None:
        headers = dict(scope["headers"])
        said = headers.get(b"content-length", b"")
        self.said = int(said[:20]) if said.isdigit() else 0
        self.limit = UNKNOWN_MB
        self.received = 0
        self.is_whole = not self.said and b"transfer-encoding" not in headers
        scope[self.NAME] = self

    def allow(self, megabytes: float) -> None:
        """Let it be as large as this."""
        self.limit = megabytes

    @property
    def is_too_large(self) -> bool:
        """Whether more than allowed has come, or is said to come."""
        return max(self.said, self.received) > self.limit * MB

    @property
    def is_left_unread(self) -> bool:
        """Whether more is to come than is worth waiting for."""
        return not self.is_whole and not 0 < self.said <= UNKNOWN_MB * MB


class _Request:
    """One request on its way through, which may turn out to be too large."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.id = scope["nextpair.request_id"] = secrets.token_hex(6)
        self.status = 0
        self._scope = scope
        self._receive = receive
        self._send = send
        self._body = SentBody(scope)
        self._refused = False

    async def run(self, app: ASGIApp) -> None:
        """Answer, also where something fails that nobody foresaw."""
        try:
            await app(self._scope, self.receive, self.send)
        except Exception as error:
            # Here, since the framework would let the server write its traceback once more.
            answer = on_surprise(Request(self._scope), error)
            if not self.status:
                await answer(self._scope, self.receive, self.send)

    async def receive(self) -> Message:
        """Pass the body on, as far as it is not too large; one that says it is, is not read."""
        if self._body.is_too_large and not self._refused:
            await self._refuse()
        if self._refused:
            return {"type": "http.disconnect"}
        message = await self._receive()
        self._body.received += len(message.get("body", b""))
        self._body.is_whole = not message.get("more_body", False)
        if self._body.is_too_large:
            await self._refuse()
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        """Pass the answer on, unless the request was refused."""
        if self._refused:
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            named = (b"x-request-id", self.id.encode())
            message["headers"] = guarded([*message["headers"], named])
            if self._body.is_left_unread:
                # Nobody reads it any more, so that the connection cannot be used again.
                message["headers"].append((b"connection", b"close"))
        await self._send(message)

    async def _refuse(self) -> None:
        self._refused = True
        self.status = 413
        found = problem_of(TooLarge(f"a request body here has at most {self._body.limit:g} MB"))
        answer = problem(413, found.type, found.title, found.detail, request_id=self.id)
        # What is left of the body is not read, so the connection cannot be used again.
        answer.headers["connection"] = "close"
        answer.headers["x-request-id"] = self.id
        answer.raw_headers = guarded(answer.raw_headers)
        await answer(self._scope, self._receive, self._send)


class JsonFormatter(logging.Formatter):
    """Writes a log record as one line of JSON."""

    _FIELDS = ("request_id", "method", "route", "status", "ms", "key", "study", "platform", "error")

    def format(self, record: logging.LogRecord) -> str:
        """Write one record."""
        line: dict[str, Any] = {
            "at": self.formatTime(record),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in self._FIELDS if hasattr(record, name)}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def start_logging(level: str) -> None:
    """Let the service's log go to standard error, a line of JSON each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    log.handlers = [handler]
    # What the server says by itself: it must be as easy to read, and is only warnings and errors.
    logging.getLogger("uvicorn").handlers = [handler]
    log.propagate = False
    log.setLevel(level.upper())
