"""Events: what happens to a topic as it happens, and nothing missed by who comes back."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from in_process import TOPIC
from installations import new_key, serving

from nextpair.app.client import Client
from nextpair.app.wire.topics import DocumentIn, TopicIn

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
        self.study = self.client.create_study().id
        self.at = f"/v1/studies/{self.study}"
        self.topic = f"{self.at}/topics/{TOPIC}"
        documents = [DocumentIn(id=f"d{n}") for n in range(1, 4)]
        self.client.add_topic(self.study, TopicIn(id=TOPIC, documents=documents))

    def answer(self) -> int:
        """Judge until nothing is left; return how many judgments that took."""
        judged = 0
        while found := self.client.next(self.study, "ann", topic=TOPIC).assignments:
            (one,) = found
            better = "left" if one.left.id < one.right.id else "right"
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


def test_who_is_cut_off_after_the_last_judgment_still_hears_of_the_end(live: Live) -> None:
    live.answer()
    for event in live.events(f"{live.topic}/events?after=0", "finished"):
        if event["event"] == "finished":
            break
        resumed = live.events(
            f"{live.topic}/events", "finished", {"Last-Event-ID": event.get("id", "0")}
        )
        assert resumed[-1]["event"] == "finished"
