"""Uploaded files: decompressed within limits, and read like files on disk.

They are unnamed temporary files, so nothing is left behind however the process ends; the sender's
file name is used in messages only.
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

MAX_NAME_LENGTH = 100
_CHUNK = 2**20
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]")


def displayed_file_name(filename: str | None) -> str:
    r"""Return the sender's name of a file, without folders and invisible characters.

    >>> displayed_file_name("C:\\Users\\ann\\d.jsonl"), displayed_file_name("../\0..")
    ('d.jsonl', '_..')
    """
    name = re.split(r"[/\\]", filename or "")[-1]
    return _HIDDEN.sub("_", name)[-MAX_NAME_LENGTH:] or "file"


@dataclass(slots=True)
class UnpackQuota:
    """Counts the decompressed bytes and lines of one request's files against their limits."""

    megabytes: float
    lines: int
    line_bytes: int
    _bytes: int = 0
    _lines: int = 0
    _line: int = 0

    def begin(self) -> None:
        """Start counting a new file."""
        self._line = 0

    def spend(self, name: str, chunk: bytes) -> None:
        """Count a chunk of a file, or refuse it."""
        self._bytes += len(chunk)
        if self._bytes > self.megabytes * MB:
            raise TooLarge(
                f"{name}: the files of an import have at most {self.megabytes:g} MB, unpacked"
            )
        # Universal newlines: readers take a carriage return for a line end, too.
        ends = chunk.count(b"\n") + chunk.count(b"\r") - chunk.count(b"\r\n")
        self._lines += ends
        if self._lines > self.lines:
            raise TooLarge(f"{name}: the files of an import have at most {self.lines:,} lines")
        last = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        self._line = self._line + len(chunk) if last < 0 else len(chunk) - last - 1
        if self._line > self.line_bytes:
            raise TooLarge(f"{name}: a line has more than {self.line_bytes:,} bytes")


class UploadedFile:
    """An uploaded file, which can be opened several times."""

    def __init__(self, name: str, content: BinaryIO) -> None:
        self._name = name
        self._content = content

    def __str__(self) -> str:
        return self._name

    def open(self, mode: Literal["rb"]) -> io.BufferedReader:
        """Open it at its beginning."""
        return io.BufferedReader(_IndependentReader(self._content))

    def close(self) -> None:
        """Delete the file."""
        self._content.close()


class _IndependentReader(io.RawIOBase):
    """A reader with a position of its own in a shared file."""

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


def unpack_upload(filename: str | None, sent: BinaryIO, allowance: UnpackQuota) -> UploadedFile:
    """Decompress an upload if it is gzip, within the quota: it may grow a thousandfold."""
    name = displayed_file_name(filename)
    allowance.begin()
    sent.seek(0)
    is_packed = sent.read(len(GZIP)) == GZIP
    sent.seek(0)
    if not is_packed:
        while chunk := sent.read(_CHUNK):
            allowance.spend(name, chunk)
        return UploadedFile(name, sent)
    # An unnamed file: the system deletes it when it is closed.
    unpacked = tempfile.TemporaryFile()
    try:
        _unpack(name, sent, unpacked, allowance)
    except BaseException:
        unpacked.close()
        raise
    return UploadedFile(name, unpacked)


def _unpack(name: str, sent: BinaryIO, unpacked: BinaryIO, allowance: UnpackQuota) -> None:
    try:
        with gzip.GzipFile(fileobj=sent, mode="rb") as packed:
            while chunk := packed.read(_CHUNK):
                if not unpacked.tell() and chunk.startswith(GZIP):
                    # The reader would decompress it a second time, without any limit.
                    raise BadFile(f"{name}: the file is packed twice; unpack it once")
                allowance.spend(name, chunk)
                unpacked.write(chunk)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadFile(f"{name}: {error}") from None
