"""Retractions on the wire."""

from pydantic import BaseModel, Field, model_validator

from nextpair.app.values import SAFE_INTEGER, Flag, Line, Whole
from nextpair.app.wire.common import Name, Wire

MOST_MOVED = 1000


class JudgmentsIn(Wire):
    """Some judgments of one topic."""

    topic: Name
    numbers: list[Whole] = Field(min_length=1, max_length=10_000)

    @model_validator(mode="after")
    def _check(self) -> "JudgmentsIn":
        if any(not 0 < number <= SAFE_INTEGER for number in self.numbers):
            raise ValueError("a judgment's number is a whole number from 1")
        return self


class RetractionIn(Wire):
    """What to take back: judgments by their numbers, or all of one worker's."""

    judgments: list[JudgmentsIn] = Field(default_factory=list, max_length=1000)
    worker: Name | None = None
    reason: Line = ""
    dry_run: Flag = Field(False, description="only say what would change")

    @model_validator(mode="after")
    def _check(self) -> "RetractionIn":
        if bool(self.judgments) == (self.worker is not None):
            raise ValueError("give either judgments or a worker")
        if len({one.topic for one in self.judgments}) < len(self.judgments):
            raise ValueError("a topic stands there twice")
        return self


class SumOut(BaseModel):
    """What is known of a topic, in numbers."""

    judgments: int
    known_pairs: int
    classes: int
    settled: int
    conflicts: int


class MovedOut(BaseModel):
    """A document whose possible ranks are other than before."""

    document: str
    before: tuple[int, int]
    after: tuple[int, int]


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
