"""The facts a topic's state is folded from: judgments, and what they come to."""

from dataclasses import dataclass
from enum import StrEnum

from nextpair.selectors.errors import NegativeCount, SelfComparison, UnknownOutcome

Pair = tuple[int, int]
"""Two documents, by their positions in the topic."""


def unordered(first: int, second: int) -> Pair:
    """Name a pair the same way whichever side its documents are shown on."""
    return (first, second) if first < second else (second, first)


class Outcome(StrEnum):
    """How the first document of a pair compares with the second."""

    BETTER = "better"
    WORSE = "worse"
    TIE = "tie"

    @property
    def reversed(self) -> "Outcome":
        """The same finding, told from the second document."""
        return _REVERSED[self]


_REVERSED = {
    Outcome.BETTER: Outcome.WORSE,
    Outcome.WORSE: Outcome.BETTER,
    Outcome.TIE: Outcome.TIE,
}


@dataclass(frozen=True, slots=True)
class Judgment:
    """One worker's answer to one question; immutable, numbered per topic.

    Parameters
    ----------
    truth
        How the two really compare, where that was known beforehand. Then the answer tells of its
        worker and not of the documents, which need not be the topic's.
    """

    number: int
    first: str
    second: str
    outcome: Outcome
    worker: str = ""
    truth: Outcome | None = None

    def __post_init__(self) -> None:
        if self.number < 0:
            raise NegativeCount(f"a judgment's number must not be negative, got {self.number}")
        if not isinstance(self.outcome, Outcome):
            raise UnknownOutcome(
                f"judgment {self.number} has outcome {self.outcome!r}, not one of Outcome's"
            )
        if self.first == self.second:
            raise SelfComparison(
                f"judgment {self.number} compares document {self.first!r} with itself"
            )


@dataclass(frozen=True, slots=True)
class Finding:
    """What the votes on one pair came to, and the judgments that are those votes."""

    first: int
    second: int
    outcome: Outcome
    judgments: tuple[int, ...]

    def told_from(self, document: int) -> "Finding":
        """Tell the same from the side of one of the two documents."""
        if document == self.first:
            return self
        return Finding(self.second, self.first, self.outcome.reversed, self.judgments)

    def about(self, document: int) -> bool:
        """Say whether a document is one of the two."""
        return document in (self.first, self.second)

    def opponent(self, document: int) -> int:
        """Return the other document."""
        return self.second if document == self.first else self.first
