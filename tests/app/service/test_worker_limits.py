"""What a worker cannot do with a token in hand: flood, undo for ever, go on after being blocked."""

from collections.abc import Iterator

import pytest
from httpx2 import Response
from in_process import AT, ON_TOPIC, STUDY, InProcess, Json, installed, refusal

from nextpair.app.errors import RateLimited
from nextpair.app.security import api_keys
from nextpair.app.security.api_keys import RateLimit, network_of

DAY = 86_400
SLOW = 0.001
"""Calls a second: none is gained while a test runs."""


@pytest.fixture
def ready(service: InProcess) -> InProcess:
    """A service with a topic of six documents, whose answers have a price."""
    service.make_study(price=1.0)
    service.make_topic(6)
    return service


@pytest.fixture
def slow(sqlite_url: str) -> Iterator[InProcess]:
    """A service that allows each worker ten calls, and each address sixty arrivals."""
    with installed(sqlite_url, rate_per_worker=SLOW, rate_per_address=SLOW) as made:
        made.make_study()
        made.make_topic(6)
        yield made


def limited(service: InProcess, path: str, bearer: str, most: int) -> int:
    """Count the calls until one is refused, which says when to come back."""
    for count in range(most + 1):
        told = service.send("GET", path, bearer=bearer)
        if told.status_code != 200:
            assert "a worker may make" in refusal(told, 429, "rate-limited")["detail"]
            assert int(told.headers["retry-after"]) > 1
            return count
    return most + 1


def test_tokens_of_a_worker_share_one_allowance(slow: InProcess) -> None:
    ann, bob = slow.next("ann", count=2)["assignments"], slow.next("bob")["assignments"]
    assert limited(slow, f"/v1/assignments/{ann[0]['id']}", ann[0]["token"], 20) == 10
    assert limited(slow, f"/v1/assignments/{ann[1]['id']}", ann[1]["token"], 20) == 0
    for what in ("judgment", "skip", "undo"):
        path, body = f"/v1/assignments/{ann[1]['id']}/{what}", {"answer": {"preference": "left"}}
        told = slow.send("POST", path, body if what == "judgment" else {}, bearer=ann[1]["token"])
        refusal(told, 429, "rate-limited")
    assert limited(slow, f"/v1/assignments/{bob[0]['id']}", bob[0]["token"], 5) == 6
    assert slow.judge(ann[1]).status_code == 201, "a key has an allowance of its own"


def test_sessions_of_a_worker_share_one_allowance(slow: InProcess) -> None:
    def begin(worker: str) -> str:
        return str(slow.post(f"{AT}/sessions", {"worker": worker}, status=201)["session"])

    first, second, other = begin("ann"), begin("ann"), begin("bob")
    assert limited(slow, "/v1/session", first, 20) == 10
    assert limited(slow, "/v1/session", second, 20) == 0
    assert limited(slow, "/v1/session", other, 5) == 6


def test_strangers_arrive_no_oftener_than_an_address_may(slow: InProcess) -> None:
    def arrive(number: int, accept: str = "application/json") -> Response:
        return slow.http.get(
            f"/judge/{STUDY}/enter?worker=stranger-{number}",
            headers={"Accept": accept},
            follow_redirects=False,
        )

    told = [arrive(number) for number in range(61)]
    assert {one.status_code for one in told[:60]} == {403}
    assert "an address may make" in refusal(told[60], 429, "rate-limited")["detail"]
    page = arrive(61, "text/html")
    assert page.status_code == 429
    assert page.headers["content-type"].startswith("text/html")
    assert int(page.headers["retry-after"]) > 1


def test_an_allowance_is_a_persons_not_an_addresses_of_which_they_have_many() -> None:
    assert network_of("203.0.113.7") == "203.0.113.7"
    assert network_of("2001:db8:1:2:aaaa::1") == network_of("2001:db8:1:2:bbbb::2")
    assert network_of("2001:db8:1:2::1") != network_of("2001:db8:1:3::1")
    assert network_of("::ffff:203.0.113.7") == "203.0.113.7"
    assert network_of("a socket") == "a socket"


def test_so_many_callers_are_remembered_and_not_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_keys, "MOST_BUCKETS", 10)
    limit = RateLimit(0.5, clock=lambda: 0.0)
    limit.spend("busy")
    for number in range(100):
        limit.spend(f"stranger {number}")
        with pytest.raises(RateLimited) as refused:
            limit.spend("busy")
        assert refused.value.seconds == 2
    assert len(limit) == 10


def judge_and_undo(service: InProcess, asked: Json) -> Response:
    assert service.judge(asked, bearer=asked["token"]).status_code == 201
    return service.undo(asked, bearer=asked["token"])


def test_an_answer_is_taken_back_three_times_and_each_answer_is_paid_once(
    ready: InProcess,
) -> None:
    asked = ready.one("ann")
    for attempt in (2, 3, 4):
        asked = judge_and_undo(ready, asked).json()
        assert (asked["attempt"], asked["state"]) == (attempt, "open")
    refused = judge_and_undo(ready, asked)
    assert "3 times" in refusal(refused, 409, "undone-too-often")["detail"]
    assert ready.get(f"{ON_TOPIC}/progress")["judgments"] == 1
    pace = ready.get(f"{AT}/pace")
    assert (pace["judgments"], pace["last_hour"], pace["spent"]) == (1, 1, 1.0)
    other = ready.one("ann")
    assert judge_and_undo(ready, other).json()["attempt"] == 2, "each question has its own"
    ready.post(f"{AT}/retractions", {"worker": "ann", "reason": "undo"})
    assert ready.get(f"{AT}/pace")["spent"] == 1.0, "what others retract was work, and is paid"
    ready.send("PATCH", AT, {"undos": 0})
    refused = judge_and_undo(ready, ready.one("bob"))
    assert "cannot be taken back" in refusal(refused, 409, "undone-too-often")["detail"]


def test_a_blocked_worker_neither_judges_nor_undoes_nor_skips_nor_changes(
    ready: InProcess,
) -> None:
    held, undone, answered = ready.next("ann", count=3)["assignments"]
    again = judge_and_undo(ready, undone).json()
    ready.judge(answered, "left", bearer=answered["token"])
    ready.send("PATCH", f"{AT}/workers/ann", {"status": "blocked"})
    for told in (
        ready.judge(held, bearer=held["token"]),
        ready.judge(held),
        ready.judge(again, "right", bearer=again["token"]),
        ready.skip(held, bearer=held["token"]),
        ready.undo(answered, bearer=answered["token"]),
        ready.undo(undone, bearer=undone["token"]),
    ):
        assert "blocked" in refusal(told, 403, "worker-blocked")["detail"]
    again_the_same = ready.judge(answered, "left", bearer=answered["token"])
    assert again_the_same.status_code == 200, "what was acknowledged stays so"
    assert ready.get(f"{ON_TOPIC}/progress")["judgments"] == 1
    ready.send("PATCH", f"{AT}/workers/ann", {"status": "active"})
    assert ready.judge(held, bearer=held["token"]).status_code == 201


def test_no_token_is_had_for_an_old_one(ready: InProcess) -> None:
    asked = ready.one("ann")
    path = f"/v1/assignments/{asked['id']}"
    ready.clock.move(5 * DAY)
    shown = ready.get(path, bearer=asked["token"])
    assert shown["token"] == asked["token"], "to look does not make it last longer"
    again = judge_and_undo(ready, asked).json()
    assert again["token"] != asked["token"]
    lost = ready.undo(asked, bearer=asked["token"]).json()
    assert lost["token"] == again["token"], "where the answer to an undo got lost"
    ready.judge(again, "right", bearer=again["token"])
    for told in (
        ready.undo(asked, bearer=asked["token"]).json(),
        ready.get(path, bearer=asked["token"]),
    ):
        assert (told["attempt"], told["token"]) == (2, asked["token"])
    ready.clock.move(2 * DAY + 1)
    refusal(ready.send("GET", path, bearer=again["token"]), 401, "expired-token")
    assert ready.get(path)["token"] != again["token"], "whoever has a key makes a new one"


def test_what_was_checked_cannot_be_taken_back(ready: InProcess) -> None:
    ready.make_study("timed", quality={"batch": 2, "seconds_pass": 1, "seconds_per_document": 1})
    ready.make_topic(4, study="timed")
    first, second = ready.next("ann", "timed", count=2)["assignments"]
    ready.judge(first, seconds=10)
    again = ready.undo(first).json()
    assert again["attempt"] == 2, "while the batch goes on"
    ready.judge(again, seconds=10)
    assert ready.judge(second, seconds=10).json()["verdict"]["passed"]
    assert "checked" in refusal(ready.undo(second), 409, "too-late-to-undo")["detail"]
