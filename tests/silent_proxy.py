"""A proxy before PostgreSQL that falls silent on command: it takes all and passes nothing."""

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy.engine import make_url

CHUNK = 65_536


class SilentProxy:
    """Passes bytes between clients and a server, unless it is silent."""

    def __init__(self, server: str) -> None:
        self._url = make_url(server)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._wanted = threading.Event()
        self._closed = False
        self._partners: dict[socket.socket, socket.socket] = {}
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the server by way of the proxy."""
        host, port = self._listening.getsockname()
        query = {name: to for name, to in self._url.query.items() if name not in ("host", "port")}
        through = self._url.set(host=host, port=port, query=query)
        return through.render_as_string(hide_password=False)

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Pass nothing on, in either direction, until the block ends."""
        self._wanted.set()
        self._wake.send(b"x")
        try:
            yield
        finally:
            self._wanted.clear()
            self._wake.send(b"x")

    def close(self) -> None:
        """Cut all connections, and listen no more."""
        self._closed = True
        self._wake.send(b"x")
        self._thread.join()

    def _run(self) -> None:
        while not self._closed:
            for key, _ in self._selector.select():
                if key.fileobj is self._woken:
                    self._woken.recv(1)
                    self._fall_silent()
                elif key.fileobj is self._listening:
                    self._accept()
                else:
                    assert isinstance(key.fileobj, socket.socket)
                    self._pass_on(key.fileobj)
        for one in (self._listening, self._wake, self._woken, *self._partners):
            one.close()
        self._selector.close()

    def _fall_silent(self) -> None:
        while self._wanted.is_set() and not self._closed:
            # What comes meanwhile stays with the system, and is passed on later.
            self._woken.recv(1)

    def _accept(self) -> None:
        client, _ = self._listening.accept()
        server = self._connect()
        for one, other in ((client, server), (server, client)):
            self._partners[one] = other
            self._selector.register(one, selectors.EVENT_READ)

    def _connect(self) -> socket.socket:
        host = str(self._url.query.get("host") or self._url.host or "127.0.0.1")
        port = int(str(self._url.query.get("port") or self._url.port or 5432))
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        made = socket.socket(socket.AF_UNIX)
        made.connect(f"{host}/.s.PGSQL.{port}")
        return made

    def _pass_on(self, source: socket.socket) -> None:
        if source not in self._partners:
            return
        content = b""
        with suppress(OSError):
            content = source.recv(CHUNK)
        try:
            if content:
                self._partners[source].sendall(content)
        except OSError:
            content = b""
        if not content:
            for one in (source, self._partners[source]):
                del self._partners[one]
                self._selector.unregister(one)
                one.close()


@contextmanager
def silent_proxy(server: str) -> Iterator[SilentProxy]:
    """Yield a proxy before a server."""
    proxy = SilentProxy(server)
    try:
        yield proxy
    finally:
        proxy.close()
