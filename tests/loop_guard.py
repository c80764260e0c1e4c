"""Catches every call to a database that is made on an event loop, where all requests would wait."""

import asyncio
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import Engine, event

WATCHED = ("engine_connect", "begin", "before_cursor_execute", "commit", "rollback")


@dataclass(slots=True)
class Calls:
    """What was asked of databases: how often off the event loop, and where on it."""

    elsewhere: int = 0
    on_loop: list[str] = field(default_factory=list)

    def note(self, *_: object) -> None:
        """Note a call, and let it fail if a loop runs in this thread."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self.elsewhere += 1
            return
        self.on_loop.append("".join(traceback.format_stack(limit=25)))
        raise AssertionError("a database was called on the event loop")


@contextmanager
def watched(engine: Engine) -> Iterator[Calls]:
    """Watch an engine; it is an error if any of its calls were made on an event loop."""
    calls = Calls()
    for name in WATCHED:
        event.listen(engine, name, calls.note)
    try:
        yield calls
    finally:
        for name in WATCHED:
            event.remove(engine, name, calls.note)
    assert not calls.on_loop, calls.on_loop[0]
