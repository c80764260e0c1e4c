"""Questions and answers on the wire."""

from typing import Literal

from pydantic import BaseModel, Field

from nextpair.app.designs.preference import PreferenceAnswer
from nextpair.app.judging.study import Flag, Real, Whole
from nextpair.app.wire.common import Moment, Name, Wire
from nextpair.app.words import Reason
from nextpair.selectors.topic.judgments import Outcome
from nextpair.storage.rows import State


class NextIn(Wire):
    """Who asks for questions, and for how many."""

    worker: Name
    topic: Name | None = Field(None, description="only of this topic; any if left out")
    count: Whole = Field(1, ge=1, le=100, description="how many to hold at once")
    documents: Flag = Field(
        True, description="whether to send along more of the documents than their ids"
    )


class TopicBrief(BaseModel):
    """What a worker is told of a topic."""

    id: str
    title: str
    description: str
    narrative: str


class DocumentShown(BaseModel):
    """A document as a worker sees it: nothing that hints at what others think of it."""

    id: str
    title: str = ""
    text: str = ""
    html: str | None = None
    url: str | None = None


class AssignmentOut(BaseModel):
    """One question for one worker."""

    id: str
    kind: Literal["pair"] = "pair"
    study: str
    topic: TopicBrief
    worker: str
    state: State
    attempt: int
    left: DocumentShown
    right: DocumentShown
    expires_at: Moment = Field(description="when someone else may get it; late answers count")
    token: str = Field(description="what the worker answers with, in place of a key; once")


class NextOut(BaseModel):
    """The questions, and why there are not more."""

    assignments: list[AssignmentOut]
    reason: Reason | None = Field(description="why there are fewer than were asked for")


class JudgmentIn(Wire):
    """An answer."""

    answer: PreferenceAnswer
    worker: Name | None = Field(None, description="whose answer it is; must be the assignment's")
    attempt: Whole | None = Field(None, ge=1, le=10**9, description="which attempt is meant")
    seconds: Real | None = Field(None, ge=0, le=10**7, description="how long the worker took")


class WorkerIn(Wire):
    """Whose assignment it is."""

    worker: Name | None = Field(None, description="must be the assignment's; a token needs none")
    attempt: Whole | None = Field(None, ge=1, le=10**9, description="which attempt is meant")


class JudgmentOut(BaseModel):
    """An entry of the judgment log."""

    study: str
    topic: str
    number: int
    assignment: str
    attempt: int
    left: str
    right: str
    answer: PreferenceAnswer
    first: str
    second: str
    outcome: Outcome = Field(description="of the first document against the second")
    seconds: float | None
    late: bool = Field(description="whether the lease had run out")
    created_at: Moment


class Skipped(BaseModel):
    """An assignment that was given back."""

    id: str
    state: State
