"""HTTP on connections whose other end may be slow, silent, or one of thousands.

uvicorn limits how long a connection may be idle between requests, and nothing else: one on which a
part of a request has come, or nothing at all, would be kept for ever.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SLOWEST = 100
"""Bytes of a body that must come per second, on average over `receive_seconds`."""
LONGEST_HEAD = 65_536
"""Bytes that the head of a request may have; httptools would take any number."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What the connections of a process may do; makes the protocol of each.

    Parameters
    ----------
    receive_seconds
        How long the head of a request may take; and how long nearly nothing may come of a body.
    most
        How many there may be at once.
    waiting
        Those that have no request in work, longest first: the first to go when there are too many.
    """

    receive_seconds: float
    most: int
    waiting: dict["GuardedProtocol", None] = field(default_factory=dict)

    def __call__(self, **given: Any) -> "GuardedProtocol":
        """Make the protocol of a connection, as uvicorn asks for it."""
        return GuardedProtocol(self, **given)

    def make_room(self, connections: int) -> bool:
        """Say whether there is room for one more; close who has waited longest, if need be."""
        if connections <= self.most:
            return True
        for protocol in self.waiting:
            protocol.abort()
            return True
        return False


class GuardedProtocol(HttpToolsProtocol):
    """One connection. A timer runs while something is expected of the other end."""

    def __init__(self, limits: ConnectionLimits, **given: Any) -> None:
        super().__init__(**given)
        self._limits = limits
        self._timer: asyncio.TimerHandle | None = None
        self._received = 0
        self._has_body_to_come = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, if there is room for one more connection."""
        super().connection_made(transport)
        if not self._limits.make_room(len(self.connections)):
            self._refuse(503, "too-many-connections", "too many connections; try again in a moment")
            return
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_timer()
        self._limits.waiting.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; what comes after an answer is the next request, even if it is only a part."""
        self._received += len(data)
        super().data_received(data)
        if not self._is_between_requests():
            return
        if self._timer is None:
            self._wait_for_head()
        elif self._received > LONGEST_HEAD:
            self._refuse(431, "too-large", f"the head has more than {LONGEST_HEAD:,} bytes")

    def on_headers_complete(self) -> None:
        """Work on the request, and expect its body."""
        self._limits.waiting.pop(self, None)
        self._stop_timer()
        self._has_body_to_come = True
        super().on_headers_complete()
        self._expect(self._check_body)

    def on_message_complete(self) -> None:
        """Expect nothing while the request is in work."""
        self._stop_timer()
        self._has_body_to_come = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the other end to read the answer."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self._limits.waiting[self] = None

    def abort(self) -> None:
        """End the connection at once, even if the other end does not read what it was sent."""
        self._limits.waiting.pop(self, None)
        self._stop_timer()
        self.transport.abort()

    def _is_between_requests(self) -> bool:
        is_answered = self.cycle is None or self.cycle.response_complete
        return is_answered and not self._has_body_to_come

    def _wait_for_head(self) -> None:
        self._limits.waiting[self] = None
        self._expect(self._end_waiting)

    def _expect(self, otherwise: Any) -> None:
        self._received = 0
        self._timer = self.loop.call_later(self._limits.receive_seconds, otherwise)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_waiting(self) -> None:
        self._timer = None
        self._refuse(408, "too-slow", "the request did not come to its end in time")

    def _check_body(self) -> None:
        """Let a slow sender go on as long as something comes, or as we are the slower ones."""
        self._timer = None
        is_unread = self.flow.read_paused or bool(self.cycle.body)
        is_ours = is_unread and not self.cycle.response_complete
        if is_ours or self._received >= SLOWEST * self._limits.receive_seconds:
            self._expect(self._check_body)
        else:
            self._end_waiting()

    def _refuse(self, status: int, kind: str, detail: str) -> None:
        """Say why the connection is closed, unless an answer has begun, and close it."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(_answer(status, kind, detail))
        if cycle is not None and not cycle.response_complete:
            # Whatever the application still answers goes nowhere.
            cycle.disconnected = True
            cycle.message_event.set()
        self._stop_timer()
        self.transport.close()


def _answer(status: int, kind: str, detail: str) -> bytes:
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
