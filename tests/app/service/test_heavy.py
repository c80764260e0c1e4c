"""Heavy calls: they hold up nobody who judges, stay within limits, and end with their clients."""

import os
import re
import signal
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import gated
import httpx
import pytest
from crowds import until
from gated import Gate
from in_process import PROBLEM, TOPIC
from installations import new_key, serving
from processes import is_gone

from nextpair.app.client import Client
from nextpair.app.enums import Scope
from nextpair.app.schemas.topics import DocumentIn, TopicIn

ELO = "topics/coffee/ranking?rating=elo"
RUN = "export/run?rating=elo"
REPORT = "report?rating=elo&points=0"
QUICK = "topics/coffee/ranking?rating=win-share"
"""Of these paths in a study, all but the last come to the gate."""


class Served:
    """A service with one helper, room for one call to wait, and a gate before Elo's ratings."""

    def __init__(self, address: str, pid: int, key: str, gate: Gate) -> None:
        self.address, self.pid, self.key, self.gate = address, pid, key, gate
        self.http = self.caller(key)
        self.client = Client(address, key, retries=0)
        self.study = ""

    def caller(self, key: str) -> httpx.Client:
        """Return what makes calls with a key."""
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.address, headers=headers, timeout=600, trust_env=False)

    def begin(self) -> None:
        """Add a study of eight documents and one answer, about which nothing was asked before."""
        self.study = self.client.create_study(selector="quick-sort").id
        documents = [DocumentIn(id=f"d{n}") for n in range(8)]
        self.client.add_topic(self.study, TopicIn(id=TOPIC, documents=documents))
        self.judge("ann")

    def judge(self, worker: str) -> None:
        """Ask for a question, and answer it."""
        (asked,) = self.client.next(self.study, worker, topic=TOPIC).assignments
        self.client.judge(asked, "left")

    def get(self, path: str, caller: httpx.Client | None = None) -> httpx.Response:
        """Read something of the study, with the admin's key unless another is given."""
        return (caller or self.http).get(f"/v1/studies/{self.study}/{path}")

    def under_way(self) -> int:
        """Return how many heavy calls are computed or wait."""
        found = re.search(r"^nextpair_heavy_calls (\S+)", self.http.get("/metrics").text, re.M)
        return int(float(found[1])) if found else 0

    def arrived(self, count: int = 1) -> list[int]:
        """Wait until so many computations have come to the gate."""
        until(lambda: len(self.gate.arrivals()) >= count, "the gate is reached")
        return self.gate.arrivals()

    def leave_behind(self, path: str) -> socket.socket:
        """Make a call whose client can go."""
        parts = urlsplit(self.address)
        sending = socket.create_connection((str(parts.hostname), int(parts.port or 0)))
        first = f"GET /v1/studies/{self.study}/{path} HTTP/1.1"
        head = (first, "Host: x", f"Authorization: Bearer {self.key}", "", "")
        sending.sendall("\r\n".join(head).encode())
        return sending


def test_who_judges_waits_for_no_ranking(served: Served, threads: ThreadPoolExecutor) -> None:
    ranking = threads.submit(served.get, ELO)
    served.arrived()
    served.judge("ann")
    assert not ranking.done()
    served.gate.open()
    assert ranking.result().status_code == 200


def test_equal_calls_are_computed_once(served: Served, threads: ThreadPoolExecutor) -> None:
    reports = [threads.submit(served.get, REPORT) for _ in range(10)]
    served.arrived()
    assert not any(one.done() for one in reports)
    served.gate.open()
    (body,) = {one.result().text for one in reports}
    assert served.get(REPORT).text == body
    assert len(served.gate.arrivals()) == 1
    served.judge("ann")
    assert served.get(REPORT).json()["judgments"] == 2
    assert len(served.gate.arrivals()) == 2


def test_what_is_too_much_is_told_to_come_back(served: Served, threads: ThreadPoolExecutor) -> None:
    reader = served.caller(str(served.client.create_key(Scope.READ).key))
    under_way = [threads.submit(served.get, path) for path in (ELO, REPORT)]
    until(lambda: served.under_way() == 2, "one is computed and one waits")
    for caller, status, kind in (
        (served.http, 429, "too-many-heavy-calls"),
        (reader, 503, "overloaded"),
    ):
        told = served.get(QUICK, caller)
        assert (told.status_code, told.json()["type"]) == (status, f"urn:nextpair:{kind}")
        assert told.headers["content-type"] == PROBLEM
        assert told.headers["retry-after"].isdecimal()
    served.gate.open()
    assert [one.result().status_code for one in under_way] == [200, 200]
    until(lambda: served.under_way() == 0, "both places are free")
    assert served.get(QUICK, reader).status_code == 200
    reader.close()


@pytest.mark.parametrize("path", [ELO, RUN])
def test_a_client_that_goes_leaves_its_place_to_others(served: Served, path: str) -> None:
    with served.leave_behind(path):
        (computing,) = served.arrived()
        assert served.under_way() == 1
    # The gate stays closed: what was computed there does not come to its end by itself.
    until(lambda: is_gone(computing), "what computed for it has ended")
    until(lambda: served.under_way() == 0, "its place is free")
    assert served.get(QUICK).status_code == 200


def test_one_that_waits_and_goes_leaves_its_place_to_others(
    served: Served, threads: ThreadPoolExecutor
) -> None:
    ranking = threads.submit(served.get, ELO)
    served.arrived()
    with served.leave_behind(REPORT):
        until(lambda: served.under_way() == 2, "it waits")
    until(lambda: served.under_way() == 1, "it does not wait any more")
    served.gate.open()
    assert ranking.result().status_code == 200


def test_a_helper_that_dies_is_told_of_and_replaced(
    served: Served, threads: ThreadPoolExecutor
) -> None:
    ranking = threads.submit(served.get, ELO)
    (computing,) = served.arrived()
    os.kill(parent_of(computing), signal.SIGKILL)
    told = ranking.result()
    assert (told.status_code, told.json()["type"]) == (503, "urn:nextpair:helper-lost")
    assert told.headers["retry-after"].isdecimal()
    until(lambda: is_gone(computing), "what it had begun has ended")
    assert served.get(QUICK).status_code == 200


def test_helpers_end_with_the_service(
    tmp_path: Path, sqlite_url: str, threads: ThreadPoolExecutor
) -> None:
    with gated_service(sqlite_url, tmp_path) as served:
        served.begin()
        served.gate.close()
        ranking = threads.submit(served.get, ELO)
        (computing,) = served.arrived()
        helper = parent_of(computing)
        os.kill(served.pid, signal.SIGKILL)
        with pytest.raises(httpx.TransportError):
            ranking.result()
        until(lambda: is_gone(computing) and is_gone(helper), "both have ended")


# -- what is served -----------------------------------------------------------------------------


def parent_of(process: int) -> int:
    """Return which process started another."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


@contextmanager
def gated_service(url: str, folder: Path) -> Iterator[Served]:
    """Serve with a gate before Elo's ratings."""
    key, gate = new_key(url), Gate(folder / "gate")
    limits = {"heavy_from": 0, "heavy_processes": 1, "heavy_waiting": 1, "heavy_per_key": 2}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(gated.FOLDER, str(folder / "gate"))
        program = (sys.executable, gated.__file__)
        with serving(url, program=program, **limits) as (address, pid):
            served = Served(address, pid, key, gate)
            yield served
            served.http.close()
            served.client.close()


@pytest.fixture(scope="module")
def service_behind_a_gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One service for all tests of this file."""
    folder = tmp_path_factory.mktemp("heavy")
    with gated_service(f"sqlite:///{folder / 'nextpair.db'}", folder) as made:
        yield made


@pytest.fixture
def served(service_behind_a_gate: Served) -> Iterator[Served]:
    """The service, with its gate closed and nothing under way."""
    service_behind_a_gate.begin()
    service_behind_a_gate.gate.close()
    yield service_behind_a_gate
    service_behind_a_gate.gate.open()
    until(lambda: service_behind_a_gate.under_way() == 0, "nothing is under way")


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    """Threads that make calls which take long."""
    with ThreadPoolExecutor(16) as made:
        yield made
