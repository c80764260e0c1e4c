"""Schemas of the judging loop: assignments, answers, verdicts."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from nextpair.app.designs.base import Part, Shape, answer_schemas
from nextpair.app.enums import Reason
from nextpair.app.field_types import Flag, Integer, Line, Real
from nextpair.app.schemas.common import Name, RequestModel, Timestamp
from nextpair.app.schemas.topics import DocumentName
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage.rows import Check, State, VerdictEffect

AnswerContent = Annotated[
    dict[str, Any],
    Field(max_length=100),
    WithJsonSchema({"anyOf": answer_schemas(), "description": "as the study's design has it"}),
]
"""An answer of any design; the study's design validates it."""


class NextIn(RequestModel):
    """Who asks for questions, and for how many."""

    worker: Name
    topic: Name | None = Field(None, description="only of this topic; any if left out")
    count: Integer = Field(1, ge=1, le=100, description="how many to hold at once")
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


class Kind(StrEnum):
    """What a question shows."""

    PAIR = "pair"
    SINGLE = "single"
    REVIEW = "review"


class AssignmentOut(BaseModel):
    """One question for one worker: two documents, one, or one with what another said of it."""

    id: str
    kind: Kind
    design: str
    study: str
    topic: TopicBrief
    worker: str
    state: State
    attempt: int
    left: DocumentShown | None = Field(None, description="of a pair")
    right: DocumentShown | None = Field(None, description="of a pair")
    document: DocumentShown | None = Field(None, description="of a single question or a review")
    reviewed: dict[str, Any] | None = Field(None, description="the answer to be reviewed")
    reason: str | None = Field(None, description="why the worker skipped it, if they said so")
    expires_at: Timestamp = Field(description="when someone else may get it; late answers count")
    token: str = Field(description="what the worker answers with, in place of a key; once")

    @property
    def shown(self) -> list[DocumentShown]:
        """The documents, from left to right."""
        return [one for one in (self.left, self.right, self.document) if one is not None]


class Understanding(RequestModel):
    """A question about a topic, by which a worker shows that they have understood it."""

    topic: Name
    question: Line
    choices: Annotated[list[Line], Field(min_length=2, max_length=20)]


class NextOut(BaseModel):
    """The questions, and why there are not more."""

    assignments: list[AssignmentOut]
    reason: Reason | None = Field(description="why there are fewer than were asked for")
    understanding: Understanding | None = Field(None, description="to be answered before work")


class UnderstandingIn(RequestModel):
    """A worker's answer to a topic's understanding question."""

    worker: Name
    choice: Line


class FindingOut(BaseModel):
    """What one check found: so many of so many, where so many were needed."""

    check: str
    found: int
    of: int
    needed: int


class VerdictOut(BaseModel):
    """What came of checking a worker, and what follows from it."""

    topic: str
    check: Check
    number: int = Field(description="the batch's; 0 of the other checks")
    attempt: int
    passed: bool = Field(
        description="whether answers reach every pass mark; not passed and effect none: too little"
        " was answered to tell, and nothing follows"
    )
    effect: VerdictEffect
    findings: list[FindingOut]
    created_at: Timestamp


class DesignOut(BaseModel):
    """What a worker is asked in a study."""

    design: str
    shape: Shape
    parts: list[Part]
    review_parts: list[Part] = Field(description="of the second stage, if there is one")
    ties: bool
    instructions: str


class JudgmentIn(RequestModel):
    """An answer."""

    answer: AnswerContent
    worker: Name | None = Field(None, description="whose answer it is; must be the assignment's")
    attempt: Integer | None = Field(None, ge=1, le=10**9, description="which attempt is meant")
    seconds: Real | None = Field(None, ge=0, le=10**7, description="how long the worker took")
    left: DocumentName | None = Field(
        None,
        description="the document that was shown on the left, where the page chose the sides;"
        " the answer speaks of the sides as they were shown",
    )


class WorkerIn(RequestModel):
    """Whose assignment it is."""

    worker: Name | None = Field(None, description="must be the assignment's; a token needs none")
    attempt: Integer | None = Field(None, ge=1, le=10**9, description="which attempt is meant")


class SkipIn(WorkerIn):
    """Whose assignment is given back, and why."""

    reason: Line | None = Field(None, description="why the worker cannot judge it, in their words")


class JudgmentOut(BaseModel):
    """An entry of the judgment log."""

    study: str
    topic: str
    number: int | None = Field(
        description="in the topic's log; null: held until its platform confirms the session"
    )
    assignment: str
    attempt: int
    left: str
    right: str = Field(description="the same as left where one document was shown")
    answer: dict[str, Any]
    first: str
    second: str
    outcome: Outcome | None = Field(description="of the first document against the second")
    seconds: float | None
    late: bool = Field(description="whether the lease had run out")
    created_at: Timestamp
    verdict: VerdictOut | None = Field(
        None, description="what the batch or quiz came to that this answer completed"
    )


class Skipped(BaseModel):
    """An assignment that was given back."""

    id: str
    state: State
    reason: str | None = Field(None, description="why, if the worker said so")
    verdict: VerdictOut | None = Field(
        None, description="what the quiz came to that this completed"
    )
