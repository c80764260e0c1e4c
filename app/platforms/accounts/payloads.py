"""Validated reading of JSON from platforms: every value by its path and with its type."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nextpair.app.errors import Malformed

MAX_NAME_LENGTH = 200
MAX_TEXT_LENGTH = 100_000
MAX_ITEMS = 100_000
MAX_PAGES = 1_000
"""Pages of a list that are read at most: a platform may return pages without end."""
MAX_SECONDS = 10.0 * 365 * 86_400


def parse(text: str | bytes) -> "JsonNode":
    """Read JSON; NaN, infinities and excessive nesting are refused."""
    try:
        return JsonNode(json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        raise Malformed("it is not JSON in UTF-8") from None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value of a JSON document, and its path in it."""

    value: Any
    path: str = ""

    def __getitem__(self, name: str) -> "JsonNode":
        node = self.get(name)
        if node is None:
            raise Malformed(f"{self._at(name)} is missing")
        return node

    def get(self, name: str) -> "JsonNode | None":
        """Return a member of an object, or None if it is missing or null."""
        value = self.mapping().get(name)
        return None if value is None else JsonNode(value, self._at(name))

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def _wrong(self, what: str) -> Malformed:
        return Malformed(f"{self.path or 'it'} must be {what}")

    def mapping(self) -> Mapping[str, Any]:
        """Return the value as an object."""
        if not isinstance(self.value, Mapping):
            raise self._wrong("an object")
        return self.value

    def items(self, most: int = MAX_ITEMS) -> list["JsonNode"]:
        """Return the items of a list."""
        if not isinstance(self.value, list | tuple) or len(self.value) > most:
            raise self._wrong(f"a list of at most {most}")
        return [JsonNode(item, f"{self.path}[{place}]") for place, item in enumerate(self.value)]

    def only(self) -> "JsonNode":
        """Return a value that may be wrapped in a list of one."""
        value = self.value
        return JsonNode(value[0], self.path) if isinstance(value, list) and value else self

    def text(self, most: int = MAX_TEXT_LENGTH) -> str:
        """Return text that every database can store."""
        if not isinstance(self.value, str) or len(self.value) > most:
            raise self._wrong(f"text of at most {most} characters")
        if "\x00" in self.value or any("\ud800" <= char <= "\udfff" for char in self.value):
            raise self._wrong("text without the character NUL and without halves of characters")
        return self.value

    def identifier(self) -> str:
        """Return an identifier: text on one line, or a whole number as text."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            named = JsonNode(f"{self.value:d}" if abs(self.value) < 10**30 else "", self.path)
        else:
            named = self
        if not isinstance(named.value, str) or not 0 < len(named.value) <= MAX_NAME_LENGTH:
            raise self._wrong(f"a name of 1 to {MAX_NAME_LENGTH} characters, or a whole number")
        if not named.value.isprintable():
            raise self._wrong("a name on one line, without invisible characters")
        return named.value

    def seconds(self) -> float:
        """Return a duration in seconds."""
        value = self.value
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not 0 <= value <= MAX_SECONDS:
            raise self._wrong(f"a number of seconds from 0 to {MAX_SECONDS:.0f}")
        return float(value)


def printable(text: str) -> str:
    """Replace what not every database can store or screen can show."""
    return "".join(char if char.isprintable() or char.isspace() else "\ufffd" for char in text)


def identifier_in(content: Any, name: str) -> str:
    """Return the identifier that an object has as a member."""
    return JsonNode(content)[name].identifier()
