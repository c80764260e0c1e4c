"""The files of the pages, read once and kept: they come with the package and do not change."""

import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is sent."""

    content: bytes
    media_type: str
    etag: str


@cache
def page(name: str) -> File:
    """Return a page."""
    return _read((files("nextpair.app.pages") / name).read_bytes(), "text/html")


@cache
def static_files() -> dict[str, File]:
    """Return all scripts, styles and pictures by their names: what is not here is not served."""
    found = (files("nextpair.app.pages") / "static").iterdir()
    return {one.name: _read(one.read_bytes(), _type(one.name)) for one in found if one.is_file()}


def _read(content: bytes, media_type: str) -> File:
    return File(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:20]}"')


def _type(name: str) -> str:
    # Not only the machine's own table: a browser runs no script of a type it does not know.
    return _TYPES.get(name[name.rfind(".") :]) or mimetypes.guess_type(name)[0] or "text/plain"
