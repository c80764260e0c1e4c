"""Reading what a platform told: each value has its place, and must be what stands there."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nextpair.app.errors import Malformed

LONGEST_NAME = 200
LONGEST_TEXT = 100_000
MOST_ITEMS = 100_000
MOST_PAGES = 1_000
"""Pages of a list that are read: a platform that never comes to the end must not be followed."""
LONGEST_SECONDS = 10.0 * 365 * 86_400


def parse(text: str | bytes) -> "Node":
    """Read JSON, numbers that are none and endless nesting excluded."""
    try:
        return Node(json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        raise Malformed("it is not JSON in UTF-8") from None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


@dataclass(frozen=True, slots=True)
class Node:
    """A value, and where it stands in what was told."""

    value: Any
    path: str = ""

    def __getitem__(self, name: str) -> "Node":
        found = self.get(name)
        if found is None:
            raise Malformed(f"{self._at(name)} is missing")
        return found

    def get(self, name: str) -> "Node | None":
        """Return what an object has under a name, unless it is null."""
        value = self.mapping().get(name)
        return None if value is None else Node(value, self._at(name))

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def _wrong(self, what: str) -> Malformed:
        return Malformed(f"{self.path or 'it'} must be {what}")

    def mapping(self) -> Mapping[str, Any]:
        """Return an object."""
        if not isinstance(self.value, Mapping):
            raise self._wrong("an object")
        return self.value

    def items(self, most: int = MOST_ITEMS) -> list["Node"]:
        """Return what a list has."""
        if not isinstance(self.value, list | tuple) or len(self.value) > most:
            raise self._wrong(f"a list of at most {most}")
        return [Node(one, f"{self.path}[{place}]") for place, one in enumerate(self.value)]

    def only(self) -> "Node":
        """Return a value that may be told as a list of one."""
        value = self.value
        return Node(value[0], self.path) if isinstance(value, list) and value else self

    def text(self, most: int = LONGEST_TEXT) -> str:
        """Return text that every database can keep."""
        if not isinstance(self.value, str) or len(self.value) > most:
            raise self._wrong(f"text of at most {most} characters")
        if "\x00" in self.value or any("\ud800" <= one <= "\udfff" for one in self.value):
            raise self._wrong("text without the character NUL and without halves of characters")
        return self.value

    def identifier(self) -> str:
        """Return what something is called: text on one line, or a whole number."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            told = Node(f"{self.value:d}" if abs(self.value) < 10**30 else "", self.path)
        else:
            told = self
        if not isinstance(told.value, str) or not 0 < len(told.value) <= LONGEST_NAME:
            raise self._wrong(f"a name of 1 to {LONGEST_NAME} characters, or a whole number")
        if not told.value.isprintable():
            raise self._wrong("a name on one line, without invisible characters")
        return told.value

    def seconds(self) -> float:
        """Return how long something took."""
        value = self.value
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not math.isfinite(value) or not 0 <= value <= LONGEST_SECONDS:
            raise self._wrong(f"a number of seconds from 0 to {LONGEST_SECONDS:.0f}")
        return float(value)


def printable(words: str) -> str:
    """Make of a platform's words what every database can keep, and every screen show."""
    return "".join(one if one.isprintable() or one.isspace() else "\ufffd" for one in words)


def identifier_in(content: Any, name: str) -> str:
    """Return what an object says it is called."""
    return Node(content)[name].identifier()
