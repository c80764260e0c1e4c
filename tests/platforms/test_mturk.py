"""Mechanical Turk: what is sent is what its own model, signature and rules accept."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from platforms.fake_mturk import MTurk
from platforms.fake_mturk_server import Server, answer_xml, serving
from pydantic import SecretStr

from nextpair.app.errors import (
    BadArrival,
    Malformed,
    PlatformDenied,
    PlatformRefused,
    PlatformUnreachable,
)
from nextpair.app.platforms.accounts.mturk_messages import events_in, fields_in
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.messages import (
    CommandAttempt,
    FormPost,
    Offer,
    Price,
    Receipt,
    Stage,
    Submission,
)
from nextpair.app.platforms.registry import make_platform, read_access

OFFER = Offer(
    "s", 1, "A study", "", "https://judge.example.org/judge/s/enter?a=1&b=2", 3, 10, 50, "USD"
)
QUERY = {"assignmentId": "A1", "hitId": "H1", "workerId": "W1"}
SITE = "https://workersandbox.mturk.com"


@pytest.fixture
def fake() -> Iterator[Server]:
    """A Mechanical Turk of our own."""
    with serving(MTurk()) as running:
        yield running


def opened(fake: Server, secret: str | None = None, **options: object) -> Account:
    access = fake.access() if secret is None else fake.access(secret)
    given = {"mturk": {name: SecretStr(value) for name, value in access.items()}}
    return make_platform("mturk", options).open(read_access("mturk", given))


def attempt(token: str = "t1", **more: object) -> CommandAttempt:
    return CommandAttempt(token, 1000.0, fence=lambda: 1000.0, **more)  # type: ignore[arg-type]


def test_publishing_makes_one_hit_of_at_most_nine_for_our_page(fake: Server) -> None:
    platform = make_platform("mturk", {"locales": ["US"], "approved_percent": 95, "masters": False})
    assert platform.max_places == 9
    account = opened(fake, locales=["US"], approved_percent=95)
    name = account.publish(OFFER, attempt())
    hit = fake.mturk.hits[name]
    assert hit.url == OFFER.url, "an ampersand is escaped"
    assert (hit.places, hit.annotation) == (3, "t1")
    kind = fake.mturk.types[hit.type]
    assert kind["Reward"] == "0.50"
    assert len(kind["QualificationRequirements"]) == 3
    account.close()


def test_publishing_again_with_the_same_token_is_the_same_hit(fake: Server) -> None:
    account = opened(fake)
    first = account.publish(OFFER, attempt())
    assert account.publish(OFFER, attempt(is_retry=True, first_attempt_at=999.0)) == first
    later = attempt(is_retry=True, first_attempt_at=1000.0 - 2 * 86_400)
    fake.mturk.tokens.clear()
    assert account.publish(OFFER, later) == first, "after a day its lists tell"
    assert len(fake.mturk.hits) == 1
    assert account.publish(OFFER, attempt("t2")) != first


def test_the_qualification_is_made_once_though_nobody_remembers(fake: Server) -> None:
    account = opened(fake)
    resources: dict[str, object] = {}
    account.publish(OFFER, attempt(save_resources=resources.update))
    assert list(resources) == ["qualification"]
    account.publish(OFFER, attempt("t2"))
    account.publish(OFFER, attempt("t3", resources=resources))
    assert len(fake.mturk.qualifications) == 1
    account.keep_away("AW1", attempt(resources=resources))
    assert fake.mturk.granted == {(resources["qualification"], "AW1")}


def test_throttling_and_faults_are_sat_out_and_a_lost_answer_makes_no_second_hit(
    fake: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    account = opened(fake)
    fake.faults += ["throttled", "fault", "", "lost", "lost"]
    name = account.publish(OFFER, attempt())
    assert list(fake.mturk.hits) == [name]
    fake.faults += ["fault", "fault", "fault", "fault"]
    with pytest.raises(PlatformUnreachable, match="ServiceFault"):
        account.publish(OFFER, attempt("t2", resources={"qualification": "x"}))


def test_wrong_keys_are_told_as_such_and_so_is_a_platform_that_is_not_there(
    fake: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with pytest.raises(PlatformDenied, match="UnrecognizedClientException"):
        opened(fake, "wrong").publish(OFFER, attempt())
    assert fake.mturk.done == []
    gone = opened(fake)
    fake.url = "http://127.0.0.1:9"
    with pytest.raises(PlatformUnreachable):
        opened(fake).publish(OFFER, attempt())
    fake.mturk.balance = 10
    with pytest.raises(PlatformDenied, match="InsufficientFunds"):
        gone.publish(OFFER, attempt())


def _handed_in(fake: Server, account: Account, worker: str = "AW1") -> Submission:
    hit = account.publish(OFFER, attempt())
    one = fake.mturk.accept(hit, worker)
    fake.mturk.submit(one.id, answer_xml({"receipt": "r", "answered": "10"}))
    return Submission(one.id, worker, Stage.SUBMITTED, hit)


def test_all_pages_of_assignments_are_read(fake: Server) -> None:
    account = opened(fake)
    hit = account.publish(OFFER, attempt())
    for worker in ("AW1", "AW2", "AW3"):
        fake.mturk.submit(fake.mturk.accept(hit, worker).id, answer_xml({"receipt": worker}))
    (event,) = account.poll([hit], {})
    assert [(one.worker, one.receipt) for one in event.submissions] == [
        ("AW1", "AW1"),
        ("AW2", "AW2"),
        ("AW3", "AW3"),
    ]
    assert {one.stage for one in event.submissions} == {Stage.SUBMITTED}


def test_accepting_and_rejecting_twice_is_once_and_the_contrary_is_refused(fake: Server) -> None:
    account = opened(fake)
    submission = _handed_in(fake, account)
    account.accept(submission, attempt())
    account.accept(submission, attempt(is_retry=True))
    assert fake.mturk.spent == 60
    with pytest.raises(PlatformRefused, match="InvalidAssignmentState"):
        account.reject(submission, "why", attempt())
    with pytest.raises(PlatformRefused):
        account.reject(submission, "", attempt())


def test_a_bonus_is_paid_once_though_the_answer_was_lost(
    fake: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    account = opened(fake)
    submission = _handed_in(fake, account)
    # First the payments are listed, which goes well.
    fake.faults += ["", "lost"]
    # boto3 asks once more by itself, and meets the token that was used.
    account.bonus(submission, 10, "thanks", attempt("b1"))
    assert fake.calls.count("SendBonus") == 2
    account.bonus(submission, 10, "thanks", attempt("b1", is_retry=True, first_attempt_at=999.0))
    fake.mturk.tokens.clear()
    account.bonus(submission, 10, "thanks", attempt("b1", is_retry=True, first_attempt_at=0.0))
    assert fake.mturk.spent == 12
    assert len(fake.mturk.bonuses) == 1


def test_notifications_come_through_the_queue_and_are_struck_off(fake: Server) -> None:
    account = opened(fake, queue=f"{fake.url}/queue")
    hit = account.publish(OFFER, attempt())
    one = fake.mturk.accept(hit, "AW1")
    fake.mturk.give_back(one)
    fake.mturk.queue["junk"] = "not json"
    events = []
    for event in account.poll([], {}):
        events.append(event)
        account.acknowledge(event)
    ids = {one.id for one in events if one.id}
    assert len(ids) == 2, "each of the two things that happened, twice"
    stages = {(each.session, each.stage) for event in events for each in event.submissions}
    assert stages == {(one.id, Stage.WORKING), (one.id, Stage.RETURNED)}
    assert fake.mturk.queue == {}


def test_an_expired_hit_is_taken_by_nobody(fake: Server) -> None:
    account = opened(fake)
    hit = account.publish(OFFER, attempt())
    account.expire(hit, attempt())
    assert fake.mturk.hits[hit].expires <= fake.mturk.now


def test_the_price_has_the_fee_and_a_bonus_has_one_too() -> None:
    platform = make_platform("mturk", {})
    assert platform.price(OFFER) == Price(150, 30)
    assert platform.bonus_price(10) == Price(10, 2)
    assert platform.bonus_price(1) == Price(1, 1)
    assert make_platform("mturk", {"masters": True}).price(OFFER) == Price(150, 39)


def test_a_worker_is_known_by_the_address_and_goes_back_only_to_mturk() -> None:
    platform, access = make_platform("mturk", {}), read_access("mturk", {})
    arrival = platform.identify({**QUERY, "turkSubmitTo": f"{SITE}/"}, access)
    assert (arrival.worker, arrival.session, arrival.offer) == ("W1", "A1", "H1")
    form = platform.finish(arrival, Receipt("r", "c", 10), access)
    assert form == FormPost(
        f"{SITE}/mturk/externalSubmit", {"assignmentId": "A1", "receipt": "r", "answered": "10"}
    )
    for elsewhere in ("https://www.mturk.com", "https://evil.example.org", "javascript:1"):
        with pytest.raises(BadArrival):
            platform.identify({**QUERY, "turkSubmitTo": elsewhere}, access)
    live = make_platform("mturk", {"sandbox": False})
    assert live.form_targets(access) == ("https://www.mturk.com",)
    assert platform.is_preview({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H"})
    old = {"assignment_id": "A1", "hit_id": "H1", "worker_id": "W1"}
    assert platform.identify(old, access).session == "A1"


def test_answers_are_read_and_declarations_in_them_are_not() -> None:
    assert fields_in(answer_xml({"receipt": "a<b", "empty": ""})) == {"receipt": "a<b", "empty": ""}
    trap = '<!DOCTYPE a [<!ENTITY x "y">]><Answer><FreeText>&x;</FreeText></Answer>'
    assert fields_in(trap) == {}
    assert fields_in("<a") == {}
    assert fields_in("") == {}


def test_secrets_do_not_show(tmp_path: Path) -> None:
    given = {"mturk": {"secret_access_key": SecretStr("hunter2")}}
    assert "hunter2" not in repr(read_access("mturk", given))
    with pytest.raises(Malformed, match="Events is missing"):
        events_in({})
