"""Figure Eight (Appen): pairs as units of a job, or units that show the judging page in a frame."""

import hashlib
import hmac
import logging
import math
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from html import escape
from typing import Annotated, Any, ClassVar
from urllib.parse import parse_qsl

from pydantic import Field, SecretStr, StringConstraints, field_validator

from nextpair.app.errors import BadArrival, BadNotice
from nextpair.app.field_types import Flag, Integer, Line, Real
from nextpair.app.platforms import base
from nextpair.app.platforms.accounts.figure_eight import FigureEightAccount
from nextpair.app.platforms.accounts.figure_eight_dialect import Dialect
from nextpair.app.platforms.accounts.figure_eight_units import (
    events_in,
    slot_units,
    slots_of,
    units_of,
)
from nextpair.app.platforms.accounts.payloads import parse
from nextpair.app.platforms.base import (
    Account,
    Platform,
    QuestionDisplay,
    origin_of,
    required_parameter,
)
from nextpair.app.platforms.messages import (
    Arrival,
    CompletionAction,
    CompletionCode,
    Offer,
    PlatformEvent,
    Price,
    Receipt,
    Webhook,
)

log = logging.getLogger("nextpair")

Symbol = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9_]{1,60}$")]


class JobMode(StrEnum):
    """Where the questions are shown."""

    UNITS = "units"
    """At Figure Eight: each pair is a unit."""
    SLOTS = "slots"
    """Here: each unit is a place for one session, with our page in a frame."""


class FigureEightAccess(base.Access):
    """The key, and the addresses that it is sent to."""

    key: SecretStr = SecretStr("")
    hook_tokens: SecretStr = Field(SecretStr(""), description="besides the key, by commas")
    api: str = "https://api.appen.com/v1"
    frame_sites: tuple[str, ...] = Field((), description="that frame our page, by commas")
    gap_seconds: float = Field(0.0, ge=0, le=60, description="between calls, at least")

    @field_validator("frame_sites", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(origin_of(site) for site in re.split(r"[,\s]+", value.strip()) if site)


class FigureEight(Platform):
    """Fill a job with units as answers come back; Figure Eight itself pays its contributors."""

    name: ClassVar[str] = "figure-eight"
    Access: ClassVar[type[base.Access]] = FigureEightAccess
    hires: ClassVar[bool] = True

    way: JobMode = JobMode.UNITS
    title: Line = Field("", description="of the job; left out, the study's")
    question: Line = "Which is better?"
    channels: Annotated[list[Symbol], Field(min_length=1)] = Field(
        default_factory=lambda: ["on_demand"], description="cf_internal: one's own people"
    )
    quiz: Flag = Field(True, description="whether known answers begin with a quiz")
    golds_per_page: Annotated[Integer, Field(ge=0, le=20)] = 1
    judgments_per_worker: Annotated[Integer, Field(ge=1, le=10**6)] | None = None
    included_countries: Annotated[list[Symbol], Field()] = Field(default_factory=list)
    uploads_by: Annotated[str, StringConstraints(pattern="^(POST|PUT)$")] = "POST"
    flags_by: Annotated[str, StringConstraints(pattern="^(verb|field)$")] = Field(
        "verb", description="…/flag, or a field of the worker"
    )
    signals: Annotated[list[Symbol], Field()] = Field(
        default_factory=lambda: ["unit_complete", "new_judgments"],
        description="of webhooks that tell units",
    )
    launched: Annotated[str, StringConstraints(pattern=r"^(\w+(=\w+)?)?$", max_length=120)] = Field(
        "order_approved", description="what of a job says that it is launched, or what=value"
    )
    marked_in: Annotated[str, StringConstraints(pattern="^(css|js|title)$")] = Field(
        "css", description="where a job carries a mark by which it is found again"
    )
    regenerate: Annotated[str, StringConstraints(pattern=r"^[\w.]{0,60}$")] = Field(
        "regenerate", description="what is posted to for a new report; empty: nothing"
    )
    report: Symbol = Field("json", description="the type of reports")
    worker_tag: Symbol | None = Field(
        None, description="what Liquid calls the contributor, if it knows; none is documented"
    )
    fee_percent: Annotated[Real, Field(ge=0, le=200)] = 20

    @property
    def question_display(self) -> QuestionDisplay:  # type: ignore[override]  # by an option here, by class elsewhere
        """Where workers see their questions."""
        return QuestionDisplay.TASKS if self.way is JobMode.UNITS else QuestionDisplay.PAGE

    @property
    def max_places(self) -> int:  # type: ignore[override]  # as above
        """One page of pairs is one offer, so that the next follows as soon as it is answered."""
        return 1 if self.way is JobMode.UNITS else 1000

    # -- workers' browsers ----------------------------------------------------------------------

    def is_preview(self, query: Mapping[str, str]) -> bool:
        """Say whether the place was not filled in, as in a preview of the job."""
        return "slot" in query and ("{{" in query["slot"] or not query["slot"])

    def identify(self, query: Mapping[str, str], access: FigureEightAccess) -> Arrival:
        """Read which place was taken: its worker is known only at the hand-in."""
        if self.way is JobMode.UNITS:
            raise BadArrival("this study is judged at Figure Eight")
        slot, code = required_parameter(query, "slot"), required_parameter(query, "code")
        name = query.get("worker", "")
        is_named = bool(self.worker_tag) and bool(name) and "{{" not in name
        worker = f"slot:{slot}"
        if is_named:
            worker = f"figure-eight:{required_parameter(query, 'worker')}"
        return Arrival(worker, slot, required_parameter(query, "offer"), {"code": code})

    def proves(self, arrival: Arrival, idempotency_key: str, places: int) -> bool:
        """Say whether the place and its code are the offer's: only the job's form shows them."""
        code = slots_of(idempotency_key, places).get(arrival.session, "")
        return bool(code) and hmac.compare_digest(code.encode(), arrival.extra["code"].encode())

    @property
    def hands_in(self) -> bool:
        """Only where the judging page is shown."""
        return self.way is JobMode.SLOTS

    def finish(
        self, arrival: Arrival, receipt: Receipt, access: FigureEightAccess
    ) -> CompletionAction:
        """Show the code, with the prefix that the job's form requires."""
        return CompletionCode(f"{arrival.extra['code']}-{receipt.code}")

    def frame_ancestors(self, access: FigureEightAccess) -> Sequence[str]:
        """List the sites that show our page in a frame, as the installation names them."""
        return access.frame_sites if self.way is JobMode.SLOTS else ()

    # -- hiring ---------------------------------------------------------------------------------

    def price(self, offer: Offer) -> Price:
        """Return what pages, or places, cost."""
        return Price(offer.places * offer.reward, offer.places * self._fee(offer.reward))

    def bonus_price(self, amount: int) -> Price:
        """Return what a bonus costs."""
        return Price(amount, self._fee(amount))

    def _fee(self, amount: int) -> int:
        return math.ceil(amount * self.fee_percent / 100 - 1e-9)

    def plan(self, offer: Offer) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """List the calls that publishing makes."""
        rows = self.rows(offer, "(job)", "(token)")
        order = {"debit[units_count]": len(rows), "channels[]": self.channels}
        return [
            ("POST jobs.json", {"job": self.job(offer, "(token)")}),
            ("POST jobs/(job)/upload.json", {"rows": rows}),
            ("POST jobs/(job)/orders.json", order),
        ]

    def job(self, offer: Offer, mark: str) -> dict[str, Any]:
        """Return the definition of the job, which needs instructions and a required field."""
        units = self.way is JobMode.UNITS
        golds = sum(task.gold_answer is not None for task in offer.tasks)
        page = offer.questions if units else 1
        definition: dict[str, Any] = {
            "title": self.title or offer.title or offer.study,
            "instructions": offer.instructions or "Compare documents.",
            "cml": self.units_cml(offer.ties_allowed) if units else self.slots_cml(offer.url),
            "judgments_per_unit": 1,
            "units_per_assignment": page,
            "gold_per_assignment": self.golds_per_page if golds else 0,
            "payment_cents": offer.reward,
            "auto_order": True,
            "options": {"front_load": int(self.quiz and golds >= page + 3)},
        }
        if offer.webhook_url:
            definition |= {"webhook_uri": offer.webhook_url, "send_judgments_webhook": True}
        if self.judgments_per_worker is not None:
            definition["max_judgments_per_worker"] = self.judgments_per_worker
        if self.included_countries:
            definition["included_countries"] = self.included_countries
        return self.dialect.marked(definition, mark)

    def units_cml(self, ties: bool) -> str:
        """Write the form of a pair."""
        choices = {"left": "The left one", "right": "The right one"}
        choices |= {"equal": "Both equally good"} if ties else {}
        radios = "".join(f'<cml:radio label="{v}" value="{k}"/>' for k, v in choices.items())
        return (
            "<h3>{{topic}}</h3><table><tr><td>{{text_a}}</td><td>{{text_b}}</td></tr></table>"
            f'<cml:radios label="{escape(self.question)}" name="preference" validates="required" '
            f'gold="true" aggregation="agg">{radios}</cml:radios>'
        )

    def slots_cml(self, url: str) -> str:
        """Write the form of a place: our page in a frame, and a field for its code."""
        worker = f"&amp;worker={{{{{self.worker_tag}}}}}" if self.worker_tag else ""
        names = "slot={{slot}}&amp;code={{code}}&amp;offer={{offer}}"
        return (
            f'<iframe src="{escape(url)}?{names}{worker}" width="100%" height="800"></iframe>'
            '<cml:text label="The code that the page shows in the end" name="receipt" '
            'validates="required regex" data-validates-regex="^{{code}}-"/>'
        )

    def rows(self, offer: Offer, job: str, idempotency_key: str) -> list[dict[str, Any]]:
        """List the units of an offer."""
        if self.way is JobMode.UNITS:
            return units_of(offer)
        return slot_units(offer, f"{job}:{offer.number}", idempotency_key)

    def open(self, access: FigureEightAccess) -> Account:
        """Connect."""
        return FigureEightAccount(self, access, self.dialect)

    @property
    def dialect(self) -> Dialect:
        """The variant of the API."""
        return Dialect(
            self.channels,
            self.uploads_by,
            self.flags_by,
            self.launched,
            self.marked_in,
            self.regenerate,
            self.report,
        )

    def read_webhook(self, webhook: Webhook, access: FigureEightAccess) -> Sequence[PlatformEvent]:
        """Read a webhook, signed with the key or with one of the tokens."""
        try:
            fields = dict(parse_qsl(webhook.body.decode(), keep_blank_values=True))
            signal, payload, signature = fields["signal"], fields["payload"], fields["signature"]
        except (KeyError, ValueError):
            raise BadNotice("this is no webhook of Figure Eight") from None
        secrets = [access.key.get_secret_value()]
        secrets += access.hook_tokens.get_secret_value().split(",")
        if not any([_is_signed(payload, secret.strip(), signature) for secret in secrets]):
            raise BadNotice("the webhook is not signed by Figure Eight")
        if signal not in self.signals:
            log.info("a webhook of Figure Eight is left out", extra={"platform": "figure-eight"})
            return []
        return events_in(parse(payload))


def _is_signed(payload: str, secret: str, signature: str) -> bool:
    digest = hashlib.sha1((payload + secret).encode(errors="replace")).hexdigest()
    return bool(secret) and hmac.compare_digest(digest.encode(), signature.encode(errors="replace"))
