"""Any other platform, by options alone: parameters in; a code, an address or a form out."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, ClassVar
from urllib.parse import quote

from pydantic import Field, StringConstraints, model_validator

from nextpair.app.errors import BadArrival
from nextpair.app.field_types import Line
from nextpair.app.platforms.base import Platform, origin_of, required_parameter
from nextpair.app.platforms.messages import (
    Arrival,
    CompletionAction,
    CompletionCode,
    FormPost,
    NoAction,
    Receipt,
    Redirect,
)

Parameter = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{0,100}$")]
Site = Annotated[str, StringConstraints(pattern=r"^https?://[A-Za-z0-9.:\[\]-]+$")]

BACK = "back"
"""The key in `Arrival.extra` of the address to go back to."""


class Ending(StrEnum):
    """How a worker's page ends."""

    CODE = "code"
    REDIRECT = "redirect"
    FORM = "form"
    NOTHING = "nothing"


class Generic(Platform):
    """Read who arrives from parameters, and end as the platform needs it."""

    name: ClassVar[str] = "generic"
    worker: Parameter = Field("worker", description="the parameter that names the worker")
    session: Parameter = Field("", description="the parameter that names their session, if any")
    offer: Parameter = Field("", description="the parameter that names the offer, if any")
    preview: Line = Field("", description="name=value that only previews have, if any")
    ending: Ending = Ending.CODE
    code: Line = Field("", description="the code of all workers; left out, each has their own")
    url: Line = Field("", description="where to go: with {code}, {worker}, {session}, {offer}")
    back: Parameter = Field("", description="the parameter that says where to go, in place of url")
    path: Line = Field("", description="what is added to the address in back")
    fields: Annotated[list[Line], Field(max_length=100)] = Field(
        default_factory=list, description="of the form: name=value each, with {receipt} and above"
    )
    sites: Annotated[list[Site], Field(max_length=100)] = Field(
        default_factory=list, description="sites that back may name; no others"
    )
    frames: Annotated[list[Site], Field(max_length=100)] = Field(
        default_factory=list, description="sites that show the judging page in a frame"
    )

    @model_validator(mode="after")
    def _goes_somewhere(self) -> "Generic":
        if self.ending in (Ending.REDIRECT, Ending.FORM):
            if bool(self.url) == bool(self.back):
                raise ValueError("this ending needs either a url or a back")
            if self.back and not self.sites:
                raise ValueError("back needs the sites it may name")
            if self.url and not self.url.startswith(("http://", "https://")):
                raise ValueError("url must begin with https://")
        if any("=" not in field for field in self.fields):
            raise ValueError("each of the fields is name=value")
        return self

    def is_preview(self, query: Mapping[str, str]) -> bool:
        """Say whether a worker only previews the offer."""
        name, _, value = self.preview.partition("=")
        return bool(name) and query.get(name) == value

    def identify(self, query: Mapping[str, str], access: Any) -> Arrival:
        """Read who arrives."""
        worker = required_parameter(query, self.worker)
        session = required_parameter(query, self.session) if self.session else worker
        is_named = bool(self.offer) and bool(query.get(self.offer, "").strip())
        offer = required_parameter(query, self.offer) if is_named else None
        extra = {}
        if self.back:
            extra[BACK] = query.get(self.back, "")
            if origin_of(extra[BACK]) not in self.sites:
                raise BadArrival(f"{self.back!r} names a site that is not among the study's")
        return Arrival(worker, session, offer, extra)

    @property
    def hands_in(self) -> bool:
        """Unless the ending is nothing."""
        return self.ending is not Ending.NOTHING

    def finish(self, arrival: Arrival, receipt: Receipt, access: Any) -> CompletionAction:
        """End as the options say."""
        code = self.code or receipt.code
        if self.ending is Ending.CODE:
            return CompletionCode(code)
        if self.ending is Ending.NOTHING:
            return NoAction()
        values = {
            "code": code,
            "receipt": receipt.token,
            "worker": arrival.worker,
            "session": arrival.session,
            "offer": arrival.offer or "",
        }
        target = _filled(self.url, {name: quote(value, safe="") for name, value in values.items()})
        if self.back:
            target = arrival.extra[BACK].rstrip("/") + self.path
        if self.ending is Ending.REDIRECT:
            return Redirect(target)
        pairs = (field.partition("=") for field in self.fields)
        return FormPost(target, {name: _filled(value, values) for name, _, value in pairs})

    def frame_ancestors(self, access: Any) -> Sequence[str]:
        """List the sites that show the judging page in a frame."""
        return self.frames

    def form_targets(self, access: Any) -> Sequence[str]:
        """List the sites that a form may be posted to."""
        if self.ending is not Ending.FORM:
            return ()
        return self.sites if self.back else [origin_of(self.url)]


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text
