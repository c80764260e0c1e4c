"""A grade with its rationale, which a second worker confirms or changes (mcdonnell-2016)."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints

from nextpair.app.designs.base import AnswerContext, AnswerModel, Design, Part, Shape, read_answer
from nextpair.app.designs.grading import (
    RELEVANCE,
    Excerpt,
    Grade,
    Levels,
    check_grade,
    grade_part,
    known_grade,
)
from nextpair.app.designs.rationale import check_excerpt
from nextpair.app.errors import BadAnswer
from nextpair.app.field_types import Real
from nextpair.selectors.aggregation.excerpts import MIN_SIMILARITY, NO_TEXT
from nextpair.selectors.state.judgments import Outcome


class FirstAnswer(AnswerModel):
    """The first stage: a grade, and the words of the document that support it."""

    grade: Grade
    excerpt: Excerpt = Field(description="copied from the document, or the phrase for none")


class ReviewAnswer(AnswerModel):
    """The second stage: the first one's grade or another, and why."""

    grade: Grade
    why: Annotated[str, StringConstraints(max_length=20_000, pattern=r"^[^\x00]*$")]


class ReviewDesign(Design):
    """Ask one worker for a grade with its rationale, then another to confirm or change it."""

    name: ClassVar[str] = "review"
    Answer: ClassVar[type[AnswerModel]] = FirstAnswer
    Review: ClassVar[type[AnswerModel]] = ReviewAnswer
    stages: ClassVar[int] = 2
    aggregations: ClassVar[tuple[str, ...]] = ("majority", "dawid-skene")

    levels: Levels = RELEVANCE
    no_text: Annotated[str, StringConstraints(min_length=1, max_length=1000)] = NO_TEXT
    similarity: Annotated[Real, Field(gt=0, le=1)] = MIN_SIMILARITY

    @classmethod
    def answer_models(cls) -> tuple[type[AnswerModel], ...]:
        """List the shapes of answers, one per stage."""
        return (cls.Answer, cls.Review)

    @property
    def shape(self) -> Shape:
        """One document."""
        return Shape.SINGLE

    def parts(self) -> list[Part]:
        """List what the first worker's page asks for."""
        label = f"Copy two to three sentences that support this, or write: {self.no_text}"
        return [
            grade_part(self.levels),
            Part(kind="excerpt", name="excerpt", label=label, choices=[self.no_text]),
        ]

    def review_parts(self) -> list[Part]:
        """List what the reviewer's page asks for."""
        return [grade_part(self.levels), Part(kind="text", name="why", label="Why?")]

    def read(self, answer: Mapping[str, Any], *, review: bool = False) -> AnswerModel:
        """Read an answer of either stage."""
        return read_answer(self.Review if review else self.Answer, answer)

    def check(self, answer: FirstAnswer | ReviewAnswer, seen: AnswerContext) -> None:
        """Refuse a grade that is none of the levels, and one without a reason."""
        check_grade(answer.grade, self.levels)
        if isinstance(answer, FirstAnswer):
            check_excerpt(answer.excerpt, self.no_text, self.similarity, seen)
        elif not answer.why.strip():
            raise BadAnswer("answer.why: say why the first answer is confirmed or changed")

    def value(self, answer: FirstAnswer | ReviewAnswer) -> float:
        """Count levels from 0."""
        return float(self.levels.index(answer.grade))

    def known_answer(self, answer: Mapping[str, Any]) -> Outcome | float:
        """Read the known grade of a trap, which needs no rationale."""
        return known_grade(answer, self.levels)

    def is_correct(self, answer: FirstAnswer | ReviewAnswer, known: Outcome | float) -> bool:
        """Compare the grades."""
        return self.value(answer) == known
