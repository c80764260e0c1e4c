"""Preference, relevance and ratio of a pair on one page (yang-2018)."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from nextpair.app.designs.base import AnswerModel, Design, Part, Seen, Shape
from nextpair.app.designs.preference import preference_part
from nextpair.app.errors import BadAnswer
from nextpair.app.field_types import Real
from nextpair.selectors.state.judgments import Outcome


class Side(StrEnum):
    """Which document is preferred: one must be."""

    LEFT = "left"
    RIGHT = "right"


class Relevant(StrEnum):
    """Which of the two are relevant."""

    BOTH = "both"
    LEFT = "left"
    RIGHT = "right"
    NONE = "none"


class ThreeAnswers(AnswerModel):
    """The three answers to a pair."""

    preference: Side
    relevant: Relevant
    left_score: Real = Field(ge=0, le=1e9)
    right_score: Real = Field(ge=0, le=1e9)


class ThreeQuestionsDesign(Design):
    """Ask for a forced preference, for which are relevant, and for two numbers.

    The numbers must agree with the other answers: the preferred document has at least the other's,
    one that is relevant has more than 0, and one that is not has 0.
    """

    name: ClassVar[str] = "three-questions"
    Answer: ClassVar[type[AnswerModel]] = ThreeAnswers
    aggregations: ClassVar[tuple[str, ...]] = (
        "combined",
        "preference-frequency",
        "relevance-frequency",
        "log-ratio",
    )

    @property
    def shape(self) -> Shape:
        """Two documents."""
        return Shape.PAIR

    def parts(self) -> list[Part]:
        """List what the worker's page asks for."""
        choices = [one.value for one in Relevant]
        labels = ["Both", "Only the left one", "Only the right one", "Neither"]
        question = "Which of them are relevant?"
        return [
            preference_part(ties=False),
            Part(kind="choice", name="relevant", label=question, choices=choices, labels=labels),
            Part(kind="number", name="left_score", label="How relevant is the left one?", least=0),
            Part(kind="number", name="right_score", label="And the right one?", least=0),
        ]

    def check(self, answer: ThreeAnswers, seen: Seen) -> None:
        """Refuse numbers against the other two answers."""
        left, right = answer.left_score, answer.right_score
        if (left < right) if answer.preference is Side.LEFT else (right < left):
            raise BadAnswer(
                f"the scores {left:g} and {right:g} say otherwise than the preference for"
                f" the {answer.preference} document"
            )
        for side, score in ((Relevant.LEFT, left), (Relevant.RIGHT, right)):
            if (answer.relevant in (side, Relevant.BOTH)) != (score > 0):
                raise BadAnswer(
                    f"the {side} document's score is {score:g}, but relevant is"
                    f" {answer.relevant!r}: a relevant document has more than 0, others have 0"
                )

    def outcome(self, answer: ThreeAnswers) -> Outcome:
        """Tell the forced preference."""
        return Outcome.BETTER if answer.preference is Side.LEFT else Outcome.WORSE
