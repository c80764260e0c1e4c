"""Which of two documents is better, or are they equally good or bad."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from nextpair.app.errors import BadAnswer
from nextpair.selectors.topic.judgments import Outcome


class Preference(StrEnum):
    """What a worker can say of a pair."""

    LEFT = "left"
    RIGHT = "right"
    EQUAL = "equal"
    EQUALLY_GOOD = "equally_good"
    EQUALLY_BAD = "equally_bad"


class PreferenceAnswer(BaseModel):
    """The answer to a pair."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    preference: Preference


def outcome(answer: PreferenceAnswer, *, swapped: bool, ties: bool) -> Outcome:
    """Say what an answer means for the pair's first document, which stood right if swapped."""
    if answer.preference is Preference.LEFT:
        told = Outcome.BETTER
    elif answer.preference is Preference.RIGHT:
        told = Outcome.WORSE
    elif ties:
        return Outcome.TIE
    else:
        raise BadAnswer("this study has no ties: the answer must be left or right")
    return told.reversed if swapped else told


def say(told: Outcome) -> PreferenceAnswer:
    """Put an outcome, told from the left document, as an answer."""
    words = {
        Outcome.BETTER: Preference.LEFT,
        Outcome.WORSE: Preference.RIGHT,
        Outcome.TIE: Preference.EQUAL,
    }
    return PreferenceAnswer(preference=words[told])
