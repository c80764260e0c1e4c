"""Connections and their timers, which only the test lets run out: who is cut, and who never."""

import asyncio
import pickle
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from nextpair.app.web.connection_guard import LONGEST_HEAD, ConnectionLimits, GuardedProtocol

HEAD = b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
SECONDS = 20.0


class Timer:
    """Something to be called later, unless it is cancelled."""

    def __init__(self, what: Callable[[], None]) -> None:
        self.what: Callable[[], None] | None = what

    def cancel(self) -> None:
        """Call nothing."""
        self.what = None


class Loop:
    """An event loop whose timers the test fires."""

    def __init__(self) -> None:
        self.timers: list[Timer] = []

    def call_later(self, seconds: float, what: Callable[[], None]) -> Timer:
        """Note what is to be called after as long as a sender may take, or as uvicorn keeps it."""
        assert seconds in (SECONDS, 5)
        self.timers.append(Timer(what))
        return self.timers[-1]

    def create_task(self, coroutine: Any) -> asyncio.Task[None]:
        """Run a request."""
        return asyncio.get_running_loop().create_task(coroutine)

    def pass_time(self) -> None:
        """Let every timer run out that has been set until now."""
        due, self.timers = self.timers, []
        for timer in due:
            if timer.what is not None:
                timer.what()


class Transport(asyncio.Transport):
    """The sending side of a connection."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.is_closed = self.is_aborted = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send."""
        self.sent += bytes(data)

    def close(self) -> None:
        """Close."""
        self.is_closed = True

    def abort(self) -> None:
        """Close, whatever is left to send."""
        self.is_closed = self.is_aborted = True

    def is_closing(self) -> bool:
        """Say whether it is closed."""
        return self.is_closed

    def pause_reading(self) -> None:
        """Take no more for a while."""

    def resume_reading(self) -> None:
        """Go on."""


App = Callable[[Any, Any, Any], Awaitable[None]]


class Ends:
    """Both ends of connections to an application."""

    def __init__(self, app: App, most: int = 10) -> None:
        self.loop = Loop()
        self.limits = ConnectionLimits(SECONDS, most)
        self._config = Config(app, http="h11", lifespan="off")
        self._state = ServerState()

    def connect(self) -> tuple[GuardedProtocol, Transport]:
        """Open a connection."""
        made = self.limits(
            config=self._config, server_state=self._state, app_state={}, _loop=self.loop
        )
        transport = Transport()
        made.connection_made(transport)
        return made, transport


async def settle() -> None:
    """Let requests go on as far as they can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def answer(send: Any) -> None:
    """Answer a request."""
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


async def read_all(scope: Any, receive: Any, send: Any) -> None:
    """Read a body to its end, and answer."""
    while (await receive()).get("more_body"):
        pass
    await answer(send)


def test_a_slow_upload_that_goes_on_is_never_cut() -> None:
    async def run() -> None:
        ends = Ends(read_all)
        protocol, transport = ends.connect()
        protocol.data_received(HEAD % 200_000)
        for _ in range(100):
            protocol.data_received(b"x" * 2000)
            await settle()
            assert not transport.is_closed
            ends.loop.pass_time()
        await settle()
        assert transport.sent.startswith(b"HTTP/1.1 200 ")

    asyncio.run(run())


@pytest.mark.parametrize("bytes_each_time", [0, 1, 1999])
def test_a_body_of_which_nearly_nothing_comes_is_cut(bytes_each_time: int) -> None:
    async def run() -> None:
        ends = Ends(read_all)
        protocol, transport = ends.connect()
        protocol.data_received(HEAD % 200_000)
        await settle()
        protocol.data_received(b"x" * bytes_each_time)
        await settle()
        ends.loop.pass_time()
        await settle()
        assert transport.is_closed
        assert transport.sent.startswith(b"HTTP/1.1 408 ")
        assert b"HTTP/1.1 200" not in transport.sent

    asyncio.run(run())


def test_a_sender_is_not_cut_because_the_service_is_slow() -> None:
    async def run() -> None:
        may_read = asyncio.Event()

        async def slow(scope: Any, receive: Any, send: Any) -> None:
            await may_read.wait()
            await read_all(scope, receive, send)

        ends = Ends(slow)
        protocol, transport = ends.connect()
        protocol.data_received(HEAD % 200_000 + b"x" * 70_000)
        await settle()
        for _ in range(5):
            ends.loop.pass_time()
        assert not transport.is_closed
        may_read.set()
        await settle()
        ends.loop.pass_time()
        assert transport.is_closed, "now it is the sender that is slow"

    asyncio.run(run())


def test_an_answer_may_take_as_long_as_it_takes() -> None:
    async def run() -> None:
        may_answer = asyncio.Event()

        async def long(scope: Any, receive: Any, send: Any) -> None:
            await may_answer.wait()
            await answer(send)

        ends = Ends(long)
        protocol, transport = ends.connect()
        protocol.data_received(HEAD % 2 + b"xx")
        await settle()
        for _ in range(5):
            ends.loop.pass_time()
        may_answer.set()
        await settle()
        assert transport.sent.endswith(b"ok")

    asyncio.run(run())


@pytest.mark.parametrize("piece", [b"", b"\r\n", b"GET /", b"GET / HTTP/1.1\r\nX: "])
@pytest.mark.parametrize("requests", [0, 1])
def test_a_request_that_does_not_come_is_cut(piece: bytes, requests: int) -> None:
    async def run() -> None:
        ends = Ends(read_all)
        protocol, transport = ends.connect()
        for _ in range(requests):
            protocol.data_received(HEAD % 1 + b"x")
            await settle()
        protocol.data_received(piece)
        ends.loop.pass_time()
        assert transport.is_closed
        protocol.connection_lost(None)
        assert not ends.limits.waiting

    asyncio.run(run())


def test_a_head_may_be_long_but_not_endless() -> None:
    async def run() -> None:
        ends = Ends(read_all)
        for size, status in ((LONGEST_HEAD - 1000, b"200"), (LONGEST_HEAD + 1, b"431")):
            protocol, transport = ends.connect()
            protocol.data_received(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * size)
            if not transport.is_closed:
                protocol.data_received(b"\r\n\r\n")
            await settle()
            assert transport.sent.startswith(b"HTTP/1.1 " + status)

    asyncio.run(run())


def test_who_has_waited_longest_makes_room_and_who_is_worked_for_stays() -> None:
    async def run() -> None:
        async def never(scope: Any, receive: Any, send: Any) -> None:
            await asyncio.Event().wait()

        ends = Ends(never, most=3)
        busy, busy_transport = ends.connect()
        busy.data_received(b"GET / HTTP/1.1\r\n\r\n")
        opened = [ends.connect() for _ in range(5)]
        for protocol, transport in opened[:3]:
            assert transport.is_closed
            protocol.connection_lost(None)
        assert not any(transport.is_closed for _, transport in opened[3:])
        assert not busy_transport.is_closed
        for protocol, _ in opened[3:]:
            protocol.data_received(b"GET / HTTP/1.1\r\n\r\n")
        _, late = ends.connect()
        assert late.is_closed
        assert late.sent.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1\r\n" in late.sent
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await settle()

    asyncio.run(run())


@pytest.mark.parametrize("headers", [b"", b"Connection: close\r\n", b"Content-Length: 9\r\n"])
def test_who_does_not_read_an_answer_or_end_a_body_makes_room_too(headers: bytes) -> None:
    async def run() -> None:
        async def at_once(scope: Any, receive: Any, send: Any) -> None:
            await answer(send)

        ends = Ends(at_once, most=1)
        protocol, transport = ends.connect()
        protocol.data_received(b"POST / HTTP/1.1\r\n" + headers + b"\r\n")
        await settle()
        assert transport.sent.endswith(b"ok")
        _, other = ends.connect()
        assert transport.is_aborted, "what is sent to it may never be read"
        assert not other.is_closed

    asyncio.run(run())


def test_limits_go_to_processes_that_are_started() -> None:
    limits = ConnectionLimits(SECONDS, 10)
    assert pickle.loads(pickle.dumps(limits)) == limits
