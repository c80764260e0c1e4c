"""What no platform should send: any value in place of any field, and answers that are no JSON."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

ODD: list[Any] = [
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
    """List where something stands in a value."""
    yield at
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in parts:
            yield from paths(inner, (*at, name))


def corrupted(value: Any, chance: random.Random) -> Any:
    """Return a value with one part replaced, or missing."""
    where = chance.choice(list(paths(value)))
    if not where:
        return chance.choice(ODD)
    changed = copy.deepcopy(value)
    inner = changed
    for name in where[:-1]:
        inner = inner[name]
    if isinstance(inner, dict) and chance.random() < 0.2:
        del inner[where[-1]]
    else:
        inner[where[-1]] = chance.choice(ODD)
    return changed


def corrupted_bytes(body: bytes, chance: random.Random) -> bytes:
    """Return an answer that is not what it should be."""
    if chance.random() < 0.25:
        return chance.choice(NO_JSON)
    try:
        return json.dumps(corrupted(json.loads(body), chance)).encode()
    except ValueError:
        return chance.choice(NO_JSON)
