"""API keys on the wire."""

from pydantic import BaseModel, Field

from nextpair.app.values import Line
from nextpair.app.wire.common import Moment, Wire
from nextpair.app.words import Scope


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


class NewKeyOut(KeyOut):
    """A key that was just made."""

    key: str | None = Field(description="the key itself, this once: only its hash is kept")
