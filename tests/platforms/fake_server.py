"""A fake platform is a real server on this machine: it keeps what it was sent, and can fail."""

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
    """What was sent."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """What the body says."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered: bytes as they are, anything else as JSON."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        """What goes over the wire."""
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else json.dumps(self.body).encode()


class Refused(Exception):
    """The platform does not do this."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(f"{status} {why}")
        self.reply = Reply(status, why)


_RUNNING = ("url", "accounts", "_lock")
"""What of a fake belongs to its server, and not to what happened there."""


class FakePlatform:
    """Answers as its routes say, `METHOD /path/{name}/`, unless it was told to fail first."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Request] = []
        self.faults: list[Reply] = []
        self.loses_answer_after: str | None = None
        self.broken: str | None = None
        self.accounts: list[Account] = []
        self._lock = threading.Lock()

    def routes(self) -> Mapping[str, Callable[..., Reply]]:
        """List what it answers to."""
        raise NotImplementedError

    def admit(self, request: Request) -> None:
        """Raise if the request does not bring the right key."""
        raise NotImplementedError

    def refuse(self, refused: Refused) -> Reply:
        """Say no, as this platform does."""
        return refused.reply

    def opened(self, account: Account) -> Account:
        """Close an account in the end."""
        self.accounts.append(account)
        return account

    def calls(self, start: str) -> list[Request]:
        """List the requests so far whose method and path begin like this."""
        return [one for one in self.requests if f"{one.method} {one.path}".startswith(start)]

    def snapshot(self) -> dict[str, Any]:
        """Copy all that happened here."""
        own = {name: value for name, value in vars(self).items() if name not in _RUNNING}
        return copy.deepcopy(own)

    def restore_snapshot(self, kept: Mapping[str, Any]) -> None:
        """Be as it was when that copy was made."""
        vars(self).update(copy.deepcopy(dict(kept)))

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
            found = re.fullmatch(pattern, request.path)
            if found and method == request.method:
                return serve(request, **found.groupdict())
        raise Refused(404, f"there is no {request.method} {request.path}")


Fake = TypeVar("Fake", bound=FakePlatform)


@contextmanager
def serving(fake: Fake) -> Iterator[Fake]:
    """Let a fake platform listen on this machine."""

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
                # It was done, and nobody hears of it.
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
            """Say nothing."""

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
