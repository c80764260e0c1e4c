"""How good is one document, as any positive number (magnitude estimation, roitero-2018)."""

from typing import ClassVar

from pydantic import Field

from nextpair.app.designs.base import AnswerModel, Design, Part, Shape
from nextpair.app.field_types import Real


class MagnitudeAnswer(AnswerModel):
    """A number whose ratio to the worker's other numbers is what counts."""

    magnitude: Real = Field(gt=0, le=1e9)


class MagnitudeDesign(Design):
    """Ask for a positive number on a scale of the worker's own."""

    name: ClassVar[str] = "magnitude"
    Answer: ClassVar[type[AnswerModel]] = MagnitudeAnswer
    aggregations: ClassVar[tuple[str, ...]] = ("magnitude", "geometric-mean")

    @property
    def shape(self) -> Shape:
        """One document."""
        return Shape.SINGLE

    def parts(self) -> list[Part]:
        """List what the worker's page asks for."""
        return [Part(kind="number", name="magnitude", label="How good is it?", least=0)]

    def value(self, answer: MagnitudeAnswer) -> float:
        """Take the number as it is."""
        return answer.magnitude
