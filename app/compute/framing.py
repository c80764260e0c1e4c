"""What the service and its helper processes say to each other: a kind, a length, and content."""

import os
import struct
from enum import IntEnum

_HEADER = struct.Struct("!BQ")
HEADER_BYTES = _HEADER.size


class FrameKind(IntEnum):
    """What a frame is."""

    SETTINGS = 1
    JOB = 2
    CANCEL = 3
    HEADERS = 4
    CHUNK = 5
    END = 6
    ERROR = 7
    """The job was refused; the content is the pickled error."""
    FAILED = 8
    """The process that computed is gone, or met an error of the program."""
    CANCELLED = 9


TERMINAL = frozenset({FrameKind.END, FrameKind.ERROR, FrameKind.FAILED, FrameKind.CANCELLED})
"""After one of these, the helper waits for its next job."""


def pack_frame(kind: FrameKind, content: bytes = b"") -> bytes:
    """Write a frame."""
    return _HEADER.pack(kind, len(content)) + content


def unpack_header(head: bytes) -> tuple[FrameKind, int]:
    """Read the beginning of a frame: its kind, and the length of its content."""
    kind, length = _HEADER.unpack(head)
    return FrameKind(kind), length


def read_frame(source: int) -> tuple[FrameKind, bytes] | None:
    """Read a frame from a file descriptor; None at its end."""
    head = _read_exactly(source, HEADER_BYTES)
    if head is None:
        return None
    kind, length = unpack_header(head)
    content = _read_exactly(source, length)
    return None if content is None else (kind, content)


def write_frame(target: int, kind: FrameKind, content: bytes = b"") -> None:
    """Write a frame to a file descriptor, waiting until its reader has room for it."""
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
