"""Around every request: a name for it, a limit to its size, a line in the log, a count."""

import json
import logging
import secrets
import sys
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nextpair.app.errors import TooLarge, problem_of
from nextpair.app.metrics import Metrics
from nextpair.app.pages.headers import guarded
from nextpair.app.problems import problem
from nextpair.app.settings import MB, Settings

log = logging.getLogger("nextpair")


class Surroundings:
    """An ASGI layer around the application."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, and note what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _Request(scope, receive, send, self._limit(scope["path"]))
        started = time.perf_counter()
        try:
            await request.run(self._app)
        finally:
            seconds = time.perf_counter() - started
            self._note(scope, request, seconds)

    def _limit(self, path: str) -> int:
        settings = self._settings
        upload = path.endswith(("/topics.jsonl", "/imports"))
        return round((settings.max_upload_mb if upload else settings.max_body_mb) * MB)

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


class _Request:
    """One request on its way through, which may turn out to be too large."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        self.id = scope["nextpair.request_id"] = secrets.token_hex(6)
        self.status = 0
        self._scope = scope
        self._receive = receive
        self._send = send
        self._limit = limit
        self._received = 0
        self._refused = False

    async def run(self, app: ASGIApp) -> None:
        """Answer, or refuse before anything is read if the request says that it is too large."""
        for name, value in self._scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > self._limit:
                await self._refuse()
                return
        await app(self._scope, self.receive, self.send)

    async def receive(self) -> Message:
        """Pass the body on, as far as it is not too large."""
        message = await self._receive()
        self._received += len(message.get("body", b""))
        if self._received > self._limit and not self._refused:
            await self._refuse()
        return {"type": "http.disconnect"} if self._refused else message

    async def send(self, message: Message) -> None:
        """Pass the answer on, unless the request was refused."""
        if self._refused:
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            named = (b"x-request-id", self.id.encode())
            message["headers"] = guarded([*message["headers"], named])
        await self._send(message)

    async def _refuse(self) -> None:
        self._refused = True
        self.status = 413
        found = problem_of(TooLarge(f"a request body here has at most {self._limit / MB:g} MB"))
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
    log.propagate = False
    log.setLevel(level.upper())
