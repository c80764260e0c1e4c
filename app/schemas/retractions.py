"""Schemas of retractions."""

from typing import Annotated

from pydantic import BaseModel, FailFast, Field, model_validator

from nextpair.app.enums import RankChangeCause
from nextpair.app.field_types import SAFE_INTEGER, Flag, Integer, Line
from nextpair.app.schemas.common import Name, RequestModel
from nextpair.selectors.state.status import Status

MOST_MOVED = 1000


class JudgmentsIn(RequestModel):
    """Some judgments of one topic."""

    topic: Name
    numbers: Annotated[list[Integer], FailFast()] = Field(min_length=1, max_length=10_000)

    @model_validator(mode="after")
    def _check(self) -> "JudgmentsIn":
        if any(not 0 < number <= SAFE_INTEGER for number in self.numbers):
            raise ValueError("a judgment's number is a whole number from 1")
        return self


class RetractionIn(RequestModel):
    """What to take back: judgments by their numbers, or all of one worker's."""

    judgments: Annotated[list[JudgmentsIn], FailFast()] = Field(
        default_factory=list, max_length=1000
    )
    worker: Name | None = None
    reason: Line = ""
    dry_run: Flag = Field(False, description="only say what would change")

    @model_validator(mode="after")
    def _check(self) -> "RetractionIn":
        if bool(self.judgments) == (self.worker is not None):
            raise ValueError("give either judgments or a worker")
        if len({judgment.topic for judgment in self.judgments}) < len(self.judgments):
            raise ValueError("a topic stands there twice")
        return self


class SumOut(BaseModel):
    """What is known of a topic, in numbers."""

    judgments: int
    known_pairs: int
    classes: int
    settled: int
    conflicts: int


class BecauseOut(BaseModel):
    """Why a document is elsewhere, or more or less certain."""

    why: RankChangeCause = Field(
        description="own: judgments about it are gone; inferred: what followed from them is;"
        " goal: the topic has not reached its goal any more, so each document must be certain by"
        " itself; neighbours: judgments about documents it was compared with are gone; workers:"
        " those who judged it are weighed otherwise; others: it is as settled as before, but"
        " documents around it are not; model: the fit of all answers is another one"
    )
    text: str = Field(description="the same as a sentence, with judgments, documents and workers")


class MovedOut(BaseModel):
    """A document whose status or possible ranks are other than before."""

    document: str
    before: tuple[int, int] = Field(description="the best and the worst rank it could have")
    after: tuple[int, int]
    status_before: Status
    status_after: Status
    because: list[BecauseOut] = Field(description="why; there is always a reason")


class EffectOut(BaseModel):
    """What a retraction does to one topic."""

    topic: str
    judgments: list[int] = Field(description="those that counted until now")
    before: SumOut
    after: SumOut
    moved: list[MovedOut] = Field(description=f"documents that move, {MOST_MOVED} at most")
    moved_documents: int


class RetractionOut(BaseModel):
    """What changed, or would change."""

    dry_run: bool
    judgments: int
    topics: list[EffectOut]
