"""Prolific: every offer is a study there, which sends workers to the judging page and back."""

import base64
import hashlib
import hmac
import json
import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, ClassVar
from urllib.parse import quote

from pydantic import Field, SecretStr, StringConstraints, field_validator, model_validator

from nextpair.app.errors import BadArrival, BadNotice
from nextpair.app.field_types import Flag, Integer, Line, Prose, Real
from nextpair.app.platforms import base
from nextpair.app.platforms.accounts.payloads import JsonNode, parse
from nextpair.app.platforms.accounts.prolific import ProlificAccount, stage_of
from nextpair.app.platforms.accounts.prolific_links import check_link
from nextpair.app.platforms.base import Account, Platform, required_parameter
from nextpair.app.platforms.messages import (
    Arrival,
    CompletionAction,
    Offer,
    PlatformEvent,
    Price,
    Receipt,
    Redirect,
    Stage,
    Submission,
    Webhook,
)

WORKER, SESSION, STUDY = "PROLIFIC_PID", "SESSION_ID", "STUDY_ID"
TOKEN = "prolific_token"
BLOCKLIST, EARLIER = "participant_group_blocklist", "previous_studies_blocklist"


class Device(StrEnum):
    """A device that workers use."""

    DESKTOP = "desktop"
    TABLET = "tablet"
    MOBILE = "mobile"


class ProlificAccess(base.Access):
    """The token, and where to send it."""

    token: SecretStr = SecretStr("")
    hook_secret: SecretStr = Field(SecretStr(""), description="without it, no webhooks")
    workspace: str = Field("", description="whose webhooks and groups they are")
    api: str = "https://api.prolific.com/api/v1"
    site: str = "https://app.prolific.com"
    keys: str = "https://api.prolific.com/.well-known/study/jwks.json"


class Prolific(Platform):
    """Publish studies; the submissions are reviewed by the study's own checks."""

    name: ClassVar[str] = "prolific"
    Access: ClassVar[type[base.Access]] = ProlificAccess
    hires: ClassVar[bool] = True
    can_find_session: ClassVar[bool] = True

    title: Annotated[str, StringConstraints(max_length=120)] = Field(
        "", description="left out, the study's"
    )
    description: Prose = Field("", description="left out, the study's instructions")
    minutes: Annotated[Integer, Field(ge=1, le=10_000)] = Field(
        15, description="how long a session takes, as workers are told"
    )
    most_minutes: Annotated[Integer, Field(ge=5, le=100_000)] | None = Field(
        None, description="how long it may take; left out, as Prolific computes it"
    )
    devices: Annotated[list[Device], Field(min_length=1)] = Field(
        default_factory=lambda: [Device.DESKTOP], description="what workers may use"
    )
    filters: Annotated[list[Line], Field(max_length=100)] = Field(
        default_factory=list, description="who may come: Prolific's filters, each as JSON"
    )
    project: Line = Field("", description="the id of the project that pays")
    code: Annotated[str, StringConstraints(pattern="^[A-Za-z0-9]{4,40}$")] = Field(
        "NEXTPAIR", description="the completion code, the same for all: what counts is kept here"
    )
    once: Flag = Field(True, description="whether nobody takes two offers of this study")
    secure: Flag = Field(False, description="whether workers come by signed links only")
    issuer: Line = Field("https://www.prolific.com", description="who signs the links")
    audience: Line = Field("", description="whom the links are made for; left out, not looked at")
    category: Annotated[str, StringConstraints(pattern="^[A-Z_]{2,40}$")] = Field(
        "FAILED_CHECK", description="of rejections"
    )
    settling_minutes: Annotated[Real, Field(ge=1, le=1440)] = Field(
        15, description="after which a bonus that was paid is sure to be seen"
    )
    fee_percent: Annotated[Real, Field(ge=0, le=200)] = Field(42.8, description="of Prolific")

    @field_validator("filters")
    @classmethod
    def _are_filters(cls, filters: list[str]) -> list[str]:
        for text in filters:
            try:
                parsed = json.loads(text)
            except ValueError:
                raise ValueError("each of the filters is a JSON object") from None
            if not isinstance(parsed, dict) or not isinstance(parsed.get("filter_id"), str):
                raise ValueError("each of the filters has a filter_id")
        return filters

    @model_validator(mode="after")
    def _has_time(self) -> "Prolific":
        least = self._least_minutes
        if self.most_minutes is not None and self.most_minutes < least:
            raise ValueError(
                f"most_minutes is {least} at least, for {self.minutes} minutes of work"
            )
        return self

    # -- workers' browsers ----------------------------------------------------------------------

    def is_preview(self, query: Mapping[str, str]) -> bool:
        """Say whether the placeholders of the address were not filled in."""
        return any(query.get(name, "").startswith("{{%") for name in (WORKER, SESSION))

    def identify(self, query: Mapping[str, str], access: ProlificAccess) -> Arrival:
        """Read who arrives, from the address or from a signed link."""
        worker, session = required_parameter(query, WORKER), required_parameter(query, SESSION)
        offer = required_parameter(query, STUDY)
        if self.secure:
            token = query.get(TOKEN, "")
            if not token:
                raise BadArrival("the address lacks Prolific's signature: open it from there")
            claims = check_link(token, access.keys, self.issuer, self.audience)
            if claims.session != session or claims.worker not in (None, worker):
                raise BadArrival("Prolific has signed this address for someone else")
        return Arrival(worker, session, offer)

    @property
    def session_seconds(self) -> float:
        """How long a submission may take."""
        return 60.0 * (self.most_minutes or self._least_minutes)

    @property
    def _least_minutes(self) -> int:
        return math.ceil(2 + 2 * self.minutes + 2 * math.sqrt(self.minutes))

    def finish(
        self, arrival: Arrival, receipt: Receipt, access: ProlificAccess
    ) -> CompletionAction:
        """Go back to Prolific, with the completion code."""
        site = access.site.rstrip("/")
        return Redirect(f"{site}/submissions/complete?cc={quote(self.code, safe='')}")

    # -- hiring ---------------------------------------------------------------------------------

    def price(self, offer: Offer) -> Price:
        """Return what the offer costs, with the fee of each place."""
        return Price(offer.places * offer.reward, offer.places * self._fee(offer.reward))

    def bonus_price(self, amount: int) -> Price:
        """Return what a bonus costs: the fee is that of a reward."""
        return Price(amount, self._fee(amount))

    def _fee(self, amount: int) -> int:
        return math.ceil(amount * self.fee_percent / 100 - 1e-9)

    def plan(self, offer: Offer) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """List the calls that publishing makes."""
        study = self.study(offer, f"nextpair {offer.study} {offer.number}", None)
        return [
            ("POST studies/", study),
            ("POST studies/(of POST studies/)/transition/", {"action": "PUBLISH"}),
        ]

    def study(self, offer: Offer, internal_name: str, group: str | None) -> dict[str, Any]:
        """Return the definition of a study at Prolific."""
        tags = "&".join(f"{name}={{{{%{name}%}}}}" for name in (WORKER, STUDY, SESSION))
        joiner = "&" if "?" in offer.url else "?"
        definition: dict[str, Any] = {
            "name": (self.title or offer.title or offer.study)[:120],
            "internal_name": internal_name,
            "description": self.description or offer.instructions or "Compare documents.",
            "external_study_url": f"{offer.url}{joiner}{tags}",
            "prolific_id_option": "url_parameters",
            "completion_codes": [
                {
                    "code": self.code,
                    "code_type": "COMPLETED",
                    "actions": [{"action": "MANUALLY_REVIEW"}],
                    "actor": "participant",
                }
            ],
            "total_available_places": offer.places,
            "estimated_completion_time": self.minutes,
            "reward": offer.reward,
            "device_compatibility": [device.value for device in self.devices],
            "filters": self._filters(offer, group),
            "submissions_config": {"max_submissions_per_participant": 1},
        }
        if self.most_minutes is not None:
            definition["maximum_allowed_time"] = self.most_minutes
        if self.project:
            definition["project"] = self.project
        if self.secure:
            definition["is_external_study_url_secure"] = True
        return definition

    def _filters(self, offer: Offer, group: str | None) -> list[dict[str, Any]]:
        filters = [json.loads(text) for text in self.filters]
        if group:
            filters.append({"filter_id": BLOCKLIST, "selected_values": [group]})
        if self.once and offer.earlier_offers:
            filters.append({"filter_id": EARLIER, "selected_values": list(offer.earlier_offers)})
        return filters

    def open(self, access: ProlificAccess) -> Account:
        """Connect."""
        return ProlificAccount(
            self,
            access,
            project=self.project,
            category=self.category,
            settling=self.settling_minutes * 60,
        )

    def read_webhook(self, webhook: Webhook, access: ProlificAccess) -> Sequence[PlatformEvent]:
        """Read a webhook, whose signature covers its time and its exact bytes."""
        headers = {name.lower(): value for name, value in webhook.headers.items()}
        secret = access.hook_secret.get_secret_value()
        signature = headers.get("x-prolific-request-signature", "")
        if not secret or not _is_signed(signature, secret, headers, webhook.body):
            raise BadNotice("the webhook is not signed by Prolific")
        event = headers.get("x-event-id") or None
        name = event and JsonNode(event, "the header X-Event-ID").identifier()
        return _events_in(parse(webhook.body), name)


def _is_signed(signature: str, secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    timestamp = headers.get("x-prolific-request-timestamp", "")
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(digest), signature.encode())


def _events_in(content: JsonNode, event_id: str | None) -> list[PlatformEvent]:
    resource, kind = content["resource_id"].identifier(), content["event_type"].identifier()
    if kind.startswith("study."):
        return [PlatformEvent(event_id, offers=[resource])]
    is_submission = kind == "submission.status.change"
    stage = stage_of(content["status"].identifier()) if is_submission else None
    if stage is None or stage is Stage.WORKING:
        # Webhooks come in any order: the worker may have finished long ago.
        return []
    # Without the worker, it applies to known sessions only: the workspace has other studies.
    return [PlatformEvent(event_id, [Submission(resource, None, stage)])]
