"""Amazon Mechanical Turk and compatible servers: the judging page in a frame of a HIT.

AWS has announced its end for September 2026; compatible task servers are reached by an endpoint.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar
from xml.sax.saxutils import escape

from pydantic import Field, StringConstraints

from nextpair.app.errors import BadArrival, BadNotice
from nextpair.app.field_types import Flag, Integer, Line, Real
from nextpair.app.platforms import base
from nextpair.app.platforms.accounts.mturk import MTurkAccount
from nextpair.app.platforms.accounts.mturk_access import MTurkAccess
from nextpair.app.platforms.accounts.mturk_hit_type import HitTypeSpec
from nextpair.app.platforms.accounts.mturk_messages import events_in
from nextpair.app.platforms.accounts.sns import check_signature, read_envelope
from nextpair.app.platforms.base import Account, Platform, origin_of, required_parameter
from nextpair.app.platforms.messages import (
    Arrival,
    CompletionAction,
    FormPost,
    Offer,
    PlatformEvent,
    Price,
    Receipt,
    Webhook,
)

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SUBMIT_TO = "submit_to"
LIVE = ("https://www.mturk.com", "https://worker.mturk.com", "https://requester.mturk.com")
SANDBOX = ("https://workersandbox.mturk.com", "https://requestersandbox.mturk.com")
"""Sites that show HITs, to workers and to their requesters; the first of each takes forms."""
_QUESTION = (
    '<?xml version="1.0" encoding="UTF-8"?><ExternalQuestion xmlns="http://mechanicalturk.amazonaws'
    '.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"><ExternalURL>{url}'
    "</ExternalURL><FrameHeight>{height}</FrameHeight></ExternalQuestion>"
)
_APPROVED_PERCENT = "000000000000000000L0"
_APPROVED = "00000000000000000040"
_LOCALE = "00000000000000000071"
_MASTERS = {True: "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6", False: "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"}
DAY, HOUR, MINUTE = 86_400, 3_600, 60


class MTurk(Platform):
    """Publish HITs whose question is the judging page; workers hand in by MTurk's own form."""

    name: ClassVar[str] = "mturk"
    Access: ClassVar[type[base.Access]] = MTurkAccess
    hires: ClassVar[bool] = True
    # From ten assignments on, a HIT costs twice the fee.
    max_places: ClassVar[int] = 9

    sandbox: Flag = Field(True, description="whether it is only tried out, without money")
    title: Annotated[str, StringConstraints(max_length=128)] = Field(
        "", description="of the HITs; left out, the study's"
    )
    description: Annotated[str, StringConstraints(max_length=2000)] = "Compare documents."
    keywords: Annotated[str, StringConstraints(max_length=999)] = "judgment, comparison, text"
    duration_minutes: Annotated[Real, Field(ge=0.5, le=525_600)] = Field(
        60, description="how long a worker may take"
    )
    lifetime_hours: Annotated[Real, Field(ge=0.01, le=8760)] = Field(
        72, description="how long a HIT can be taken"
    )
    auto_approve_days: Annotated[Real, Field(ge=0, le=30)] = Field(
        7, description="when MTurk accepts by itself what nobody has decided"
    )
    frame_height: Annotated[Integer, Field(ge=0, le=100_000)] = Field(
        0, description="of the frame; 0: as high as the worker's window"
    )
    approved_percent: Annotated[Integer, Field(ge=0, le=100)] | None = Field(
        None, description="of a worker's earlier work, at least"
    )
    approved: Annotated[Integer, Field(ge=0, le=10**6)] | None = Field(
        None, description="assignments of a worker, at least"
    )
    locales: Annotated[list[Annotated[str, StringConstraints(pattern="^[A-Z]{2}$")]], Field()] = (
        Field(default_factory=list, description="countries workers must live in: US, CA")
    )
    masters: Flag = Field(False, description="whether only Masters may come")
    fee_percent: Annotated[Real, Field(ge=0, le=100)] = Field(20, description="of MTurk")
    masters_percent: Annotated[Real, Field(ge=0, le=100)] = Field(5, description="on top")
    queue: Line = Field("", description="the URL of an SQS queue that notifications go to")
    topic: Line = Field("", description="the ARN of an SNS topic that they go to instead")

    # -- workers' browsers ----------------------------------------------------------------------

    def is_preview(self, query: Mapping[str, str]) -> bool:
        """Say whether a worker only previews the HIT."""
        return PREVIEW in (query.get("assignmentId"), query.get("assignment_id"))

    def identify(self, query: Mapping[str, str], access: MTurkAccess) -> Arrival:
        """Read who arrives; an assignment may pass from one worker to another."""
        sites = self.form_targets(access)
        submit_to = query.get("turkSubmitTo") or query.get("turk_submit_to") or sites[0]
        if origin_of(submit_to) not in sites:
            raise BadArrival("'turkSubmitTo' names a site that is not one of MTurk's")
        worker = required_parameter(query, "workerId", "worker_id")
        session = required_parameter(query, "assignmentId", "assignment_id")
        offer = required_parameter(query, "hitId", "hit_id")
        return Arrival(worker, session, offer, {SUBMIT_TO: origin_of(submit_to)})

    @property
    def session_seconds(self) -> float:
        """How long a worker may have a HIT."""
        return self.duration_minutes * MINUTE

    def finish(self, arrival: Arrival, receipt: Receipt, access: MTurkAccess) -> CompletionAction:
        """Post to MTurk, which refuses a form with the assignment alone."""
        action = arrival.extra[SUBMIT_TO].rstrip("/") + "/mturk/externalSubmit"
        answered = str(receipt.answered)
        fields = {"assignmentId": arrival.session, "receipt": receipt.token, "answered": answered}
        return FormPost(action, fields)

    def frame_ancestors(self, access: MTurkAccess) -> Sequence[str]:
        """List MTurk's sites."""
        return access.frame_sites or (SANDBOX if self.sandbox else LIVE)

    def form_targets(self, access: MTurkAccess) -> Sequence[str]:
        """List where forms may be posted: from the sandbox nothing goes to the live site."""
        return access.submit_sites or (SANDBOX if self.sandbox else LIVE)[:1]

    # -- hiring ---------------------------------------------------------------------------------

    def price(self, offer: Offer) -> Price:
        """Return what a HIT costs; the fee is a cent at least."""
        percent = self.fee_percent + (self.masters_percent if self.masters else 0)
        fee = _fee(offer.reward, percent)
        return Price(offer.places * offer.reward, offer.places * fee)

    def bonus_price(self, amount: int) -> Price:
        """Return what a bonus costs."""
        return Price(amount, _fee(amount, self.fee_percent))

    def plan(self, offer: Offer) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """List the calls that publishing makes."""
        spec = self.hit_type_spec(offer)
        hit = self.hit(offer, "(of CreateHITType)", f"{offer.study}:{offer.number}")
        notification = spec.notification
        return [
            ("CreateQualificationType", spec.qualification),
            ("CreateHITType", spec.hit_type("(of CreateQualificationType)")),
            *(
                [("UpdateNotificationSettings", {"HITTypeId": "…", **notification})]
                if notification
                else []
            ),
            ("CreateHITWithHITType", hit),
        ]

    def hit_type_spec(self, offer: Offer) -> HitTypeSpec:
        """Return what all HITs of a study have in common."""
        qualification = {
            "Name": f"nextpair {offer.study} {_short(offer.url)}",
            "Description": "Has taken part in this study before.",
            "QualificationTypeStatus": "Active",
        }
        hit_type = {
            "Title": (self.title or offer.title or offer.study)[:128],
            "Description": self.description,
            "Keywords": self.keywords,
            "Reward": money(offer.reward),
            "AssignmentDurationInSeconds": round(self.duration_minutes * MINUTE),
            "AutoApprovalDelayInSeconds": round(self.auto_approve_days * DAY),
        }
        return HitTypeSpec(qualification, hit_type, self._requirements(), self._notification())

    def hit(self, offer: Offer, hit_type: str, idempotency_key: str) -> dict[str, Any]:
        """Return the parameters of one HIT."""
        question = _QUESTION.format(url=escape(offer.url), height=self.frame_height)
        return {
            "HITTypeId": hit_type,
            "MaxAssignments": offer.places,
            "LifetimeInSeconds": max(30, round(self.lifetime_hours * HOUR)),
            "Question": question,
            "RequesterAnnotation": idempotency_key,
            "UniqueRequestToken": idempotency_key,
        }

    def _requirements(self) -> list[dict[str, Any]]:
        minimums = {_APPROVED_PERCENT: self.approved_percent, _APPROVED: self.approved}
        requirements: list[dict[str, Any]] = [
            {
                "QualificationTypeId": name,
                "Comparator": "GreaterThanOrEqualTo",
                "IntegerValues": [n],
            }
            for name, n in minimums.items()
            if n is not None
        ]
        if self.locales:
            places = [{"Country": country} for country in self.locales]
            requirements.append(
                {"QualificationTypeId": _LOCALE, "Comparator": "In", "LocaleValues": places}
            )
        if self.masters:
            requirements.append(
                {"QualificationTypeId": _MASTERS[self.sandbox], "Comparator": "Exists"}
            )
        return [
            {**requirement, "ActionsGuarded": "DiscoverPreviewAndAccept"}
            for requirement in requirements
        ]

    def _notification(self) -> dict[str, Any] | None:
        destination = self.queue or self.topic
        if not destination:
            return None
        events = ("Accepted", "Submitted", "Returned", "Abandoned", "Approved", "Rejected")
        return {
            "Active": True,
            "Notification": {
                "Destination": destination,
                "Transport": "SQS" if self.queue else "SNS",
                "Version": "2014-08-15",
                "EventTypes": [f"Assignment{event}" for event in events],
            },
        }

    def open(self, access: MTurkAccess) -> Account:
        """Connect."""
        return MTurkAccount(self, access, sandbox=self.sandbox, queue=self.queue, topic=self.topic)

    def read_webhook(self, webhook: Webhook, access: MTurkAccess) -> Sequence[PlatformEvent]:
        """Read a message that SNS posts and has signed."""
        envelope = read_envelope(webhook.body, self.topic)
        if access.signed:
            if not self.topic:
                # Anyone can create a topic, and SNS signs its messages.
                raise BadNotice("the study has no topic of SNS")
            check_signature(envelope, access.certificate_sites)
        return events_in(envelope)


def money(amount: int) -> str:
    """Write cents as MTurk wants them.

    >>> money(5), money(150)
    ('0.05', '1.50')
    """
    return f"{amount // 100}.{amount % 100:02d}"


def _fee(amount: int, percent: float) -> int:
    return max(1, math.ceil(amount * percent / 100 - 1e-9)) if amount and percent else 0


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
