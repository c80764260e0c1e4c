"""What goes over the wire: the shapes that more than one noun uses."""

from datetime import UTC, datetime
from typing import Annotated, Generic, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)

from nextpair.app.names import Name

__all__ = ["ErrorAt", "Item", "Moment", "Name", "Page", "ProblemOut", "Wire"]

Item = TypeVar("Item")

Moment = Annotated[
    float,
    BeforeValidator(lambda at: datetime.fromisoformat(at).timestamp() if type(at) is str else at),
    PlainSerializer(lambda at: datetime.fromtimestamp(at, UTC).isoformat(), return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""Seconds since 1970, told as ISO 8601."""


class Wire(BaseModel):
    """Something that comes in: what it does not know is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Page(BaseModel, Generic[Item]):
    """Some of a list; `next` goes into `after` to get those that follow."""

    items: list[Item]
    next: str | None = None


class ErrorAt(BaseModel):
    """One thing that is wrong, and where."""

    where: str
    what: str


class ProblemOut(BaseModel):
    """A problem document, RFC 9457."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "urn:nextpair:unknown-study",
                "title": "Unknown study",
                "status": 404,
                "detail": "there is no study 'answers'",
                "request_id": "5f1c9a0d2b7e",
            }
        }
    )

    type: str = Field(description="which problem this is, for programs")
    title: str
    status: int
    detail: str = Field(description="what was wrong here, and what to do")
    errors: list[ErrorAt] | None = Field(None, description="each thing that is wrong, and where")
    request_id: str | None = Field(None, description="how the log calls this request")
