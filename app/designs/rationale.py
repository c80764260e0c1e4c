"""A grade or a preference, with the words of the document that support it (mcdonnell-2016)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints

from nextpair.app.designs.base import AnswerContext, AnswerModel, Design, Part, Preference, Shape
from nextpair.app.designs.grading import (
    RELEVANCE,
    Excerpt,
    Grade,
    Levels,
    check_grade,
    grade_part,
    known_grade,
)
from nextpair.app.designs.preference import check_ties, preference_part
from nextpair.app.errors import BadAnswer
from nextpair.app.field_types import Real
from nextpair.selectors.aggregation.excerpts import (
    MAX_LENGTH,
    MIN_SIMILARITY,
    NO_TEXT,
    find_excerpt,
    says_no_text,
)
from nextpair.selectors.state.judgments import Outcome


class Basis(StrEnum):
    """What the rationale is given for."""

    GRADE = "grade"
    PREFERENCE = "preference"


class RationaleAnswer(AnswerModel):
    """A grade or a preference, whichever the study asks for, and its rationale."""

    grade: Grade | None = None
    preference: Preference | None = None
    excerpt: Excerpt = Field(description="copied from the document, or the phrase for none")


class RationaleDesign(Design):
    """Ask for a grade or a preference and for an excerpt of the document that supports it.

    Parameters
    ----------
    similarity
        How like the document's own words an excerpt must be; 1 is a copy, but for spaces and case.
    """

    name: ClassVar[str] = "rationale"
    Answer: ClassVar[type[AnswerModel]] = RationaleAnswer
    aggregations: ClassVar[tuple[str, ...]] = (
        "majority",
        "threshold-majority",
        "top-majority",
        "dawid-skene",
    )

    on: Basis = Basis.GRADE
    levels: Levels = RELEVANCE
    no_text: Annotated[str, StringConstraints(min_length=1, max_length=1000)] = NO_TEXT
    similarity: Annotated[Real, Field(gt=0, le=1)] = MIN_SIMILARITY

    @property
    def shape(self) -> Shape:
        """One document for a grade, two for a preference."""
        return Shape.SINGLE if self.on is Basis.GRADE else Shape.PAIR

    def parts(self) -> list[Part]:
        """List what the worker's page asks for."""
        asked = grade_part(self.levels) if self.on is Basis.GRADE else preference_part(ties=True)
        label = f"Copy two to three sentences that support this, or write: {self.no_text}"
        return [asked, Part(kind="excerpt", name="excerpt", label=label, choices=[self.no_text])]

    def check(self, answer: RationaleAnswer, seen: AnswerContext) -> None:
        """Refuse a rationale that is empty or not in the document, and the other kind of answer."""
        self._check_basis(answer, seen)
        check_excerpt(answer.excerpt, self.no_text, self.similarity, seen)

    def _check_basis(self, answer: RationaleAnswer, seen: AnswerContext) -> None:
        asked, other = (
            (answer.grade, answer.preference)
            if self.on is Basis.GRADE
            else (answer.preference, answer.grade)
        )
        if asked is None or other is not None:
            raise BadAnswer(f"answer: this study asks for a {self.on} with a rationale")
        if answer.preference is not None:
            check_ties(answer.preference, seen)
        if answer.grade is not None:
            check_grade(answer.grade, self.levels)

    def outcome(self, answer: RationaleAnswer) -> Outcome | None:
        """Tell the preference, where one is asked for."""
        return None if answer.preference is None else answer.preference.outcome

    def value(self, answer: RationaleAnswer) -> float | None:
        """Count levels from 0, where a grade is asked for."""
        return None if answer.grade is None else float(self.levels.index(answer.grade))

    def known_answer(self, answer: Mapping[str, Any]) -> Outcome | float:
        """Read the known answer to a trap, which needs no rationale."""
        return (
            super().known_answer(answer)
            if self.shape is Shape.PAIR
            else known_grade(answer, self.levels)
        )

    def is_correct(self, answer: RationaleAnswer, known: Outcome | float) -> bool | None:
        """Compare the preference or the grade."""
        return (self.outcome(answer) or self.value(answer)) == known


def check_excerpt(excerpt: str, no_text: str, similarity: float, seen: AnswerContext) -> None:
    """Refuse an excerpt that none of the documents has, exactly or nearly."""
    if not excerpt.strip():
        raise BadAnswer(f"answer.excerpt: copy what supports the answer, or write {no_text!r}")
    if says_no_text(excerpt, no_text):
        return
    if len(excerpt) > MAX_LENGTH:
        raise BadAnswer(f"answer.excerpt: at most {MAX_LENGTH:,} characters, got {len(excerpt):,}")
    if not any(find_excerpt(excerpt, text, min_similarity=similarity) for text in seen.texts()):
        raise BadAnswer(
            f"answer.excerpt: the document does not say that; copy its words, or write {no_text!r}"
        )
