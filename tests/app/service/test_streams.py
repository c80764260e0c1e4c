"""Many event streams: read from one tail, limited by key, closed with the key."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from in_process import AT, ON_TOPIC, STUDY, TOPIC, InProcess, by_number, installed, refusal
from installations import new_key, serving
from sqlalchemy import Engine, event

from nextpair.app.client import Client
from nextpair.app.enums import Scope
from nextpair.app.events import subscription
from nextpair.app.events.hub import EventHub
from nextpair.app.events.log_batches import LogBatch
from nextpair.app.events.subscription import Subscription
from nextpair.app.schemas.topics import DocumentIn, TopicIn
from nextpair.app.security.api_keys import SIGNED_IN_SECONDS

TICK = 0.02


@pytest.fixture
def quick(sqlite_url: str) -> Iterator[InProcess]:
    """The service, whose streams are told at once, with a topic of five documents."""
    with installed(sqlite_url, events_seconds=TICK, streams_per_key=300) as made:
        made.make_study()
        made.make_topic(5)
        yield made


class Listening:
    """Streams on the event loop of a service, without a network: what each has been told."""

    def __init__(self, service: InProcess) -> None:
        self._service = service
        self.event_hub: EventHub = service.app.state.event_hub
        self.key_id = str(service.get("/v1/keys/current")["id"])
        made = service.app.state.service
        self.study_id, self.topic_id = made.study_id(STUDY), made.topic_id(STUDY, TOPIC)

    def run(self, act: Any, *given: object) -> Any:
        """Run a coroutine function where the service runs."""
        portal = self._service.http.portal
        assert portal is not None
        return portal.call(act, *given)

    async def subscribe(self, after: int | None = None) -> "Stream":
        """Begin a stream of the topic."""
        follower = await self.event_hub.subscribe(self.key_id, self.study_id, self.topic_id, after)
        return Stream(self.event_hub, follower)


class Stream:
    """One stream, which is told as its client reads."""

    def __init__(self, tail: EventHub, follower: Subscription) -> None:
        self._tail, self.follower = tail, follower
        self._told: AsyncIterator[bytes] = tail.events(follower)
        self.text = ""

    async def read(self, until: str) -> None:
        """Read until something was told."""
        async with asyncio.timeout(300):
            while until not in self.text:
                self.text += (await anext(self._told)).decode()

    async def end(self) -> None:
        """Read to the end."""
        async with asyncio.timeout(300):
            async for told in self._told:
                self.text += told.decode()

    def unsubscribe(self) -> None:
        """Go away."""
        self._tail.unsubscribe(self.follower)

    @property
    def numbers(self) -> list[int]:
        """The numbers of the judgments that were told, in their order."""
        data = [line[6:] for line in self.text.splitlines() if line.startswith("data: ")]
        return [told["number"] for told in map(json.loads, data) if "outcome" in told]


def test_two_hundred_streams_read_the_log_once(quick: InProcess) -> None:
    listening, statements = Listening(quick), list[str]()
    count = statements.append

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        count(statement)

    async def begin() -> list[Stream]:
        return [await listening.subscribe() for _ in range(200)]

    async def tick() -> None:
        seen = len(statements)
        async with asyncio.timeout(300):
            while len([one for one in statements[seen:] if "topics.position" in one]) < 10:
                await asyncio.sleep(TICK)

    async def read(streams: list[Stream]) -> None:
        await asyncio.gather(*(stream.read("event: finished") for stream in streams))

    streams = listening.run(begin)
    event.listen(Engine, "before_cursor_execute", note)
    try:
        listening.run(tick)
        quiet = [one for one in statements if not one.startswith("BEGIN")]
        judged = quick.judge_all("ann", topic=TOPIC)
        listening.run(read, streams)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    # The positions of all topics, and the keys: twenty statements a tick of two hundred would be
    # thousands.
    assert len(quiet) <= 2 * len([one for one in quiet if "topics.position" in one]) + 1
    assert len([one for one in statements if "judgments.outcome" in one]) < 5 * judged
    assert judged >= 4
    assert {tuple(stream.numbers) for stream in streams} == {tuple(range(1, judged + 1))}
    for stream in streams:
        stream.unsubscribe()


def test_who_does_not_read_holds_up_nobody_and_misses_nothing(
    quick: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscription, "MAX_BUFFERED_ENTRIES", 2)
    listening = Listening(quick)

    async def begin() -> tuple[Stream, Stream]:
        return await listening.subscribe(), await listening.subscribe()

    slow, ready = listening.run(begin)
    judged = 0
    while asked := quick.next("ann", topic=TOPIC)["assignments"]:
        quick.judge(asked[0], by_number(asked[0]))
        judged += 1
        listening.run(ready.read, f'"number": {judged}')
    assert slow.text == "" and slow.follower.lagging_topics == {listening.topic_id}
    for stream in (ready, slow):
        listening.run(stream.read, "event: finished")
        assert stream.numbers == list(range(1, judged + 1))
        stream.unsubscribe()
    late = listening.run(listening.subscribe, judged - 1)
    listening.run(late.read, "event: finished")
    assert late.numbers == [judged]
    assert f"id: {judged}\n" in late.text and late.text.count("id: ") == 1
    late.unsubscribe()


def test_a_large_topic_is_looked_at_by_a_helper(sqlite_url: str) -> None:
    settings = {"events_seconds": TICK, "heavy_from": 0, "heavy_processes": 1}
    with installed(sqlite_url, **settings) as service:
        service.make_study()
        service.make_topic(4)
        listening = Listening(service)
        stream = listening.run(listening.subscribe)
        judged = service.judge_all("ann", topic=TOPIC)
        listening.run(stream.read, "event: finished")
        assert stream.numbers == list(range(1, judged + 1))
        assert "event: settled" in stream.text
        # Cut off before that, and it is told again; afterwards, and nothing is.
        assert stream.text.endswith(f"id: {judged}\n\n")
        assert f"id: {judged}\n" not in stream.text[: stream.text.index("event: finished")]
        resumed = listening.run(listening.subscribe, judged - 1)
        listening.run(resumed.read, "event: finished")
        assert resumed.numbers == [judged]
        for one in (stream, resumed):
            one.unsubscribe()


def test_a_stream_ends_with_its_key(quick: InProcess) -> None:
    listening = Listening(quick)
    made = quick.post("/v1/keys", {"scope": Scope.READ.value}, status=201)
    code = quick.post("/v1/sign-ins", {}, status=201)["code"]
    browser = quick.http.post("/v1/sign-ins/use", json={"code": code}).json()

    async def begin() -> list[Stream]:
        followers = [
            await listening.event_hub.subscribe(key, listening.study_id)
            for key in (made["id"], browser["id"], listening.key_id)
        ]
        return [Stream(listening.event_hub, one) for one in followers]

    revoked, expired, stays = listening.run(begin)
    assert quick.send("DELETE", f"/v1/keys/{made['id']}").status_code == 200
    listening.run(revoked.end)
    assert "the key does not open this any more" in revoked.text
    quick.clock.move(SIGNED_IN_SECONDS + 1)
    listening.run(expired.end)
    quick.judge(quick.one("ann", topic=TOPIC))
    listening.run(stays.read, "event: judgment")
    for stream in (revoked, expired, stays):
        stream.unsubscribe()


def test_a_key_has_so_many_streams_and_another_once_one_is_closed(sqlite_url: str) -> None:
    key = new_key(sqlite_url)
    reader = new_key(sqlite_url, Scope.READ)
    with serving(sqlite_url, events_seconds=TICK, streams_per_key=2) as (address, _):
        with Client(address, key) as client, caller(address, reader) as http:
            client.create_study(STUDY, selector="quick-sort")
            client.add_topic(STUDY, TopicIn(id=TOPIC, documents=[DocumentIn(id="a")]))
            with http.stream("GET", f"{AT}/events") as first:
                assert first.status_code == 200
                with http.stream("GET", f"{ON_TOPIC}/events") as second:
                    assert second.status_code == 200
                    told = http.get(f"{AT}/events")
                    assert told.status_code == 429
                    assert told.json()["type"] == "urn:nextpair:too-many-streams"
                    assert told.headers["retry-after"].isdecimal()
                    with caller(address, key).stream("GET", f"{AT}/events") as another:
                        assert another.status_code == 200, "each key has its own"
                opened_again(http)
                client.revoke_key(reader.split("_")[1])
                assert "the key does not open this any more" in first.read().decode()


def caller(address: str, key: str) -> httpx.Client:
    """Return what makes calls with a key."""
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=address, headers=headers, timeout=300, trust_env=False)


def opened_again(http: httpx.Client) -> None:
    """Open a stream, which is possible as soon as the service has noticed that one was closed."""
    while True:
        with http.stream("GET", f"{AT}/events") as third:
            if third.status_code == 200:
                return
            assert third.status_code == 429


def test_a_stream_of_nothing_counts_for_nobody(quick: InProcess) -> None:
    tail: EventHub = quick.app.state.event_hub
    for _ in range(3):
        refusal(quick.send("GET", f"{AT}/topics/none/events"), 404, "unknown-topic")
    assert not tail._subscriptions


def test_buffered_batches_are_sent_as_one_chunk_up_to_a_gap() -> None:
    stream = Subscription("key", 1, None)
    for batch in (LogBatch(1, 0, 1, ((1, b"a\n"),)), LogBatch(2, 0, 1, ((1, b"b\n"),))):
        stream.push(batch)
    assert stream.render_buffered() == (b"a\n\nb\n\n", None)
    for batch in (LogBatch(2, 1, 2, ((2, b"c\n"),)), LogBatch(1, 5, 6, ((6, b"d\n"),))):
        stream.push(batch)
    assert stream.render_buffered() == (b"c\n\n", 1)
    assert stream.render_buffered() == (b"", None)
