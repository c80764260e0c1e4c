"""A proxy before PostgreSQL that lets every message take its time, as a server far away does."""

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import cast

import uvloop
from sqlalchemy.engine import URL, make_url


class _Side(asyncio.Protocol):
    """One side of a connection: what comes here leaves at the other side, later."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._transport: asyncio.Transport | None = None
        self._early: list[bytes] = []
        self.other: _Side | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        for data in self._early:
            self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        assert self.other is not None
        asyncio.get_running_loop().call_later(self._seconds, self.other.send, data)

    def connection_lost(self, error: Exception | None) -> None:
        assert self.other is not None
        asyncio.get_running_loop().call_later(self._seconds, self.other.close)

    def send(self, data: bytes) -> None:
        """Pass on what came at the other side."""
        if self._transport is None:
            self._early.append(data)
        else:
            self._transport.write(data)

    def close(self) -> None:
        """End as the other side has ended."""
        if self._transport is not None:
            self._transport.close()


async def _serve(server: URL, seconds: float, port: Connection) -> None:
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[object]] = set()

    def accept() -> _Side:
        here, there = _Side(seconds), _Side(seconds)
        here.other, there.other = there, here
        task: asyncio.Task[object] = loop.create_task(_connect(server, there))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return here

    listening = await loop.create_server(accept, "127.0.0.1", 0)
    port.send(listening.sockets[0].getsockname()[1])
    await listening.serve_forever()


async def _connect(server: URL, side: _Side) -> None:
    loop = asyncio.get_running_loop()
    host, number = server.query.get("host") or server.host or "127.0.0.1", server.port or 5432
    if str(host).startswith("/"):
        await loop.create_unix_connection(lambda: side, f"{host}/.s.PGSQL.{number}")
    else:
        await loop.create_connection(lambda: side, str(host), number)


def _run(server: str, seconds: float, port: Connection) -> None:
    uvloop.run(_serve(make_url(server), seconds, port))


@contextmanager
def delayed(server: str, seconds: float) -> Iterator[str]:
    """Yield the address of a database that is so many seconds away, there and back."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_run, args=(server, seconds / 2, there), daemon=True
    )
    process.start()
    try:
        url = make_url(server)
        query = {name: to for name, to in url.query.items() if name not in ("host", "port")}
        through = url.set(host="127.0.0.1", port=here.recv(), query=query)
        yield through.render_as_string(hide_password=False)
    finally:
        process.terminate()
        process.join()
