"""No request waits for the database on the event loop, where all others would wait with it."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from in_process import STUDY, TOPIC, InProcess, installed
from loop_guard import watched

from nextpair.app.runtime.single_flight import SingleFlight
from nextpair.app.web.api_examples import EXAMPLES
from nextpair.storage.database import Database

GIVEN = {
    "study": STUDY,
    "topic": TOPIC,
    "assignment": "1-1",
    "format": "csv",
    "worker": "ann",
    "name": "judge.js",
}


@pytest.fixture(params=["alone on SQLite", "one of two on PostgreSQL"])
def service(request: pytest.FixtureRequest) -> Iterator[InProcess]:
    """The service in either of its two ways to write."""
    alone = "alone" in request.param
    url = request.getfixturevalue("sqlite_url" if alone else "postgresql_url")
    with installed(url, processes=1 if alone else 2) as made:
        yield made


def test_no_route_asks_the_database_on_the_event_loop(service: InProcess) -> None:
    service.make_study()
    service.make_topic(4)
    service.judge(service.one("ann", topic=TOPIC))
    described: dict[str, Any] = service.app.openapi()
    bodies = {shape.__name__: example for shape, example in EXAMPLES.items()}
    called = 0
    with watched(service.app.state.service.database._engine) as calls:
        for path, methods in described["paths"].items():
            for method, operation in methods.items():
                if path.endswith("/events"):
                    # A stream without an end: those of test_events.py are watched like this, too.
                    continue
                content = operation.get("requestBody", {}).get("content", {})
                schema = content.get("application/json", {}).get("schema", {})
                body = bodies.get(schema.get("$ref", "").rpartition("/")[2])
                # As often as not the key is not remembered: that is asked, too.
                service.app.state.keys._known.clear()
                told = service.send(method.upper(), _filled(path), body)
                assert told.status_code != 500, (method, path)
                called += 1
    assert called > 50
    assert calls.elsewhere > 100


def _filled(path: str) -> str:
    for name, to in GIVEN.items():
        path = path.replace(f"{{{name}}}", to)
    return path.replace("{", "").replace("}", "")


def test_many_who_come_with_one_key_have_it_looked_up_once(sqlite_url: str) -> None:
    flight, looked, go_on = SingleFlight[str](), list[str](), threading.Event()

    def look_up(key: str) -> str:
        looked.append(key)
        go_on.wait()
        return key.upper()

    async def many() -> list[str]:
        asking = [asyncio.create_task(flight.do(key, look_up)) for key in "aaba"]
        asking[0].cancel()
        while len(looked) < 2:
            await asyncio.sleep(0)
        go_on.set()
        told = await asyncio.gather(*asking, return_exceptions=True)
        assert isinstance(told[0], asyncio.CancelledError)
        assert await flight.do("a", look_up) == "A"
        return [str(one) for one in told[1:]]

    assert asyncio.run(many()) == ["A", "B", "A"]
    # Two threads look up the first two: either may be the first.
    assert sorted(looked[:2]) == ["a", "b"] and looked[2:] == ["a"]


def test_the_guard_catches_a_call_on_the_event_loop(sqlite_url: str) -> None:
    database = Database(sqlite_url)

    async def badly() -> None:
        database.ping()

    with pytest.raises(AssertionError, match="event loop"), watched(database._engine):
        asyncio.run(badly())
    database.close()
