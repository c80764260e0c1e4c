"""API keys on the wire."""

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from nextpair.app.enums import Scope
from nextpair.app.field_types import Line
from nextpair.app.schemas.common import Moment, Wire


class KeyIn(Wire):
    """A key to be made."""

    scope: Scope
    label: Line = Field("", description="what it is for", examples=["the judging page"])


class KeyOut(BaseModel):
    """A key, without the key."""

    id: str
    scope: Scope
    label: str
    created_at: Moment
    revoked_at: Moment | None
    expires_at: Moment | None = Field(None, description="of a browser's key; others have no end")


class NewKeyOut(KeyOut):
    """A key that was just made."""

    key: str | None = Field(description="the key itself, this once: only its hash is kept")


class SignInOut(BaseModel):
    """A one-time address that signs a browser in."""

    url: str = Field(description="the address, with the code where no log sees it")
    code: str
    expires_at: Moment


class SignInUse(Wire):
    """A one-time code."""

    code: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,100}$")]


class SignedInOut(KeyOut):
    """The key of a browser that was just signed in."""

    key: str = Field(description="the key itself, this once: only its hash is kept")


class SignedOut(BaseModel):
    """What became of the key that a browser signed out with."""

    revoked: bool = Field(description="whether it was the browser's own; any other key stays")
