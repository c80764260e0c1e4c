"""Reading text files line by line, with errors that say where."""

import csv
import gzip
import math
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from nextpair.selectors.errors import BadInput


class BadFile(BadInput):
    """The file cannot be read as what it should be."""


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each line that is not blank with where it stands; gzip is recognised by its content."""
    for where, line in _text(path):
        if line.strip():
            yield where, line.rstrip("\r\n")


def _text(path: Path) -> Iterator[tuple[str, str]]:
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        # utf-8-sig: spreadsheets mark their exports with a byte order mark.
        opened = gzip.open(path, "rt", encoding="utf-8-sig") if packed else None
        with opened or path.open(encoding="utf-8-sig") as text:
            for number, line in enumerate(text, start=1):
                yield f"{path}:{number}", line
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise BadFile(f"{path}: {error}") from error


def rows(path: Path, required: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a CSV file with a header, each with where it stands."""
    where = str(path)

    def remember() -> Iterator[str]:
        nonlocal where
        for place, line in _text(path):
            where = place
            yield line

    try:
        reader = csv.DictReader(remember(), strict=True)
        _check_header(path, reader.fieldnames or (), required)
        for row in reader:
            if None in row or None in row.values():
                raise BadFile(f"{where}: the row does not have as many fields as the header")
            yield where, row
    except csv.Error as error:
        raise BadFile(f"{where}: {error}") from error


def _check_header(path: Path, names: Sequence[str], required: Sequence[str]) -> None:
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
