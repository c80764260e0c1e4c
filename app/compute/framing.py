"""Length-prefixed framing between the service and its helper processes: kind, length, payload."""

import os
import struct
from enum import IntEnum

_HEADER = struct.Struct("!BQ")
HEADER_BYTES = _HEADER.size


class FrameKind(IntEnum):
    """The type of a frame."""

    SETTINGS = 1
    JOB = 2
    CANCEL = 3
    HEADERS = 4
    CHUNK = 5
    END = 6
    ERROR = 7
    """The job was refused; the payload is the pickled error."""
    FAILED = 8
    """The forked process ended unexpectedly, or raised an error that is a defect."""
    CANCELLED = 9


TERMINAL = frozenset({FrameKind.END, FrameKind.ERROR, FrameKind.FAILED, FrameKind.CANCELLED})
"""After one of these, the helper waits for its next job."""


def pack_frame(kind: FrameKind, content: bytes = b"") -> bytes:
    """Encode a frame."""
    return _HEADER.pack(kind, len(content)) + content


def unpack_header(header: bytes) -> tuple[FrameKind, int]:
    """Decode the header of a frame: its kind, and the length of its payload."""
    kind, length = _HEADER.unpack(header)
    return FrameKind(kind), length


def read_frame(source: int) -> tuple[FrameKind, bytes] | None:
    """Read a frame from a file descriptor; None at the end of file."""
    header = _read_exactly(source, HEADER_BYTES)
    if header is None:
        return None
    kind, length = unpack_header(header)
    content = _read_exactly(source, length)
    return None if content is None else (kind, content)


def write_frame(target: int, kind: FrameKind, content: bytes = b"") -> None:
    """Write a frame to a file descriptor; blocks while the pipe is full."""
    rest = memoryview(pack_frame(kind, content))
    while rest:
        rest = rest[os.write(target, rest) :]


def _read_exactly(source: int, length: int) -> bytes | None:
    parts: list[bytes] = []
    while length:
        part = os.read(source, min(length, 1 << 20))
        if not part:
            return None
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
