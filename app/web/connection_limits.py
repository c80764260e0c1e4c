"""Timeouts and a limit for HTTP connections, against clients that are slow, silent or too many.

uvicorn limits how long a connection may be idle between requests, and nothing else: one on which
part of a request has arrived, or nothing at all, would be kept for ever (slowloris).
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MIN_BODY_BYTES_PER_SECOND = 100
"""The rate at which a body must arrive, on average over `receive_seconds`."""
MAX_HEAD_BYTES = 65_536
"""The size of a request's head; httptools has no limit of its own."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The limits of all connections of a process; the factory of their protocols.

    Parameters
    ----------
    receive_seconds
        The timeout for the head of a request, and for progress of its body.
    max_connections
        How many connections may be open at once.
    idle
        Connections without a request in progress, longest idle first: these are closed when there
        are too many.
    """

    receive_seconds: float
    max_connections: int
    idle: dict["LimitedHttpProtocol", None] = field(default_factory=dict)

    def __call__(self, **options: Any) -> "LimitedHttpProtocol":
        """Make the protocol of a connection, called by uvicorn."""
        return LimitedHttpProtocol(self, **options)

    def make_room(self, connections: int) -> bool:
        """Return whether one more connection fits; if need be, close the longest idle one."""
        if connections <= self.max_connections:
            return True
        for protocol in self.idle:
            protocol.abort()
            return True
        return False


class LimitedHttpProtocol(HttpToolsProtocol):
    """One connection. A timer runs while the client is expected to send something."""

    def __init__(self, limits: ConnectionLimits, **options: Any) -> None:
        super().__init__(**options)
        self._limits = limits
        self._timer: asyncio.TimerHandle | None = None
        self._received = 0
        self._has_body_to_come = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, or refuse one connection too many."""
        super().connection_made(transport)
        if not self._limits.make_room(len(self.connections)):
            self._refuse(503, "too-many-connections", "too many connections; try again in a moment")
            return
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop tracking the connection."""
        self._stop_timer()
        self._limits.idle.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data; after a response, it is (part of) the next request."""
        self._received += len(data)
        super().data_received(data)
        if not self._is_between_requests():
            return
        if self._timer is None:
            self._wait_for_head()
        elif self._received > MAX_HEAD_BYTES:
            self._refuse(431, "too-large", f"the head has more than {MAX_HEAD_BYTES:,} bytes")

    def on_headers_complete(self) -> None:
        """Start the request, and expect its body."""
        self._limits.idle.pop(self, None)
        self._stop_timer()
        self._has_body_to_come = True
        super().on_headers_complete()
        self._expect(self._check_body)

    def on_message_complete(self) -> None:
        """Expect nothing while the request is processed."""
        self._stop_timer()
        self._has_body_to_come = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the client to read the response."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self._limits.idle[self] = None

    def abort(self) -> None:
        """Close the connection at once, without waiting for the client to read."""
        self._limits.idle.pop(self, None)
        self._stop_timer()
        self.transport.abort()

    def _is_between_requests(self) -> bool:
        is_answered = self.cycle is None or self.cycle.response_complete
        return is_answered and not self._has_body_to_come

    def _wait_for_head(self) -> None:
        self._limits.idle[self] = None
        self._expect(self._time_out)

    def _expect(self, otherwise: Any) -> None:
        self._received = 0
        self._timer = self.loop.call_later(self._limits.receive_seconds, otherwise)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timer = None
        self._refuse(408, "too-slow", "the request did not come to its end in time")

    def _check_body(self) -> None:
        """Go on as long as the body makes progress, or the server itself is the slower side."""
        self._timer = None
        is_unread = self.flow.read_paused or bool(self.cycle.body)
        is_server_slower = is_unread and not self.cycle.response_complete
        if (
            is_server_slower
            or self._received >= MIN_BODY_BYTES_PER_SECOND * self._limits.receive_seconds
        ):
            self._expect(self._check_body)
        else:
            self._time_out()

    def _refuse(self, status: int, kind: str, detail: str) -> None:
        """Close the connection with a problem document, unless a response has begun."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(_problem_response(status, kind, detail))
        if cycle is not None and not cycle.response_complete:
            # The application is told that the client has disconnected.
            cycle.disconnected = True
            cycle.message_event.set()
        self._stop_timer()
        self.transport.close()


def _problem_response(status: int, kind: str, detail: str) -> bytes:
    title = HTTPStatus(status).phrase
    problem: Mapping[str, object] = {
        "type": f"urn:nextpair:{kind}",
        "title": title.capitalize(),
        "status": status,
        "detail": detail,
    }
    body = json.dumps(problem).encode()
    lines = [
        f"HTTP/1.1 {status} {title}",
        "content-type: application/problem+json",
        f"content-length: {len(body)}",
        *(["retry-after: 1"] if status == HTTPStatus.SERVICE_UNAVAILABLE else []),
        "connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body
