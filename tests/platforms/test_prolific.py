"""Prolific: what is sent is what its field list takes, and nothing is published or paid twice."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from platforms.attempt_history import AttemptHistory
from platforms.fake_prolific import WORKSPACE, FakeProlific
from platforms.fake_server import FakePlatform, Reply, Request, serving
from pydantic import SecretStr

from nextpair.app.errors import (
    BadArrival,
    BadNotice,
    Malformed,
    PlatformDenied,
    PlatformRefused,
    PlatformUnreachable,
)
from nextpair.app.platforms.base import Account, Platform
from nextpair.app.platforms.messages import (
    Offer,
    Price,
    Receipt,
    Redirect,
    Stage,
    Submission,
    Webhook,
)
from nextpair.app.platforms.registry import make_platform, read_access
from nextpair.selectors.errors import BadOption

URL = "https://judge.example.org/judge/s/enter"
WEBHOOK_URL = "https://judge.example.org/v1/studies/s/news/abc"
OFFER = Offer("s", 1, "A study", "Compare.", URL, 3, 10, 150, "USD", webhook_url=WEBHOOK_URL)
QUERY = {"PROLIFIC_PID": "p1", "SESSION_ID": "s1", "STUDY_ID": "t1"}
RECEIPT = Receipt("1.signed", "ABCDEFGHIJ", 10)


@pytest.fixture
def fake() -> Iterator[FakeProlific]:
    """A Prolific of our own."""
    with serving(FakeProlific()) as running:
        yield running


def access(fake: FakeProlific, **more: str) -> Any:
    values = {
        "token": fake.token,
        "hook_secret": fake.hook_secret,
        "workspace": WORKSPACE,
        "api": f"{fake.url}/api/v1",
        **more,
    }
    given = {"prolific": {name: SecretStr(value) for name, value in values.items()}}
    return read_access("prolific", given)


def opened(fake: FakeProlific, options: dict[str, object] | None = None, **more: str) -> Account:
    return fake.opened(make_platform("prolific", options or {}).open(access(fake, **more)))


def at_work(fake: FakeProlific, account: Account) -> tuple[str, Submission]:
    study = account.publish(OFFER, AttemptHistory().attempt("p"))
    session = fake.take(study, "ann")
    fake.end(session)
    return session, Submission(session, "ann", Stage.SUBMITTED, study)


def test_an_offer_is_a_published_study_that_leads_to_our_page(fake: FakeProlific) -> None:
    filters = ['{"filter_id": "age", "selected_range": {"lower": 18, "upper": 90}}']
    account = opened(fake, {"filters": filters, "minutes": 10, "project": "pro"})
    study = fake.studies[account.publish(OFFER, AttemptHistory().attempt("one"))]
    assert study["status"] == "ACTIVE"
    assert (study["total_available_places"], study["reward"]) == (3, 150)
    assert study["external_study_url"].startswith(f"{URL}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&")
    assert study["filters"][0]["filter_id"] == "age"
    assert [one["target_url"] for one in fake.subscriptions.values()] == [WEBHOOK_URL]
    assert all(one["is_enabled"] for one in fake.subscriptions.values())


def test_what_is_planned_is_what_is_sent(fake: FakeProlific) -> None:
    platform = make_platform("prolific", {})
    (create, content), (publish, _) = platform.plan(OFFER)
    opened(fake, workspace="").publish(OFFER, AttemptHistory().attempt("one"))
    sent = fake.calls("POST /api/v1/studies/")[0].json
    assert create == "POST studies/" and publish.endswith("/transition/")
    assert {**content, "internal_name": ""} == {**sent, "internal_name": ""}


@pytest.mark.parametrize(
    "step",
    [
        "POST /api/v1/participant-groups/",
        "POST /api/v1/hooks/subscriptions/",
        "POST /api/v1/studies/",
        "POST /api/v1/studies/study",
    ],
)
def test_a_process_that_dies_while_publishing_publishes_once(fake: FakeProlific, step: str) -> None:
    history = AttemptHistory()
    fake.loses_answer_after = step
    with pytest.raises(PlatformUnreachable):
        opened(fake).publish(OFFER, history.attempt("one"))
    assert fake.loses_answer_after is None, "the step was taken"
    study = opened(fake).publish(OFFER, history.attempt("one"))
    assert list(fake.studies) == [study]
    assert fake.studies[study]["status"] == "ACTIVE"
    assert len(fake.groups) == 1
    assert sum(one["is_enabled"] for one in fake.subscriptions.values()) == 1


def test_nobody_takes_two_offers_and_nobody_who_is_kept_away_takes_one(fake: FakeProlific) -> None:
    history, account = AttemptHistory(), opened(fake)
    first = account.publish(OFFER, history.attempt("one"))
    fake.take(first, "ann")
    account.keep_away("bob", history.attempt("away"))
    account.keep_away("bob", history.attempt("away"))
    later = Offer(
        "s",
        2,
        "A study",
        "",
        URL,
        3,
        10,
        150,
        "USD",
        earlier_offers=[first],
        webhook_url=WEBHOOK_URL,
    )
    second = account.publish(later, history.attempt("two"))
    for worker in ("ann", "bob"):
        with pytest.raises(PermissionError):
            fake.take(second, worker)
    fake.take(second, "eve")
    assert len(fake.subscriptions) == len(fake.groups) == 1


def test_polling_tells_how_every_session_stands(fake: FakeProlific) -> None:
    account = opened(fake)
    study = account.publish(replace(OFFER, places=130), AttemptHistory().attempt("one"))
    stages = {
        "AWAITING REVIEW": Stage.SUBMITTED,
        "TIMED-OUT": Stage.RETURNED,
        "RETURNED": Stage.RETURNED,
        "APPROVED": Stage.ACCEPTED,
        "SCREENED OUT": Stage.ACCEPTED,
        "REJECTED": Stage.REJECTED,
        "ACTIVE": Stage.WORKING,
        "PROCESSING": None,
    }
    told = {}
    for number in range(130):
        status = list(stages)[number % len(stages)]
        session = fake.take(study, f"w{number}")
        fake.end(session, status)
        told[session] = stages[status]
    heard = [one for event in account.poll([study], {}) for one in event.submissions]
    assert {one.session: one.stage for one in heard} == {k: v for k, v in told.items() if v}
    assert {one.offer for one in heard} == {study}


def test_decisions_are_told_once_and_again(fake: FakeProlific) -> None:
    account = opened(fake)
    session, submission = at_work(fake, account)
    for _ in range(2):
        account.accept(submission, AttemptHistory().attempt("a"))
    assert fake.submissions[session]["status"] == "APPROVED"
    with pytest.raises(PlatformRefused, match="APPROVED"):
        account.reject(submission, "why", AttemptHistory().attempt("r"))
    study = submission.offer or ""
    other = fake.take(study, "bob")
    fake.end(other)
    account.reject(
        Submission(other, "bob", Stage.SUBMITTED, study), "No.", AttemptHistory().attempt("r")
    )
    assert fake.submissions[other]["status"] == "REJECTED"
    assert len(fake.calls("POST /api/v1/submissions")[-1].json["message"]) >= 100


def test_a_bonus_is_paid_in_major_units(fake: FakeProlific) -> None:
    account = opened(fake)
    session, submission = at_work(fake, account)
    account.bonus(submission, 105, "Thanks", AttemptHistory().attempt("b"))
    fake.settle_payments()
    assert fake.submissions[session]["bonus_payments"] == [105.0]


@pytest.mark.parametrize("step", ["submissions/bonus-payments/", "bulk-bonus-payments/"])
def test_a_process_that_dies_while_paying_pays_once(fake: FakeProlific, step: str) -> None:
    account, history = opened(fake), AttemptHistory()
    session, submission = at_work(fake, account)
    fake.loses_answer_after = f"POST /api/v1/{step}"
    with pytest.raises(PlatformUnreachable):
        account.bonus(submission, 50, "Thanks", history.attempt("b"))
    if step.startswith("bulk"):
        with pytest.raises(PlatformUnreachable, match="to be seen soon"):
            account.bonus(submission, 50, "Thanks", history.attempt("b"))
        fake.settle_payments()
    account.bonus(submission, 50, "Thanks", history.attempt("b"))
    fake.settle_payments()
    assert fake.submissions[session]["bonus_payments"] == [50.0]


def test_a_bonus_that_never_left_is_paid_after_a_while(fake: FakeProlific) -> None:
    account, history = opened(fake), AttemptHistory()
    session, submission = at_work(fake, account)
    account.bonus(submission, 50, "An earlier one, by hand", AttemptHistory().attempt("x"))
    fake.settle_payments()
    fake.broken = "/pay/"
    with pytest.raises(PlatformUnreachable):
        account.bonus(submission, 50, "Thanks", history.attempt("b"))
    fake.broken = None
    with pytest.raises(PlatformUnreachable):
        account.bonus(submission, 50, "Thanks", history.attempt("b", after=60))
    account.bonus(submission, 50, "Thanks", history.attempt("b", after=1000))
    fake.settle_payments()
    assert fake.submissions[session]["bonus_payments"] == [50.0, 50.0]


def test_an_offer_that_ends_is_stopped_and_may_have_ended_before(fake: FakeProlific) -> None:
    account = opened(fake)
    study = account.publish(OFFER, AttemptHistory().attempt("one"))
    for _ in range(2):
        account.expire(study, AttemptHistory().attempt("e"))
    assert fake.studies[study]["status"] == "COMPLETED"


def test_a_key_that_is_wrong_revoked_or_missing_is_told_apart_from_a_platform_that_is_away(
    fake: FakeProlific,
) -> None:
    with pytest.raises(PlatformDenied, match="no key"):
        opened(fake, token="")
    with pytest.raises(PlatformDenied) as denied:
        opened(fake, token="hunter2").publish(OFFER, AttemptHistory().attempt("one"))
    assert "401" in str(denied.value) and "hunter2" not in str(denied.value)
    account = opened(fake)
    fake.faults = [Reply(429), Reply(500, b"<html>")]
    for _ in range(2):
        with pytest.raises(PlatformUnreachable):
            account.publish(OFFER, AttemptHistory().attempt("one"))
    gone = opened(fake, api="http://127.0.0.1:9/api/v1")
    with pytest.raises(PlatformUnreachable, match="cannot be reached"):
        gone.publish(OFFER, AttemptHistory().attempt("one"))


def test_a_worker_is_named_by_the_address_and_goes_back_with_the_code() -> None:
    platform = make_platform("prolific", {"code": "C0DE42"})
    given = read_access("prolific", {})
    arrival = platform.identify(QUERY, given)
    assert (arrival.worker, arrival.session, arrival.offer) == ("p1", "s1", "t1")
    end = platform.finish(arrival, RECEIPT, given)
    assert end == Redirect("https://app.prolific.com/submissions/complete?cc=C0DE42")
    assert platform.is_preview({"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"})
    assert not platform.is_preview(QUERY)
    with pytest.raises(BadArrival):
        platform.identify({"PROLIFIC_PID": "p1"}, given)


def test_fees_are_rounded_up() -> None:
    platform = make_platform("prolific", {"fee_percent": 33.3})
    assert platform.price(OFFER) == Price(450, 150)
    assert platform.bonus_price(10) == Price(10, 4)


@pytest.mark.parametrize(
    "options",
    [
        {"minutes": 10, "most_minutes": 20},
        {"filters": ["age"]},
        {"filters": ["{}"]},
        {"devices": []},
        {"code": "a b"},
    ],
)
def test_options_that_prolific_would_refuse_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(BadOption):
        make_platform("prolific", options)


CHANGE = {
    "resource_id": "s1",
    "event_type": "submission.status.change",
    "participant_id": "p1",
    "status": "AWAITING REVIEW",
}


def test_a_webhook_is_read_only_if_its_very_bytes_are_signed(fake: FakeProlific) -> None:
    platform, given = make_platform("prolific", {}), access(fake)
    headers, body = fake.hook(CHANGE)
    (event,) = platform.read_webhook(Webhook(headers, body), given)
    assert (event.id, event.submissions) == ("event-1", [Submission("s1", None, Stage.SUBMITTED)])
    late = {**headers, "X-Prolific-Request-Timestamp": "1762300001"}
    for forged in (Webhook(headers, body + b" "), Webhook(late, body), Webhook({}, body)):
        with pytest.raises(BadNotice):
            platform.read_webhook(forged, given)
    with pytest.raises(BadNotice):
        platform.read_webhook(Webhook(headers, body), access(fake, hook_secret=""))
    with pytest.raises(Malformed):
        platform.read_webhook(Webhook(*fake.hook({"what": 1})), given)


def test_webhooks_come_in_any_order_and_of_other_things(fake: FakeProlific) -> None:
    platform, given = make_platform("prolific", {}), access(fake)
    begun = fake.hook({**CHANGE, "status": "ACTIVE"})
    assert platform.read_webhook(Webhook(*begun), given) == []
    about = {"resource_id": "t1", "event_type": "study.status.change", "status": "PAUSED"}
    (event,) = platform.read_webhook(Webhook(*fake.hook(about)), given)
    assert event.offers == ["t1"] and not event.submissions


class Keys(FakePlatform):
    """Where Prolific publishes the keys to its links."""

    def __init__(self) -> None:
        super().__init__()
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def answer(self, request: Request) -> Reply:
        """Tell the public key."""
        public = json.loads(RSAAlgorithm.to_jwk(self.private.public_key()))
        return Reply(200, {"keys": [{**public, "kid": "k1", "use": "sig", "alg": "RS256"}]})

    def link(self, private: rsa.RSAPrivateKey | None = None, **changes: object) -> dict[str, str]:
        """Sign a link."""
        claims = {
            "iss": "https://www.prolific.com",
            "sub": "s1",
            "aud": URL,
            "exp": time.time() + 120,
            "prolific": {"PROLIFIC_PID": "p1", "workspace_id": WORKSPACE},
            **changes,
        }
        key = private or self.private
        token = jwt.encode(claims, key, algorithm="RS256", headers={"kid": "k1"})
        return {**QUERY, "prolific_token": token}


def test_a_signed_link_is_good_for_its_worker_alone_and_not_for_long() -> None:
    with serving(Keys()) as keys:
        given = read_access("prolific", {"prolific": {"keys": SecretStr(f"{keys.url}/jwks")}})
        platform: Platform = make_platform("prolific", {"secure": True, "audience": URL})
        assert platform.identify(keys.link(), given).worker == "p1"
        other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        for bad in (
            QUERY,
            keys.link(other),
            keys.link(exp=time.time() - 300),
            keys.link(iss="https://evil.example.org"),
            keys.link(aud="https://evil.example.org"),
            {**keys.link(), "SESSION_ID": "s2"},
            {**keys.link(), "PROLIFIC_PID": "p2"},
        ):
            with pytest.raises(BadArrival):
                platform.identify(bad, given)
    gone = read_access("prolific", {"prolific": {"keys": SecretStr(f"{keys.url}/elsewhere")}})
    with pytest.raises(PlatformUnreachable):
        platform.identify(keys.link(), gone)
