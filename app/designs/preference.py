"""Which of two documents is better, or are they equally good or bad."""

from typing import ClassVar

from nextpair.app.designs.base import (
    AnswerModel,
    Design,
    Part,
    Preference,
    PreferenceAnswer,
    Seen,
    Shape,
)
from nextpair.app.errors import BadAnswer
from nextpair.selectors.state.judgments import Outcome


class PreferenceDesign(Design):
    """Ask which of two documents is better; both kinds of tie are kept as they were said."""

    name: ClassVar[str] = "preference"
    Answer: ClassVar[type[AnswerModel]] = PreferenceAnswer

    @property
    def shape(self) -> Shape:
        """Two documents."""
        return Shape.PAIR

    def parts(self) -> list[Part]:
        """List what the worker's page asks for."""
        return [preference_part(ties=True)]

    def check(self, answer: PreferenceAnswer, seen: Seen) -> None:
        """Refuse a tie where the study has none."""
        check_ties(answer.preference, seen)

    def outcome(self, answer: PreferenceAnswer) -> Outcome:
        """Say how the left document compares with the right one."""
        return answer.preference.outcome


def preference_part(*, ties: bool) -> Part:
    """Describe the choice between two documents."""
    choices = [Preference.LEFT, Preference.RIGHT]
    labels = ["The left one", "The right one"]
    if ties:
        choices += [Preference.EQUALLY_GOOD, Preference.EQUALLY_BAD]
        labels += ["Both equally good", "Both equally bad"]
    names = [choice.value for choice in choices]
    return Part(
        kind="choice", name="preference", label="Which is better?", choices=names, labels=labels
    )


def check_ties(preference: Preference, seen: Seen) -> None:
    """Refuse a tie where the study has none."""
    if not seen.ties and preference.outcome is Outcome.TIE:
        raise BadAnswer("this study has no ties: the answer must be left or right")


def say(outcome: Outcome) -> PreferenceAnswer:
    """Put an outcome, told from the left document, as an answer."""
    words = {
        Outcome.BETTER: Preference.LEFT,
        Outcome.WORSE: Preference.RIGHT,
        Outcome.TIE: Preference.EQUAL,
    }
    return PreferenceAnswer(preference=words[outcome])
