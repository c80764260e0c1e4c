"""How good is one document, on two to seven named levels."""

from collections.abc import Mapping
from typing import Any, ClassVar

from nextpair.app.designs.base import AnswerModel, Design, Part, Seen, Shape
from nextpair.app.designs.grading import (
    RELEVANCE,
    GradedAnswer,
    Levels,
    check_grade,
    grade_part,
    known_grade,
)
from nextpair.selectors.state.judgments import Outcome


class GradedDesign(Design):
    """Ask for one of a few named levels, lowest first."""

    name: ClassVar[str] = "graded"
    Answer: ClassVar[type[AnswerModel]] = GradedAnswer
    aggregations: ClassVar[tuple[str, ...]] = ("majority", "dawid-skene", "mean")

    levels: Levels = RELEVANCE

    @property
    def shape(self) -> Shape:
        """One document."""
        return Shape.SINGLE

    def parts(self) -> list[Part]:
        """List what the worker's page asks for."""
        return [grade_part(self.levels)]

    def check(self, answer: GradedAnswer, seen: Seen) -> None:
        """Refuse a grade that is none of the levels."""
        check_grade(answer.grade, self.levels)

    def value(self, answer: GradedAnswer) -> float:
        """Count levels from 0."""
        return float(self.levels.index(answer.grade))

    def known(self, answer: Mapping[str, Any]) -> Outcome | float:
        """Read the known grade of a trap."""
        return known_grade(answer, self.levels)

    def correct(self, answer: GradedAnswer, known: Outcome | float) -> bool:
        """Compare the grades."""
        return self.value(answer) == known
