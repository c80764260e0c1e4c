"""How a study checks its workers: settings, and what each check says of a batch of answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from nextpair.app.values import Real, Whole

Share = Annotated[Real, Field(ge=0, le=1)]


class OnFailure(StrEnum):
    """What happens when a worker's batch does not pass."""

    STOP = "stop"
    """They get no more questions; their answers stay until someone retracts them."""
    IGNORE = "ignore"
    """The batch's answers are retracted, and others are asked; the worker goes on."""
    ASK_AGAIN = "ask_again"
    """The batch's answers are retracted and asked again of them; after the last attempt, stop."""


class Quality(BaseModel):
    """What is checked, batch by batch; pass marks are shares of what a batch has of the kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    batch: Whole = Field(20, ge=1, le=1000, description="questions a worker is checked by")
    traps: Whole = Field(0, ge=0, le=1000, description="of a batch: their answer is known")
    traps_pass: Share = Field(0.0, description="share of traps to be right, 0.4 for 2 of 5")
    repeats: Whole = Field(0, ge=0, le=1000, description="of a batch: the worker answered before")
    repeats_pass: Share = Field(0.0, description="share of repeats to be answered alike")
    audits: Annotated[Real, Field(ge=0, le=0.5)] = Field(
        0.0, description="share of questions drawn at random and kept out of every fit"
    )
    seconds_per_document: Real = Field(0.0, ge=0, le=10**5, description="to be spent at least")
    seconds_pass: Share = Field(0.0, description="share of questions that take so long")
    moved_pass: Share = Field(0.0, description="share of questions whose slider is moved")
    quiz: Whole = Field(0, ge=0, le=1000, description="questions with known answers before work")
    quiz_pass: Share = Field(0.84, description="share of the quiz to be right")
    attempts: Whole = Field(1, ge=1, le=10, description="at the quiz, and where asked again")
    on_failure: OnFailure = OnFailure.STOP

    @model_validator(mode="after")
    def _fits(self) -> "Quality":
        if self.traps + self.repeats > self.batch:
            raise ValueError("a batch has no room for so many traps and repeats")
        return self

    @property
    def checks(self) -> bool:
        """Whether batches are checked at all."""
        return bool(
            self.traps or self.repeats or self.seconds_pass or self.moved_pass or self.audits
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """What one answer of a batch is to the checks.

    Parameters
    ----------
    correct
        Whether a trap was answered right, where one answer by itself can be.
    known, value
        What a trap's document is worth and what the worker gave it, on a scale.
    alike
        Whether a repeated question was answered as before.
    moved
        Whether the slider was moved; None where there is none.
    """

    seconds: float | None
    documents: int
    correct: bool | None = None
    known: float | None = None
    value: float | None = None
    alike: bool | None = None
    moved: bool | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found: so many of so many, where so many were needed."""

    check: str
    found: int
    of: int
    needed: int

    @property
    def passed(self) -> bool:
        """Whether that is enough."""
        return self.found >= self.needed


def needed(share: float, of: int) -> int:
    """Return how many make up a share; a share that is met exactly is met.

    >>> needed(0.4, 5), needed(0.84, 12), needed(1.0, 1), needed(0.75, 8)
    (2, 11, 1, 6)
    """
    return math.ceil(share * of - 1e-9)


def check_batch(quality: Quality, answers: Sequence[Checked]) -> list[Finding]:
    """Say what each check that the study has finds in a batch."""
    found = [_traps(quality, answers)]
    alike = [one.alike for one in answers if one.alike is not None]
    found.append(_finding("repeats", alike, quality.repeats_pass))
    least = quality.seconds_per_document
    slow = [
        one.seconds is not None and one.seconds >= least * one.documents
        for one in answers
        if quality.seconds_pass
    ]
    found.append(_finding("seconds", slow, quality.seconds_pass))
    moved = [one.moved for one in answers if one.moved is not None and quality.moved_pass]
    found.append(_finding("moved", moved, quality.moved_pass))
    return [one for one in found if one.of]


def _traps(quality: Quality, answers: Sequence[Checked]) -> Finding:
    right = [one.correct for one in answers if one.correct is not None]
    # On a scale no answer is right by itself: what is known to be better must be given more.
    scaled = [(one.known, one.value) for one in answers if None not in (one.known, one.value)]
    for (known, value), (other_known, other_value) in combinations(scaled, 2):
        if known != other_known:
            assert known is not None and other_known is not None
            assert value is not None and other_value is not None
            right.append((value - other_value) * (known - other_known) > 0)
    return _finding("traps", right, quality.traps_pass)


def _finding(check: str, found: Sequence[bool | None], share: float) -> Finding:
    return Finding(check, sum(map(bool, found)), len(found), needed(share, len(found)))
