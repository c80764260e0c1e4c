"""Uploads that tests look into half-way, and what those leave behind."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from in_process import AT, TOPIC, InProcess
from sqlalchemy import text

from nextpair.app.runtime.service_context import ServiceContext
from nextpair.storage.database import Connection, Database

SIZE = 10
NAMES = [f"d{place}" for place in range(SIZE)]
WRITE_PART = Database.write_part
Hook = Callable[[int], None]
"""Is told after each transaction of an upload how many there have been."""


@contextmanager
def between(hook: Hook) -> Iterator[None]:
    """Do something after each transaction of an upload, in its thread."""
    count = [0]

    @contextmanager
    def write_part(database: Database) -> Iterator[Connection]:
        with WRITE_PART(database) as connection:
            yield connection
        count[0] += 1
        hook(count[0])

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Database, "write_part", write_part)
        yield


def lines(topic: str = TOPIC, of: str = "text") -> bytes:
    documents = [{"id": name, "text": f"{of} {name}"} for name in NAMES]
    return b"\n".join(json.dumps(line).encode() for line in ({"id": topic}, *documents))


def upload(service: InProcess, content: bytes | None = None) -> Any:
    return service.send("POST", f"{AT}/topics.jsonl", content=content or lines())


def several(service: InProcess, **said: str) -> Any:
    """Import three topics."""
    rows = [f"{name},t{number},text" for number in range(3) for name in NAMES]
    content = "\n".join(["id,topic,text", *rows]).encode()
    files = {"documents": ("d.csv", content)}
    return service.send("POST", f"{AT}/imports", files=files, data=said)


def topics(service: InProcess) -> list[str]:
    return [row["id"] for row in service.get(f"{AT}/topics")["items"]]


def left(service: InProcess) -> tuple[int, ...]:
    """Count what uploads have left behind."""
    staged = "SELECT id FROM topics WHERE upload_id IS NOT NULL"
    counted = ("uploads", f"({staged}) AS t", f"documents WHERE topic_id IN ({staged})")
    database = database_of(service)
    with database.read() as connection:
        found = [connection.execute(text(f"SELECT count(*) FROM {one}")) for one in counted]
        return tuple(one.scalar_one() for one in found)


def database_of(service: InProcess) -> Database:
    real: ServiceContext = service.app.state.service
    return real.database


NOTHING = (0, 0, 0)
