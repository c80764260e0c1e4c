"""Fake platforms as real HTTP servers on this machine, which record requests and can fail."""

import copy
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from nextpair.app.platforms.base import Account


@dataclass(frozen=True, slots=True)
class Request:
    """A recorded request."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: bytes as they are, anything else as JSON."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        """The bytes of the body."""
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else json.dumps(self.body).encode()


class Refused(Exception):
    """The platform refuses a request."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(f"{status} {why}")
        self.reply = Reply(status, why)


_OF_SERVER = ("url", "accounts", "_lock")
"""Attributes of the running server, which are no part of the platform's state."""


class FakePlatform:
    """Answers by its routes, `METHOD /path/{name}/`, unless a fault is scheduled."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Request] = []
        self.faults: list[Reply] = []
        self.loses_answer_after: str | None = None
        self.broken: str | None = None
        self.accounts: list[Account] = []
        self._lock = threading.Lock()

    def routes(self) -> Mapping[str, Callable[..., Reply]]:
        """List its routes."""
        raise NotImplementedError

    def admit(self, request: Request) -> None:
        """Raise if the request lacks the right key."""
        raise NotImplementedError

    def refuse(self, refused: Refused) -> Reply:
        """Return a refusal in this platform's format."""
        return refused.reply

    def opened(self, account: Account) -> Account:
        """Register an account, to be closed in the end."""
        self.accounts.append(account)
        return account

    def calls(self, start: str) -> list[Request]:
        """List the requests so far whose method and path begin like this."""
        return [
            request
            for request in self.requests
            if f"{request.method} {request.path}".startswith(start)
        ]

    def snapshot(self) -> dict[str, Any]:
        """Copy the state of the platform."""
        state = {name: value for name, value in vars(self).items() if name not in _OF_SERVER}
        return copy.deepcopy(state)

    def restore_snapshot(self, snapshot: Mapping[str, Any]) -> None:
        """Restore the state of the platform."""
        vars(self).update(copy.deepcopy(dict(snapshot)))

    def answer(self, request: Request) -> Reply:
        """Answer one request at a time."""
        with self._lock:
            self.requests.append(request)
            if self.broken is not None and self.broken in request.path:
                return Reply(503)
            if self.faults:
                return self.faults.pop(0)
            try:
                self.admit(request)
                return self._routed(request)
            except Refused as refused:
                return self.refuse(refused)

    def _routed(self, request: Request) -> Reply:
        for route, serve in self.routes().items():
            method, _, path = route.partition(" ")
            pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)
            match = re.fullmatch(pattern, request.path)
            if match and method == request.method:
                return serve(request, **match.groupdict())
        raise Refused(404, f"there is no {request.method} {request.path}")


Fake = TypeVar("Fake", bound=FakePlatform)


@contextmanager
def serving(fake: Fake) -> Iterator[Fake]:
    """Run the server of a fake platform."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query, keep_blank_values=True))
            headers = {name.lower(): value for name, value in self.headers.items()}
            method = self.command
            reply = fake.answer(Request(method, parts.path, query, headers, body))
            if fake.loses_answer_after is not None and f"{method} {parts.path}".startswith(
                fake.loses_answer_after
            ):
                # It was done, and the answer is lost.
                fake.loses_answer_after = None
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.content)))
            self.end_headers()
            self.wfile.write(reply.content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield fake
    finally:
        for account in fake.accounts:
            account.close()
        server.shutdown()
        thread.join()
        server.server_close()
