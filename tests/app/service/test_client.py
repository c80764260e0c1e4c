"""The client: sends again what may be sent again, and says why a call was refused."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from nextpair.app.client import Client, Unreachable
from nextpair.app.wire.exports import Format

Answer = tuple[int, dict[str, Any]] | None
"""A status and a body; or None, to hang up without a word."""


class Failing(BaseHTTPRequestHandler):
    """Gives the answers it was told to, one after the other, and notes what it was asked."""

    protocol_version = "HTTP/1.1"
    answers: ClassVar[list[Answer]] = []
    seen: ClassVar[list[tuple[str, str | None, bytes]]] = []

    def _answer(self) -> None:
        body = self._body()
        self.seen.append((self.path, self.headers["Idempotency-Key"], body))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            self.close_connection = True
            return
        status, content = answer
        sent = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def _body(self) -> bytes:
        if self.headers["Transfer-Encoding"] != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"] or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    do_GET = do_POST = do_PATCH = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


Serve = Callable[..., tuple[Client, list[tuple[str, str | None, bytes]]]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with answers to give, and a client to it that does not wait."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    clients = []

    def start(*answers: Answer, retries: int = 4) -> Any:
        Failing.answers, Failing.seen = list(answers), []
        address = f"http://127.0.0.1:{server.server_port}"
        client = Client(address, "key", retries=retries, sleep=lambda _: None, timeout=10)
        clients.append(client)
        return client, Failing.seen

    yield start
    for client in clients:
        client.close()
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_export_from_what_does_not_answer_is_unreachable_too(serve: Serve) -> None:
    with (
        Client("http://127.0.0.1:1", "key", retries=1, sleep=lambda _: None) as client,
        pytest.raises(Unreachable),
    ):
        list(client.export("s", Format.CSV))
    lost, _ = serve(None)
    with pytest.raises(Unreachable):
        list(lost.export("s", Format.CSV))
