"""The files of the pages, read once and kept: they come with the package and do not change."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePath

ROOMS = ("dashboard", "judge", "shared")
"""Folders of pages. A room may use its own files and those of `shared`."""
# Declared here, not looked up: a browser runs no script of a type that it does not know.
SERVED = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""The media type of every kind of file that is served."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is sent."""

    content: bytes
    media_type: str
    etag: str


@cache
def page(room: str) -> File:
    """Return the HTML page of a room."""
    return _read((files("nextpair.app.pages") / room / f"{room}.html").read_bytes(), "text/html")


@cache
def static_files() -> dict[str, File]:
    """Return all scripts, styles and icons, by names such as `judge/main.js`.

    No other file is served.
    """
    return {
        f"{room}/{file.name}": _read(file.read_bytes(), SERVED[suffix])
        for room in ROOMS
        for file in (files("nextpair.app.pages") / room).iterdir()
        if (suffix := PurePath(file.name).suffix) in SERVED
    }


def _read(content: bytes, media_type: str) -> File:
    return File(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:20]}"')
