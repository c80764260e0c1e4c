"""How good is one document, on a slider from 0 to 100 (roitero-2018)."""

from typing import ClassVar

from pydantic import Field

from nextpair.app.designs.base import AnswerModel, Design, Part, Shape
from nextpair.app.field_types import Flag, Whole

START = 50


class S100Answer(AnswerModel):
    """Where the slider stood, and whether it was moved at all."""

    score: Whole = Field(ge=0, le=100)
    moved: Flag | None = Field(
        None, description="whether the worker moved the slider; from the score if left out"
    )


class S100Design(Design):
    """Ask for a number from 0 to 100 with a slider that starts in the middle."""

    name: ClassVar[str] = "s100"
    Answer: ClassVar[type[AnswerModel]] = S100Answer
    aggregations: ClassVar[tuple[str, ...]] = ("mean", "median")

    @property
    def shape(self) -> Shape:
        """One document."""
        return Shape.SINGLE

    def parts(self) -> list[Part]:
        """List what the worker's page asks for."""
        return [
            Part(
                kind="slider",
                name="score",
                label="How good is it?",
                least=0,
                most=100,
                start=START,
                moved="moved",
            )
        ]

    def value(self, answer: S100Answer) -> float:
        """Take the score as it is."""
        return float(answer.score)

    def moved(self, answer: S100Answer) -> bool:
        """Say whether the slider was moved: it can be moved back to where it began."""
        return answer.score != START if answer.moved is None else answer.moved
