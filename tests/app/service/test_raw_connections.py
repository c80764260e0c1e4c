"""A real service and bare sockets: what is sent without a key, in part, or not at all."""

import json
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from crowds import until
from installations import migrated, new_key, serving
from processes import connections

PATIENCE = 120
"""Seconds that only a hang reaches."""
FEW_FILES = ("sh", "-c", 'ulimit -Sn 100 && ulimit -Hn 230 && exec "$0" "$@"', sys.executable)
"""A program that may open few files, and even fewer unless it asks for more."""
ROOM = 115
"""Connections that half of these files are for."""
MB = 1_000_000
NESTED = b"[" + b"[]," * (8 * MB // 3 - 2) + b"[]]"
"""8 MB that become 260 MB once they are parsed."""


@dataclass(frozen=True)
class Served:
    """A running service."""

    port: int
    pid: int
    key: str

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def is_alive(self) -> bool:
        """Say whether a new connection is answered."""
        with self.connect() as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return b" 200 " in everything(connection).partition(b"\r\n")[0]

    def peak(self) -> float:
        """Return the most memory that the process has had, in MB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found
        return int(found[1]) / 1000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service that waits three seconds, and may open few files."""
    url = f"sqlite:///{tmp_path_factory.mktemp('raw') / 'nextpair.db'}"
    migrated(url)
    key = new_key(url)
    program = (*FEW_FILES, "-m", "nextpair.app.cli")
    with serving(url, program=program, receive_seconds=3) as (address, pid):
        yield Served(urlsplit(address).port or 0, pid, key)


def everything(connection: socket.socket) -> bytes:
    """Read until the other end closes the connection."""
    read = b""
    with suppress(ConnectionResetError):
        while piece := connection.recv(65536):
            read += piece
    return read


def one_answer(connection: socket.socket) -> bytes:
    """Read one answer, of a connection that may be used again."""
    read = b""
    while not (size := re.search(rb"content-length: (\d+)\r\n(?s:.*?)\r\n\r\n", read)) or (
        len(read) < size.end() + int(size[1])
    ):
        piece = connection.recv(65536)
        assert piece, read
        read += piece
    return read


def post(path: str, size: int, *headers: str) -> bytes:
    """Return the head of a request with a body."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", "Content-Type: application/json"]
    return "\r\n".join([*lines, f"Content-Length: {size}", *headers, "", ""]).encode()


@pytest.mark.parametrize("key", ["", "Authorization: Bearer np_00000000_x"])
@pytest.mark.parametrize("path", ["/v1/studies", "/v1/studies/x/imports", "/v1/session/next"])
def test_a_key_is_refused_although_the_body_never_comes(
    served: Served, path: str, key: str
) -> None:
    with served.connect() as connection:
        connection.sendall(post(path, 7 * MB, *filter(None, [key])))
        answer = everything(connection)
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"\r\nconnection: close\r\n" in answer
    assert answer.lower().count(b"\r\nconnection:") == 1


def test_bodies_without_a_key_take_no_memory(served: Served) -> None:
    assert served.is_alive()
    before = served.peak()
    for path in ("/v1/studies", "/v1/keys", "/v1/sign-ins/use", "/v1/session/begin"):
        with served.connect() as connection:
            with suppress(ConnectionError):
                connection.sendall(post(path, len(NESTED)) + NESTED)
            assert everything(connection)[9:12] in (b"401", b"413", b"")
    assert served.peak() - before < 40


WHOLE = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


def test_what_is_sent_in_part_is_cut(served: Served) -> None:
    key = f"Authorization: Bearer {served.key}"
    parts = [
        b"",
        b"\r\n",
        WHOLE[:7],
        WHOLE[:-2],
        post("/v1/studies", 100, key) + b"{",
        post("/v1/studies", 100, key, "Expect: 100-continue"),
        post("/v1/studies/x/topics.jsonl", 100, key) + b"{",
    ]
    with ExitStack() as stack:
        opened = [(stack.enter_context(served.connect()), part) for part in parts]
        for part in (b"\r\n", WHOLE[:7]):
            # The next request on a connection that has had an answer.
            connection = stack.enter_context(served.connect())
            connection.sendall(WHOLE)
            assert one_answer(connection).startswith(b"HTTP/1.1 200 ")
            opened.append((connection, part))
        for connection, part in opened:
            connection.sendall(part)
        for connection, part in opened:
            _, status, problem = everything(connection).rpartition(b"HTTP/1.1 408 ")
            assert status, part
            body = json.loads(problem.partition(b"\r\n\r\n")[2])
            assert body["type"] == "urn:nextpair:too-slow"
    until(lambda: connections(served.pid, served.port) == 0, "connections are closed", PATIENCE)


def test_a_small_body_that_nobody_waits_for_any_more_is_cut_too(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(post("/v1/studies", 100))
        answer = everything(connection)
    assert answer.startswith(b"HTTP/1.1 401 ")
    with served.connect() as connection:
        connection.sendall(post("/v1/studies", 100))
        assert one_answer(connection).startswith(b"HTTP/1.1 401 ")
        connection.sendall(b" " * 100 + WHOLE)
        assert one_answer(connection).startswith(b"HTTP/1.1 200 "), "it can be used again"


def test_a_head_without_an_end_is_refused(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        with suppress(ConnectionError):
            for number in range(1000):
                connection.sendall(f"X-{number}: ".encode() + b"x" * 1000 + b"\r\n")
        answer = everything(connection)
    assert answer[:12] in (b"HTTP/1.1 431", b"")
    assert served.is_alive()


def test_silent_connections_leave_room_for_others(served: Served) -> None:
    with ExitStack() as stack:
        for _ in range(4 * ROOM):
            stack.enter_context(served.connect())
        assert served.is_alive()
        assert 100 < connections(served.pid, served.port) <= ROOM
