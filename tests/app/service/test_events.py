"""Events: what happens to a topic as it happens, and nothing missed by who comes back."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from in_process import TOPIC
from installations import new_key, serving

from nextpair.app.client import Client
from nextpair.app.schemas.retractions import RetractionIn
from nextpair.app.schemas.topics import DocumentIn, TopicIn

Event = dict[str, Any]


class Live:
    """A served topic of three documents, and streams of its events."""

    def __init__(self, address: str, key: str) -> None:
        self.client = Client(address, key)
        self.http = httpx.Client(
            base_url=address,
            headers={"Authorization": f"Bearer {key}"},
            timeout=20,
            trust_env=False,
        )
        self.study = self.client.create_study(selector="quick-sort").id
        self.at = f"/v1/studies/{self.study}"
        self.topic = f"{self.at}/topics/{TOPIC}"
        documents = [DocumentIn(id=f"d{n}") for n in range(1, 4)]
        self.client.add_topic(self.study, TopicIn(id=TOPIC, documents=documents))

    def answer(self) -> int:
        """Judge until nothing is left; return how many judgments that took."""
        judged = 0
        while found := self.client.next(self.study, "ann", topic=TOPIC).assignments:
            (one,) = found
            left, right = (shown.id for shown in one.shown)
            better = "left" if left < right else "right"
            self.client.judge(one, better)
            judged += 1
        return judged

    def events(self, path: str, until: str, headers: dict[str, str] | None = None) -> list[Event]:
        """Read a stream up to the first event of a kind."""
        found: list[Event] = []
        with self.http.stream("GET", path, headers=headers) as response:
            assert response.status_code == 200, response.read()
            assert response.headers["content-type"].startswith("text/event-stream")
            for event in parsed(response.iter_lines()):
                found.append(event)
                if event["event"] == until:
                    return found
        raise AssertionError("the stream ended")


def parsed(lines: Iterator[str]) -> Iterator[Event]:
    """Read events from the lines of a stream."""
    event: Event = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if not line:
            if "event" in event:
                yield event
            event = {}
        elif name:
            event[name] = json.loads(value) if name == "data" else value


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a service in a process of its own, and a key to it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('events') / 'nextpair.db'}"
    key = new_key(url)
    with serving(url, events_seconds=0.05) as (address, _):
        yield address, key


@pytest.fixture
def live(served: tuple[str, str]) -> Iterator[Live]:
    """A study of its own in that service."""
    made = Live(*served)
    yield made
    made.client.close()
    made.http.close()


def test_a_stream_tells_judgments_what_settled_and_the_end_and_can_be_resumed(live: Live) -> None:
    judged = live.answer()
    told = live.events(f"{live.topic}/events?after=0", "finished")
    assert [one["data"]["number"] for one in told if one["event"] == "judgment"] == list(
        range(1, judged + 1)
    )
    first = told[0]
    assert first["data"].keys() == {"topic", "number", "worker", "first", "second", "outcome"}
    assert first["data"]["worker"] == "ann"
    assert {first["data"]["first"], first["data"]["second"]} < {"d1", "d2", "d3"}
    (settled,) = [one for one in told if one["event"] == "settled"]
    assert settled["data"] == {"topic": TOPIC, "settled": 3, "documents": 3}
    assert told[-1]["data"] == {"topic": TOPIC, "judgments": judged, "ended": "known"}
    assert told[-1]["id"] == str(judged)

    resumed = live.events(f"{live.topic}/events", "finished", {"Last-Event-ID": "1"})
    numbers = [one["data"]["number"] for one in resumed if one["event"] == "judgment"]
    assert numbers == list(range(2, judged + 1))


def test_who_is_cut_off_after_the_last_judgment_still_hears_of_the_end(live: Live) -> None:
    live.answer()
    for event in live.events(f"{live.topic}/events?after=0", "finished"):
        if event["event"] == "finished":
            break
        resumed = live.events(
            f"{live.topic}/events", "finished", {"Last-Event-ID": event.get("id", "0")}
        )
        assert resumed[-1]["event"] == "finished"


def test_a_study_is_watched_as_it_goes_on(live: Live) -> None:
    with live.http.stream("GET", f"{live.at}/events") as response:
        events = parsed(response.iter_lines())
        judged = live.answer()
        kinds = [next(events) for _ in range(judged)]
        while kinds[-1]["event"] != "finished":
            kinds.append(next(events))
        assert sum(one["event"] == "judgment" for one in kinds) == judged
        assert {one["data"]["topic"] for one in kinds} == {TOPIC}
        assert not any("id" in one for one in kinds)
        live.client.retract(live.study, RetractionIn(worker="ann", reason="a robot"))
        told = next(events)
        assert told["event"] == "retraction"
        assert told["data"]["reason"] == "a robot"
        assert told["data"]["judgments"] == list(range(1, judged + 1))
        assert next(events)["event"] == "settled"


def test_a_stream_that_cannot_be_is_refused_before_it_begins(live: Live) -> None:
    for path, status in (
        ("/v1/studies/none/events", 404),
        (f"{live.at}/topics/none/events", 404),
        (f"{live.topic}/events?after=x", 422),
        (f"{live.topic}/events?since=0", 422),
        (f"{live.at}/events?after=0", 422),
    ):
        told = live.http.get(path)
        assert told.status_code == status
        assert told.headers["content-type"] == "application/problem+json"
    live.http.headers.pop("Authorization")
    assert live.http.get(f"{live.at}/events").status_code == 401
