"""Reading text files line by line, with errors that say where."""

import csv
import gzip
import math
import re
import zlib
from collections.abc import Iterator, Sequence
from io import BufferedReader, TextIOWrapper
from typing import Literal, Protocol

from nextpair.app.formats.cells import read_cell
from nextpair.selectors.errors import BadInput

GZIP = b"\x1f\x8b"
WIDEST_CELL = 2**26
"""Characters a CSV cell may have: a page of HTML is easily wider than csv's own 2**17."""
UNDECODED = re.compile("[\udc80-\udcff]")
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class Source(Protocol):
    """A file to be read: a path, or one that was sent. As text it is what the file is called."""

    def open(self, mode: Literal["rb"]) -> BufferedReader:
        """Read it from its beginning."""
        ...


class BadFile(BadInput):
    """The file cannot be read as what it should be."""

    code = "bad-file"


def lines(path: Source) -> Iterator[tuple[str, str]]:
    """Yield each line that is not blank with where it stands, without its end."""
    for where, line in all_lines(path):
        if line.strip():
            yield where, line.rstrip("\r\n")


def all_lines(path: Source) -> Iterator[tuple[str, str]]:
    """Yield every line with where it stands; gzip is recognised by its content."""
    try:
        with path.open("rb") as raw, _decoded(raw) as text:
            for number, line in enumerate(text, start=1):
                where = f"{path}:{number}"
                if not line.isascii() or "\0" in line:
                    _check_decoded(where, line)
                yield where, line
    except (OSError, EOFError, zlib.error) as error:
        raise BadFile(f"{path}: {error}") from error


def _decoded(raw: BufferedReader) -> TextIOWrapper:
    packed = raw.peek(len(GZIP)).startswith(GZIP)
    # utf-8-sig: spreadsheets mark their exports with a byte order mark. surrogateescape: a strict
    # decoder fails for a whole block of lines, this one keeps a bad byte where it stands.
    return TextIOWrapper(
        gzip.GzipFile(fileobj=raw) if packed else raw,
        encoding="utf-8-sig",
        errors="surrogateescape",
    )


def _check_decoded(where: str, line: str) -> None:
    bad = UNDECODED.search(line)
    if bad:
        byte = ord(bad[0]) - 0xDC00
        raise BadFile(f"{where}: the byte {byte:#04x} is not utf-8; save the file as UTF-8")
    check_storable(where, "the line", line)


def check_storable(where: str, what: str, text: str) -> None:
    """Refuse what no database and no UTF-8 file can hold: NUL and half a surrogate pair."""
    bad = UNSTORABLE.search(text)
    if bad:
        raise BadFile(f"{where}: {what} has the character U+{ord(bad[0]):04X}, which is not text")


def rows(path: Source, required: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a CSV file with a header, each with where it stands.

    Cells that were written so that no spreadsheet computes with them are as they were before.
    """
    where = str(path)

    def remember() -> Iterator[str]:
        nonlocal where
        for place, line in all_lines(path):
            where = place
            yield line

    csv.field_size_limit(max(csv.field_size_limit(), WIDEST_CELL))
    try:
        reader = csv.DictReader(remember(), strict=True)
        _check_header(path, reader.fieldnames or (), required)
        for row in reader:
            if None in row or None in row.values():
                raise BadFile(f"{where}: the row does not have as many fields as the header")
            yield where, {name: read_cell(text) for name, text in row.items()}
    except csv.Error as error:
        raise BadFile(f"{where}: {error}") from error


def _check_header(path: Source, names: Sequence[str], required: Sequence[str]) -> None:
    missing = [name for name in required if name not in names]
    if missing:
        raise BadFile(f"{path}: the header lacks {', '.join(missing)}")
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise BadFile(f"{path}: the header has {twice[0]!r} twice")


def number(where: str, what: str, text: str) -> float:
    """Read a finite number."""
    try:
        value = float(text)
    except ValueError:
        raise BadFile(f"{where}: {what} must be a number, got {text!r}") from None
    if not math.isfinite(value):
        raise BadFile(f"{where}: {what} must be finite, got {text!r}")
    return value
