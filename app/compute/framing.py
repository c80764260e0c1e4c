"""What the service and its helper processes say to each other: a kind, a length, and content."""

import os
import struct
from enum import IntEnum

_HEAD = struct.Struct("!BQ")
HEAD_BYTES = _HEAD.size


class Kind(IntEnum):
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


TERMINAL = frozenset({Kind.END, Kind.ERROR, Kind.FAILED, Kind.CANCELLED})
"""After one of these, the helper waits for its next job."""


def pack(kind: Kind, content: bytes = b"") -> bytes:
    """Write a frame."""
    return _HEAD.pack(kind, len(content)) + content


def unpack_head(head: bytes) -> tuple[Kind, int]:
    """Read the beginning of a frame: its kind, and the length of its content."""
    kind, length = _HEAD.unpack(head)
    return Kind(kind), length


def read_frame(source: int) -> tuple[Kind, bytes] | None:
    """Read a frame from a file descriptor; None at its end."""
    head = _read(source, HEAD_BYTES)
    if head is None:
        return None
    kind, length = unpack_head(head)
    content = _read(source, length)
    return None if content is None else (kind, content)


def write_frame(target: int, kind: Kind, content: bytes = b"") -> None:
    """Write a frame to a file descriptor, waiting until its reader has room for it."""
    rest = memoryview(pack(kind, content))
    while rest:
        rest = rest[os.write(target, rest) :]


def _read(source: int, length: int) -> bytes | None:
    parts: list[bytes] = []
    while length:
        part = os.read(source, min(length, 1 << 20))
        if not part:
            return None
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
