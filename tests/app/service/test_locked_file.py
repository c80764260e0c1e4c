"""Another program keeps the write lock of the SQLite file: reading goes on, writers are told."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest
from crowds import Place, persistent, pool
from installations import new_key, serving

from nextpair.app.client import Client

STUDY, TOPIC = "judged", "t"
SECONDS = 60
"""How long a client waits: a service that waits with it on its event loop answers nothing."""
FOR_EVER = 600


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Be in the middle of a transaction that writes."""
    other = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


class Asked:
    """A service as it is asked from outside."""

    def __init__(self, address: str, key: str) -> None:
        self.place = Place(address, key, STUDY)
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(
            base_url=address, headers=headers, timeout=SECONDS, trust_env=False
        )
        with Client(address, key) as client:
            client.create_study(STUDY, selector="merge-tie-random", votes=2)
            client.add_topic(STUDY, pool(TOPIC, documents=8))
        with persistent(self.place) as client:
            handed = client.next(STUDY, "ann", topic=TOPIC, count=4).assignments
        self.held = [one.id for one in handed]

    def close(self) -> None:
        """Give back all connections."""
        self._http.close()

    def get(self, path: str) -> int:
        """Read something; return the status."""
        return self._http.get(path).status_code

    def post(self, path: str, body: object) -> httpx.Response:
        """Post something."""
        return self._http.post(path, json=body)

    def write(self, number: int) -> httpx.Response:
        """Make one of several calls that write."""
        answer = {"answer": {"preference": "left"}, "worker": "ann"}
        one = f"/v1/assignments/{self.held[number % len(self.held)]}"
        study = f"/v1/studies/{STUDY}"
        calls: list[tuple[str, object]] = [
            (f"{study}/next", {"worker": f"w{number}", "topic": TOPIC}),
            (f"{one}/judgment", answer),
            (f"{one}/skip", {"worker": "ann"}),
            ("/v1/keys", {"scope": "read"}),
        ]
        return self.post(*calls[number % 4])


@contextmanager
def asked(url: str, processes: int, busy_seconds: int) -> Iterator[Asked]:
    key = new_key(url)
    with serving(url, processes, busy_seconds=busy_seconds) as (address, _):
        made = Asked(address, key)
        try:
            yield made
        finally:
            made.close()


@pytest.mark.parametrize("processes", [1, 2])
def test_reading_goes_on_while_writers_wait(sqlite_url: str, processes: int) -> None:
    with asked(sqlite_url, processes, FOR_EVER) as service, ThreadPoolExecutor(20) as threads:
        with locked(sqlite_url):
            writing = [threads.submit(service.write, number) for number in range(20)]
            for _ in range(10):
                assert service.get("/healthz") == 200
                assert service.get("/readyz") == 200
                assert service.get(f"/v1/studies/{STUDY}/topics/{TOPIC}/progress") == 200
            assert any(not one.done() for one in writing)
        told = {one.result().status_code for one in writing}
        assert told <= {200, 201, 409, 503}
        assert told & {200, 201}


def test_writers_are_told_that_it_is_busy(sqlite_url: str) -> None:
    with asked(sqlite_url, 1, busy_seconds=1) as service, ThreadPoolExecutor(20) as threads:
        with locked(sqlite_url):
            for told in threads.map(service.write, range(20)):
                assert told.status_code == 503, told.text
                assert told.json()["type"] == "urn:nextpair:unavailable"
                assert told.headers["retry-after"] == "1"
        assert service.write(0).status_code == 200
