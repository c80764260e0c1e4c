"""What SNS posts is taken only if SNS has signed it, by a certificate from where it must be."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from platforms.fake_server import Reply, serving
from platforms.fake_sns import PATH, TOPIC_ARN, Json, Signer
from pydantic import SecretStr

from nextpair.app.errors import BadNotice, PlatformUnreachable
from nextpair.app.platforms.accounts.sns import AWS, _certificate
from nextpair.app.platforms.messages import PlatformEvent, Stage, Submission, Webhook
from nextpair.app.platforms.registry import make_platform, read_access

RETURNED = {
    "Events": [{"EventType": "AssignmentReturned", "HITId": "H", "AssignmentId": "A"}],
    "EventDocId": "doc",
}
CONFIRM = {
    "Type": "SubscriptionConfirmation",
    "MessageId": "m2",
    "Token": "tok",
    "TopicArn": TOPIC_ARN,
    "Message": "confirm",
    "SubscribeURL": "https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription",
    "Timestamp": "2026-11-18T00:00:00.000Z",
}


@pytest.fixture
def signer() -> Iterator[Signer]:
    """An SNS of our own."""
    with serving(Signer()) as running:
        yield running


def read(envelope: object, site: str = "", **given: str) -> list[PlatformEvent]:
    access = {**({"certificate_sites": site} if site else {}), **given}
    secrets = {"mturk": {name: SecretStr(value) for name, value in access.items()}}
    platform = make_platform("mturk", {"topic": TOPIC_ARN})
    body = json.dumps(envelope).encode()
    return list(platform.read_webhook(Webhook({}, body), read_access("mturk", secrets)))


@pytest.mark.parametrize("version", ["1", "2"])
def test_what_is_signed_is_read_and_the_certificate_is_asked_for_once(
    signer: Signer, version: str
) -> None:
    for _ in range(2):
        (event,) = read(signer.notification(RETURNED, version), signer.url)
    assert event == PlatformEvent(
        "doc", [Submission("A", None, Stage.RETURNED, "H")], offers=("H",)
    )
    (event,) = read(signer.sign({**CONFIRM}, version), signer.url)
    assert event.handle == f"{TOPIC_ARN} tok"
    subject = signer.sign({**signer.notification(RETURNED), "Subject": "about"}, version)
    assert read(subject, signer.url)
    assert [one.path for one in signer.requests] == [PATH]


def changed(envelope: Json, **more: Any) -> Json:
    return {**envelope, **more}


def test_a_message_that_was_changed_or_signed_by_someone_else_is_refused(signer: Signer) -> None:
    good = signer.notification(RETURNED)
    with serving(Signer()) as other:
        foreign = changed(other.notification(RETURNED), SigningCertURL=good["SigningCertURL"])
    message = good["Message"].replace('"A"', '"B"')
    forged: list[object] = [
        foreign,
        changed(good, Message=message),
        changed(good, MessageId="m9"),
        changed(good, Subject="added"),
        changed(good, SignatureVersion="1"),
        changed(good, SignatureVersion="3"),
        changed(good, Signature="AAAA"),
        changed(good, Signature="no base64!"),
        {name: value for name, value in good.items() if name != "Signature"},
        {name: value for name, value in good.items() if name != "Timestamp"},
        signer.sign(changed(good, TopicArn="arn:aws:sns:us-east-1:1:another")),
        RETURNED,
        {},
        [],
        None,
    ]
    for bad in forged:
        with pytest.raises(BadNotice):
            read(bad, signer.url)


@pytest.mark.parametrize(
    "address",
    [
        "http://sns.us-east-1.amazonaws.com/x.pem",
        "https://sns.us-east-1.amazonaws.com.evil.org/x.pem",
        "https://evil.org/sns.us-east-1.amazonaws.com/x.pem",
        "https://sns.us-east-1.amazonaws.com@evil.org/x.pem",
        "https://sns.us-east-1.amazonaws.com:8443/x.pem",
        "https://bucket.s3.amazonaws.com/x.pem",
        "https://sns.us-east-1.amazonaws.com/x.pem?to=evil",
        "https://sns.us-east-1.amazonaws.com/",
        "file:///etc/passwd",
        "https://[/x.pem",
        "",
    ],
)
def test_no_certificate_is_asked_for_but_from_aws(
    signer: Signer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("httpx.get", lambda *_, **__: pytest.fail("it was asked for"))
    with pytest.raises(BadNotice):
        read(changed(signer.notification(RETURNED), SigningCertURL=address))


def test_aws_has_a_site_in_every_region() -> None:
    for region, suffix in (("us-east-1", ""), ("us-gov-west-1", ""), ("cn-north-1", ".cn")):
        assert AWS.fullmatch(f"https://sns.{region}.amazonaws.com{suffix}")


def test_a_certificate_that_cannot_be_had_is_asked_for_again_and_an_old_one_is_no_good(
    signer: Signer,
) -> None:
    signer.faults = [Reply(500), Reply(302, headers={"Location": "https://evil.org/x.pem"})]
    for _ in range(2):
        with pytest.raises(PlatformUnreachable):
            read(signer.notification(RETURNED), signer.url)
    assert read(signer.notification(RETURNED), signer.url)
    with serving(Signer(days=-1)) as old, pytest.raises(BadNotice, match="not valid now"):
        read(old.notification(RETURNED), old.url)
    with serving(Signer()) as junk:
        junk.certificate = b"no certificate"
        with pytest.raises(BadNotice):
            read(junk.notification(RETURNED), junk.url)
    _certificate.cache_clear()


def test_an_installation_may_do_without_signatures_and_then_the_secret_address_stands_alone() -> (
    None
):
    assert read({**RETURNED, "TopicArn": TOPIC_ARN}, signed="false")
    with pytest.raises(BadNotice):
        make_platform("mturk", {}).read_webhook(
            Webhook({}, json.dumps(RETURNED).encode()), read_access("mturk", {})
        )
