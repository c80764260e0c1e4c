"""PostgreSQL falls silent: everyone is told so in time, and what needs no database goes on.

Nothing here looks at a clock. Requests are made while the silence lasts, and it ends only when all
of them have been answered.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import httpx
import pytest
from crowds import Habits, Place, crowd, persistent, pool, until
from installations import new_key, serving
from silent_proxy import SilentProxy, silent_proxy

from nextpair.app.client import Client
from nextpair.storage.database import Database

BUSY_SECONDS = 2
END_SECONDS = 60
"""Far more than a request may take: with one that waits for the server it would be for ever."""
MANY = 12
"""More than there are threads."""
STUDY, TOPIC = "judged", "t"
Ask = Callable[[], httpx.Response]


@pytest.fixture
def proxy(postgresql_url: str) -> Iterator[SilentProxy]:
    """A proxy before a database."""
    with silent_proxy(postgresql_url) as made:
        yield made


class Asked:
    """A service as it is asked from outside, over a new connection each time."""

    def __init__(self, address: str, key: str) -> None:
        self._address = address
        self._key = {"Authorization": f"Bearer {key}"}

    def get(self, path: str) -> httpx.Response:
        """Read something that needs no key."""
        return httpx.get(self._address + path, timeout=END_SECONDS, trust_env=False)

    def post(self, path: str, body: object) -> httpx.Response:
        """Post something."""
        return httpx.post(
            self._address + path,
            json=body,
            headers=self._key,
            timeout=END_SECONDS,
            trust_env=False,
        )


@pytest.mark.parametrize("processes", [1, 2])
def test_a_silent_database_is_told_of_in_time(
    postgresql_url: str, proxy: SilentProxy, processes: int
) -> None:
    key = new_key(postgresql_url)
    with serving(proxy.url, processes, busy_seconds=BUSY_SECONDS) as (address, _):
        place = Place(address, key, STUDY)
        with Client(address, key) as client:
            client.create_study(STUDY, selector="merge-tie-random", votes=2, lease_seconds=2)
            client.add_topic(STUDY, pool(TOPIC, documents=6))
        held = _hold(place, MANY)
        service = Asked(address, key)

        with proxy.silence():
            for _ in range(2):
                _everyone_is_told(service, held)

        until(lambda: service.get("/readyz").status_code == 200, "the service is ready again")
        notes = crowd(place, ["bea", "cid", "dan"], Habits(error=0.0))
    told = {one.number for note in notes for one in note.judged}
    assert told
    assert told <= _kept(postgresql_url)


def _hold(place: Place, count: int) -> list[str]:
    """Let a worker hold questions."""
    with persistent(place) as client:
        handed = client.next(STUDY, "ann", topic=TOPIC, count=count).assignments
    assert handed
    return [one.id for one in handed]


def _everyone_is_told(service: Asked, held: list[str]) -> None:
    answer = {"answer": {"preference": "left"}, "worker": "ann"}
    asked: list[Ask] = [lambda: service.get("/readyz")]
    for number in range(MANY):
        one = held[number % len(held)]
        wish = {"worker": f"w{number}", "topic": TOPIC}
        asked += [
            lambda wish=wish: service.post(f"/v1/studies/{STUDY}/next", wish),  # type: ignore[misc]
            lambda one=one: service.post(f"/v1/assignments/{one}/judgment", answer),  # type: ignore[misc]
            lambda: service.post(f"/v1/studies/{STUDY}/next", {"worker": "eve"}),
        ]
    pages: list[Ask] = [lambda: service.get(f"/judge/{STUDY}")] * 4
    with ThreadPoolExecutor(len(asked) + len(pages)) as threads:
        waiting = [threads.submit(ask) for ask in asked]
        shown = [threads.submit(ask) for ask in pages]
        for _ in range(10):
            # While others wait, and the server says nothing.
            assert service.get("/healthz").status_code == 200
            assert service.get("/studies").status_code == 200
        for future in waiting:
            _told_unavailable(future)
        # A page that is the same for everyone is shown without what the study would add.
        assert {future.result().status_code for future in shown} == {200}


def _told_unavailable(future: "Future[httpx.Response]") -> None:
    told = future.result()
    assert told.status_code == 503, told.text
    assert told.headers["content-type"] == "application/problem+json"
    assert told.json()["type"] == "urn:nextpair:unavailable"
    assert int(told.headers["retry-after"]) >= 1


def _kept(url: str) -> set[int]:
    """Return the numbers of the judgments in the database."""
    database = Database(url)
    with database.read() as connection:
        numbers = set(connection.exec_driver_sql("SELECT number FROM judgments").scalars())
    database.close()
    return numbers
