"""Corrupted messages of platforms: any value in place of any field, and bodies that are no JSON."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

ODD_VALUES: list[Any] = [
    None, True, -1, 0.5, 10**40, 1e308, float("nan"), "", " ", "\x00", "\ud800", "a\u202eb", "/",
    "x" * 5000, [], {}, [[]], [None], [1, 2], {"a": 1}, {"id": []},
]  # fmt: skip
NO_JSON = [
    b"<html>busy</html>",
    b"[",
    b"[" * 50_000,
    b"\xff\xfe",
    b"null",
    b"7",
    b'"text"',
    b"[]",
    b"{}",
]


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the paths of all parts of a value."""
    yield at
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in parts:
            yield from paths(inner, (*at, name))


def corrupted(value: Any, chance: random.Random) -> Any:
    """Return a copy of a value with one part replaced or removed."""
    path = chance.choice(list(paths(value)))
    if not path:
        return chance.choice(ODD_VALUES)
    changed = copy.deepcopy(value)
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    if isinstance(inner, dict) and chance.random() < 0.2:
        del inner[path[-1]]
    else:
        inner[path[-1]] = chance.choice(ODD_VALUES)
    return changed


def corrupted_bytes(body: bytes, chance: random.Random) -> bytes:
    """Return a corrupted body."""
    if chance.random() < 0.25:
        return chance.choice(NO_JSON)
    try:
        return json.dumps(corrupted(json.loads(body), chance)).encode()
    except ValueError:
        return chance.choice(NO_JSON)
