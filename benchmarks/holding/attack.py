"""Load that is not judging: a large upload, and somebody without a key who wishes the service ill.

Each is a process of its own that ends when it is told to, and after some minutes in any case.
"""

import http.client
import json
import os
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from urllib.parse import urlsplit

from benchmarks.holding.probe import connect

LONGEST = 300.0
"""Seconds after which a load ends by itself."""
UPLOAD_MB = 200
TEXT = 100_000
"""Characters of an uploaded document."""
BODY_MB = 8
IDLE_SOCKETS = 200

Load = Callable[[str, str, Event], None]
"""Works on the service at an address, with a key, until the event is set."""
Holding = Callable[[str, str], AbstractContextManager[object]]
"""Puts a load on the service at an address, by a key, for as long as it is entered."""


@contextmanager
def in_background(load: Load, address: str, key: str) -> Iterator[None]:
    """Put a load on a service until the block ends."""
    context = get_context("spawn")
    over = context.Event()
    process = context.Process(target=load, args=(address, key, over), daemon=True)
    process.start()
    try:
        yield
    finally:
        over.set()
        process.join(10)
        process.kill()


@contextmanager
def upload(address: str, key: str) -> Iterator[None]:
    """Upload 200 MB as a topic of one study, again and again."""
    with in_background(_upload, address, key):
        yield


@contextmanager
def keyless(address: str, key: str) -> Iterator[None]:
    """Send what somebody without a key can send, in many ways at once."""
    loads = (_nested_bodies, _half_sent, _forged)
    with in_background(loads[0], address, ""), in_background(loads[1], address, ""):
        with in_background(loads[2], address, ""):
            yield


def _upload(address: str, key: str, over: Event) -> None:
    study = f"uploads-{os.getpid()}"
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection = connect(address)
    connection.request("POST", "/v1/studies", json.dumps({"id": study}), headers)
    connection.getresponse().read()
    number, ends = 0, time.monotonic() + LONGEST
    while not over.is_set() and time.monotonic() < ends:
        number += 1
        with suppress(OSError, http.client.HTTPException):
            connection = connect(address)
            path = f"/v1/studies/{study}/topics.jsonl"
            kind = {**headers, "Content-Type": "application/jsonl"}
            connection.request("POST", path, _lines(number), kind, encode_chunked=True)
            connection.getresponse().read()


def _lines(number: int) -> Iterator[bytes]:
    yield json.dumps({"id": f"big-{number}"}).encode() + b"\n"
    text = "word " * (TEXT // 5)
    for place in range(UPLOAD_MB * 1_000_000 // TEXT):
        yield json.dumps({"id": f"d{place}", "text": text}).encode() + b"\n"


def _nested_bodies(address: str, key: str, over: Event) -> None:
    """Send 8 MB of nested arrays without a key, over two connections in turns."""
    body = b"[" * (BODY_MB * 500_000) + b"]" * (BODY_MB * 500_000 - 1)
    ends = time.monotonic() + LONGEST
    while not over.is_set() and time.monotonic() < ends:
        connections = [connect(address) for _ in range(2)]
        for connection in connections:
            with suppress(OSError, http.client.HTTPException):
                kind = {"Content-Type": "application/json"}
                connection.request("POST", "/v1/studies", body, kind)
        for connection in connections:
            with suppress(OSError, http.client.HTTPException):
                connection.getresponse().read()
            connection.close()


def _half_sent(address: str, key: str, over: Event) -> None:
    """Keep connections open on which half of a request was sent, and open lost ones again."""
    parts = urlsplit(address)
    ends = time.monotonic() + LONGEST
    held: list[socket.socket] = []
    while not over.is_set() and time.monotonic() < ends:
        while len(held) < IDLE_SOCKETS:
            with suppress(OSError):
                opened = socket.create_connection((parts.hostname or "", parts.port or 0), 5)
                opened.sendall(b"POST /v1/studies HTTP/1.1\r\nHost: here\r\nContent-Le")
                held.append(opened)
        for opened in list(held):
            try:
                opened.sendall(b"n")
            except OSError:
                held.remove(opened)
                opened.close()
        time.sleep(0.5)
    for opened in held:
        opened.close()


def _forged(address: str, key: str, over: Event) -> None:
    """Try tokens, keys and arrivals that nobody gave out, fifty a second."""
    chance = random.Random(5)
    ends = time.monotonic() + LONGEST
    while not over.is_set() and time.monotonic() < ends:
        connection = connect(address)
        with suppress(OSError, http.client.HTTPException):
            for _ in range(50):
                method, path, headers = _forgery(chance)
                connection.request(method, path, b"{}" if method == "POST" else None, headers)
                connection.getresponse().read()
                time.sleep(0.02)
        connection.close()


def _forgery(chance: random.Random) -> tuple[str, str, dict[str, str]]:
    drawn = chance.randbytes(24).hex()
    bearer = {"Authorization": f"Bearer {drawn}", "Content-Type": "application/json"}
    return chance.choice(
        (
            ("POST", "/v1/assignments/1-1/judgment", bearer),
            ("POST", "/v1/studies/judged/next", bearer),
            ("GET", f"/judge/judged/enter?workerId={drawn}&assignmentId={drawn}&hitId={drawn}", {}),
            ("GET", f"/judge/judged?session={drawn}", {}),
        )
    )
