"""The common parts of designs that ask for a grade."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from nextpair.app.designs.base import AnswerModel, Part, read_answer
from nextpair.app.errors import BadAnswer

RELEVANCE = (
    "Definitely not relevant",
    "Probably not relevant",
    "Probably relevant",
    "Definitely relevant",
)
"""The four levels of mcdonnell-2016, lowest first."""

Level = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00]*$")]


def _distinct(levels: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(levels)) < len(levels):
        raise ValueError("each level needs a name of its own")
    return levels


Levels = Annotated[tuple[Level, ...], Field(min_length=2, max_length=7), AfterValidator(_distinct)]
"""Two to seven named levels, lowest first."""
Grade = Annotated[str, StringConstraints(max_length=100, pattern=r"^[^\x00]*$")]
Excerpt = Annotated[str, StringConstraints(max_length=20_000, pattern=r"^[^\x00]*$")]


class GradedAnswer(AnswerModel):
    """A grade, by the name of its level."""

    grade: Grade


def check_grade(grade: str, levels: Sequence[str]) -> None:
    """Refuse a grade that is none of the levels."""
    if grade not in levels:
        raise BadAnswer(f"answer.grade: must be one of {', '.join(levels)}; got {grade!r}")


def grade_part(levels: Sequence[str]) -> Part:
    """Describe the choice of a grade."""
    names = list(levels)
    return Part(kind="choice", name="grade", label="How good is it?", choices=names, labels=names)


def known_grade(answer: Mapping[str, Any], levels: Sequence[str]) -> float:
    """Read the known grade of a trap."""
    grade = read_answer(GradedAnswer, answer).grade
    check_grade(grade, levels)
    return float(levels.index(grade))
