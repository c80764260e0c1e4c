"""Schemas of judging sessions."""

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from nextpair.app.field_types import Flag, Integer, Line
from nextpair.app.platforms.messages import CompletionAction, CompletionCode, FormPost, Redirect
from nextpair.app.schemas.common import Name, RequestModel, Timestamp
from nextpair.app.schemas.judging import DesignOut, NextOut, VerdictOut

AssignmentName = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,15}-[0-9]{1,15}$")]


class SessionIn(RequestModel):
    """Who is to judge, and how much."""

    worker: Name
    topic: Name | None = Field(None, description="only this topic; any if left out")
    count: Integer | None = Field(
        None, ge=1, le=10**6, description="the most questions they answer; no limit if left out"
    )
    continues: Flag = Field(
        False,
        description="whether what they have answered in this study before counts as answered in"
        " this session: to renew one that has ended, or soon will",
    )


class SessionOut(BaseModel):
    """A session: its address is all that a worker needs, and nobody else should have it."""

    url: str = Field(description="the judging page, with the session where no log sees it")
    session: str
    expires_at: Timestamp


class Preview(BaseModel):
    """What a study's workers are told before they begin."""

    study: str
    title: str
    design: DesignOut


class SessionShown(Preview):
    """What the judging page needs to know to begin."""

    worker: str
    topic: str | None
    count: int | None
    answered: int
    expires_at: Timestamp
    hands_in: bool = Field(description="whether a platform waits for it: /v1/session/finish")
    finished: bool = Field(description="whether it was handed in before")


class FinishOut(BaseModel):
    """How a worker's page ends: what is not of its kind is null."""

    kind: str = Field(description="form, redirect, code or nothing")
    action: str | None = Field(None, description="of a form: where the browser posts it")
    fields: dict[str, str] | None = Field(None, description="of a form: what it holds")
    url: str | None = Field(None, description="of a redirect: where to go")
    code: str | None = Field(None, description="of a code: what the worker copies")


def finish_out(finish: CompletionAction) -> FinishOut:
    """Describe how a page ends."""
    match finish:
        case FormPost(action, fields):
            return FinishOut(kind="form", action=action, fields=dict(fields))
        case Redirect(url):
            return FinishOut(kind="redirect", url=url)
        case CompletionCode(code):
            return FinishOut(kind="code", code=code)
    return FinishOut(kind="nothing")


class SessionNextIn(RequestModel):
    """How many questions more the page asks for, and which it has."""

    count: Integer = Field(1, ge=1, le=10)
    held: Annotated[list[AssignmentName], Field(max_length=100)] = Field(
        default_factory=list, description="assignments that the page has: others come again"
    )


class SessionNextOut(NextOut):
    """The questions, with documents' HTML made safe, and how far the worker is."""

    answered: int = Field(description="in this session")
    count: int | None = Field(description="the most they answer in this session")
    verdict: VerdictOut | None = Field(
        None, description="what came of the last check, where there is no question"
    )


class SessionBeginIn(RequestModel):
    """How many questions a page that begins asks for; it has none yet."""

    count: Integer = Field(1, ge=1, le=10)


class SessionBegunOut(BaseModel):
    """What the judging page begins with."""

    about: SessionShown
    first: SessionNextOut | None = Field(
        description="the first questions; null where it is not the time for any"
    )


class SessionUnderstandingIn(RequestModel):
    """The answer to a topic's understanding question."""

    topic: Name
    choice: Line
