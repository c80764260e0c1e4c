"""Quality rules: a study's settings for checking workers, and the criteria of a batch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from nextpair.app.field_types import Integer, Real

Share = Annotated[Real, Field(ge=0, le=1)]


class OnFailure(StrEnum):
    """What happens when a worker's batch does not pass."""

    STOP = "stop"
    """They get no more questions; their answers stay until someone retracts them."""
    IGNORE = "ignore"
    """The batch's answers are retracted, and others are asked; the worker goes on."""
    ASK_AGAIN = "ask_again"
    """The batch's answers are retracted and asked again of them; after the last attempt, stop."""


class QualityRules(BaseModel):
    """What is checked in each batch; pass marks are shares of a batch's questions of that kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    batch: Integer = Field(20, ge=1, le=1000, description="questions a worker is checked by")
    traps: Integer = Field(0, ge=0, le=1000, description="of a batch: their answer is known")
    traps_pass: Share = Field(0.0, description="share of traps to be right, 0.4 for 2 of 5")
    repeats: Integer = Field(0, ge=0, le=1000, description="of a batch: the worker answered before")
    repeats_pass: Share = Field(0.0, description="share of repeats to be answered alike")
    audits: Annotated[Real, Field(ge=0, le=0.5)] = Field(
        0.0, description="share of questions drawn at random and kept out of every fit"
    )
    seconds_per_document: Real = Field(0.0, ge=0, le=10**5, description="to be spent at least")
    seconds_pass: Share = Field(0.0, description="share of questions that take so long")
    moved_pass: Share = Field(0.0, description="share of questions whose slider is moved")
    quiz: Integer = Field(0, ge=0, le=1000, description="questions with known answers before work")
    quiz_pass: Share = Field(0.84, description="share of the quiz to be right")
    attempts: Integer = Field(1, ge=1, le=10, description="at the quiz, and where asked again")
    on_failure: OnFailure = OnFailure.STOP

    @model_validator(mode="after")
    def _fits(self) -> "QualityRules":
        if self.traps + self.repeats > self.batch:
            raise ValueError("a batch has no room for so many traps and repeats")
        return self

    @property
    def checks(self) -> bool:
        """Whether questions come in batches: to check workers, or to audit the fit."""
        return self.measures or bool(self.audits)

    @property
    def measures(self) -> bool:
        """Whether a batch has criteria for its worker, and so ends in a verdict."""
        return bool(self.traps or self.repeats or self.seconds_pass or self.moved_pass)


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """One answer of a batch, graded.

    Parameters
    ----------
    correct
        Whether a trap was answered right, where one answer by itself can be.
    known, value
        The gold value of a trap's document and the worker's value, on a scale.
    alike
        Whether a repeated question was answered as before.
    moved
        Whether the slider was moved; None where there is none.
    answered
        Whether there is an answer: a skipped check question counts as wrong.
    """

    seconds: float | None
    documents: int
    correct: bool | None = None
    known: float | None = None
    value: float | None = None
    alike: bool | None = None
    moved: bool | None = None
    answered: bool = True


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """The result of one criterion: `found` of `of` answers met it, and `needed` had to.

    Parameters
    ----------
    answered
        How many of them are answers: none if all were skipped.
    """

    check: str
    found: int
    of: int
    needed: int
    answered: int

    @property
    def failed(self) -> bool:
        """Whether the pass mark was missed."""
        return self.found < self.needed

    @property
    def passed(self) -> bool:
        """Whether the pass mark was reached by answers: without any there is no evidence."""
        return self.answered > 0 and not self.failed


def all_passed(findings: Sequence[CriterionResult]) -> bool:
    """Say whether a batch has passed all criteria; one without any result has not."""
    return bool(findings) and all(one.passed for one in findings)


def needed(share: float, of: int) -> int:
    """Return the least number that reaches a share; a share that is met exactly counts.

    >>> needed(0.4, 5), needed(0.84, 12), needed(1.0, 1), needed(0.75, 8)
    (2, 11, 1, 6)
    """
    return math.ceil(share * of - 1e-9)


def check_batch(quality: QualityRules, answers: Sequence[CheckedAnswer]) -> list[CriterionResult]:
    """Return the result of each criterion of the study for a batch.

    Traps are listed also where there were none: a batch of a study with traps needs them to pass.
    """
    traps = _traps(answers, "traps", quality.traps_pass)
    repeats = [one for one in answers if one.alike is not None]
    alike = [bool(one.alike) for one in repeats]
    given = [one for one in answers if one.answered]
    least = quality.seconds_per_document
    slow = [
        one.seconds is not None and one.seconds >= least * one.documents
        for one in given
        if quality.seconds_pass
    ]
    moved = [bool(one.moved) for one in given if one.moved is not None and quality.moved_pass]
    found = [
        _finding("repeats", alike, quality.repeats_pass, sum(one.answered for one in repeats)),
        _finding("seconds", slow, quality.seconds_pass),
        _finding("moved", moved, quality.moved_pass),
    ]
    return [traps] * bool(traps.of or quality.traps) + [one for one in found if one.of]


def check_quiz(quality: QualityRules, answers: Sequence[CheckedAnswer]) -> list[CriterionResult]:
    """Return the result of the quiz: only its gold answers count."""
    return [_traps(answers, "quiz", quality.quiz_pass)]


def _traps(answers: Sequence[CheckedAnswer], check: str, share: float) -> CriterionResult:
    right = [bool(one.correct) for one in answers if one.correct is not None and one.answered]
    # On a scale no value is right by itself: the better document of a pair needs the higher one.
    scaled = [(one.known, one.value) for one in answers if None not in (one.known, one.value)]
    for (known, value), (other_known, other_value) in combinations(scaled, 2):
        if known != other_known:
            assert known is not None and other_known is not None
            assert value is not None and other_value is not None
            right.append((value - other_value) * (known - other_known) > 0)
    missed = [False for one in answers if one.correct is not None and not one.answered]
    return _finding(check, right + missed, share, len(right))


def _finding(
    check: str, found: Sequence[bool], share: float, answered: int | None = None
) -> CriterionResult:
    of = len(found)
    return CriterionResult(
        check, sum(found), of, needed(share, of), of if answered is None else answered
    )
