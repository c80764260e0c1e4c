"""Files that were sent: unpacked within limits, and read as files on disk are.

They have no path and no name on disk, so that nothing is left behind, however a process ends, and
what a file is called is only ever shown.
"""

import gzip
import io
import re
import tempfile
import zlib
from dataclasses import dataclass
from typing import BinaryIO, Literal

from nextpair.app.errors import TooLarge
from nextpair.app.formats.files import GZIP, BadFile
from nextpair.app.settings import MB

LONGEST_NAME = 100
_CHUNK = 2**20
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]")


def shown_name(filename: str | None) -> str:
    r"""Return what a sender calls a file, without folders and what cannot be seen.

    >>> shown_name("C:\\Users\\ann\\d.jsonl"), shown_name("../\0..")
    ('d.jsonl', '_..')
    """
    name = re.split(r"[/\\]", filename or "")[-1]
    return _HIDDEN.sub("_", name)[-LONGEST_NAME:] or "file"


@dataclass(slots=True)
class Allowance:
    """What is left of what the files of one request may have, once they are unpacked."""

    megabytes: float
    lines: int
    line_bytes: int
    _bytes: int = 0
    _lines: int = 0
    _line: int = 0

    def begin(self) -> None:
        """Begin with a file."""
        self._line = 0

    def spend(self, name: str, chunk: bytes) -> None:
        """Count a piece of a file, or refuse it."""
        self._bytes += len(chunk)
        if self._bytes > self.megabytes * MB:
            raise TooLarge(
                f"{name}: the files of an import have at most {self.megabytes:g} MB, unpacked"
            )
        # Readers take a carriage return for the end of a line, too.
        ends = chunk.count(b"\n") + chunk.count(b"\r") - chunk.count(b"\r\n")
        self._lines += ends
        if self._lines > self.lines:
            raise TooLarge(f"{name}: the files of an import have at most {self.lines:,} lines")
        last = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        self._line = self._line + len(chunk) if last < 0 else len(chunk) - last - 1
        if self._line > self.line_bytes:
            raise TooLarge(f"{name}: a line has more than {self.line_bytes:,} bytes")


class ReceivedFile:
    """A file that was sent, which can be read again and again."""

    def __init__(self, name: str, content: BinaryIO) -> None:
        self._name = name
        self._content = content

    def __str__(self) -> str:
        return self._name

    def open(self, mode: Literal["rb"]) -> io.BufferedReader:
        """Read it from its beginning."""
        return io.BufferedReader(_FromStart(self._content))

    def close(self) -> None:
        """Give back where it is kept."""
        self._content.close()


class _FromStart(io.RawIOBase):
    """A file that others read too, each from a place of its own."""

    def __init__(self, content: BinaryIO) -> None:
        super().__init__()
        self._content = content
        self._place = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]
        self._content.seek(self._place)
        read = self._content.read(len(buffer))
        buffer[: len(read)] = read
        self._place += len(read)
        return len(read)


def receive(filename: str | None, sent: BinaryIO, allowance: Allowance) -> ReceivedFile:
    """Unpack a file if it is packed: what is packed may be a thousand times as large."""
    name = shown_name(filename)
    allowance.begin()
    sent.seek(0)
    is_packed = sent.read(len(GZIP)) == GZIP
    sent.seek(0)
    if not is_packed:
        while chunk := sent.read(_CHUNK):
            allowance.spend(name, chunk)
        return ReceivedFile(name, sent)
    # It has no name in any folder: it is gone as soon as nobody has it open.
    unpacked = tempfile.TemporaryFile()
    try:
        _unpack(name, sent, unpacked, allowance)
    except BaseException:
        unpacked.close()
        raise
    return ReceivedFile(name, unpacked)


def _unpack(name: str, sent: BinaryIO, unpacked: BinaryIO, allowance: Allowance) -> None:
    try:
        with gzip.GzipFile(fileobj=sent, mode="rb") as packed:
            while chunk := packed.read(_CHUNK):
                if not unpacked.tell() and chunk.startswith(GZIP):
                    # Whoever reads it would unpack it once more, without any limit.
                    raise BadFile(f"{name}: the file is packed twice; unpack it once")
                allowance.spend(name, chunk)
                unpacked.write(chunk)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadFile(f"{name}: {error}") from None
