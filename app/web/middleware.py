"""The outermost ASGI layer: request id, body limit, security headers, access log and metrics."""

import json
import logging
import secrets
import sys
import time
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nextpair.app.errors import TooLarge, problem_of
from nextpair.app.pages.headers import with_security_headers
from nextpair.app.settings import MB
from nextpair.app.web.metrics import Metrics
from nextpair.app.web.problems import on_unexpected_error, problem_document

log = logging.getLogger("nextpair")

UNAUTHENTICATED_MB = 0.01
"""The body limit until the caller is authenticated: a one-time code takes far less."""


class RequestMiddleware:
    """ASGI middleware around the application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run a request, then log and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _RequestContext(scope, receive, send)
        started = time.perf_counter()
        try:
            await request.run(self._app)
        finally:
            seconds = time.perf_counter() - started
            self._log_request(scope, request, seconds)

    def _log_request(self, scope: Scope, request: "_RequestContext", seconds: float) -> None:
        # The route, not the path: a path may name a worker.
        route = getattr(scope.get("route"), "path", "none")
        self._metrics.count(scope["method"], route, request.status, seconds)
        if log.isEnabledFor(logging.INFO):
            fields = {
                "request_id": request.id,
                "method": scope["method"],
                "route": route,
                "status": request.status,
                "ms": round(seconds * 1000, 2),
                "key": scope.get("nextpair.key_id"),
            }
            log.info("request", extra=fields)


class BodyLimit:
    """The size of a request's body, and its limit: a low one until the caller is authenticated."""

    SCOPE_KEY = "nextpair.body"
    """The key of the ASGI scope under which a request keeps it."""

    def __init__(self, scope: Scope) -> None:
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"")
        self.declared_length = int(declared[:20]) if declared.isdigit() else 0
        self.limit = UNAUTHENTICATED_MB
        self.received = 0
        self.is_complete = not self.declared_length and b"transfer-encoding" not in headers
        scope[self.SCOPE_KEY] = self

    def allow(self, megabytes: float) -> None:
        """Raise the limit."""
        self.limit = megabytes

    @property
    def is_too_large(self) -> bool:
        """Whether the received or the declared size exceeds the limit."""
        return max(self.declared_length, self.received) > self.limit * MB

    @property
    def is_left_unread(self) -> bool:
        """Whether the rest of the body is too long, or of unknown length, to wait for."""
        return not self.is_complete and not 0 < self.declared_length <= UNAUTHENTICATED_MB * MB


class _RequestContext:
    """One request, whose body is counted as it is received."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.id = scope["nextpair.request_id"] = secrets.token_hex(6)
        self.status = 0
        self._scope = scope
        self._receive = receive
        self._send = send
        self._body = BodyLimit(scope)
        self._refused = False

    async def run(self, app: ASGIApp) -> None:
        """Run the application; an unexpected error becomes a problem document."""
        try:
            await app(self._scope, self.receive, self.send)
        except Exception as error:
            # Not in the framework's handler: after it, the server would log the traceback again.
            response = on_unexpected_error(Request(self._scope), error)
            if not self.status:
                await response(self._scope, self.receive, self.send)

    async def receive(self) -> Message:
        """Pass the body on within its limit; one whose declared length exceeds it is not read."""
        if self._body.is_too_large and not self._refused:
            await self._refuse()
        if self._refused:
            return {"type": "http.disconnect"}
        message = await self._receive()
        self._body.received += len(message.get("body", b""))
        self._body.is_complete = not message.get("more_body", False)
        if self._body.is_too_large:
            await self._refuse()
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        """Pass the response on, unless the request was refused."""
        if self._refused:
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            request_id = (b"x-request-id", self.id.encode())
            message["headers"] = with_security_headers([*message["headers"], request_id])
            if self._body.is_left_unread:
                # The rest of the body is not read, so the connection cannot be reused.
                message["headers"].append((b"connection", b"close"))
        await self._send(message)

    async def _refuse(self) -> None:
        self._refused = True
        self.status = 413
        problem = problem_of(TooLarge(f"a request body here has at most {self._body.limit:g} MB"))
        response = problem_document(
            413, problem.type, problem.title, problem.detail, request_id=self.id
        )
        # The rest of the body is not read, so the connection cannot be reused.
        response.headers["connection"] = "close"
        response.headers["x-request-id"] = self.id
        response.raw_headers = with_security_headers(response.raw_headers)
        await response(self._scope, self._receive, self._send)


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
    """Write the service's log to standard error, one line of JSON per record."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    log.handlers = [handler]
    # The server's own warnings and errors, in the same format.
    logging.getLogger("uvicorn").handlers = [handler]
    log.propagate = False
    log.setLevel(level.upper())
