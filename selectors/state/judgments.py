"""The facts that a topic's state is folded from: judgments, and the comparisons they make."""

from dataclasses import dataclass
from enum import StrEnum

from nextpair.selectors.errors import NegativeCount, SelfComparison, UnknownOutcome

Pair = tuple[int, int]
"""Two documents, by position in the topic."""


def unordered(first: int, second: int) -> Pair:
    """Return the pair with the smaller position first."""
    return (first, second) if first < second else (second, first)


class Outcome(StrEnum):
    """How the first document of a pair compares with the second."""

    BETTER = "better"
    WORSE = "worse"
    TIE = "tie"

    @property
    def reversed(self) -> "Outcome":
        """How the second document compares with the first."""
        return _OF_CODE[2 - _CODES[self]]

    @property
    def code(self) -> int:
        """The outcome as an integer for arrays: 0 better, 1 tie, 2 worse; 2 - code reverses it."""
        return _CODES[self]

    @property
    def score(self) -> float:
        """The first document's share of the win: 1 better, 0.5 tie, 0 worse (Elo's S)."""
        return 1 - _CODES[self] / 2

    @classmethod
    def from_code(cls, code: int) -> "Outcome":
        """Return the outcome of an integer code."""
        return _OF_CODE[code]


_OF_CODE = (Outcome.BETTER, Outcome.TIE, Outcome.WORSE)
_CODES = {outcome: code for code, outcome in enumerate(_OF_CODE)}


@dataclass(frozen=True, slots=True)
class Judgment:
    """One worker's answer to one question; immutable, numbered per topic.

    Parameters
    ----------
    truth
        The known outcome of a gold question. Its answer is evidence about the worker and not about
        the documents, which need not be the topic's.
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
class Comparison:
    """A compared pair with its outcome, and the judgments it rests on."""

    first: int
    second: int
    outcome: Outcome
    judgments: tuple[int, ...]

    def seen_from(self, document: int) -> "Comparison":
        """Return the same comparison with this document first."""
        if document == self.first:
            return self
        return Comparison(self.second, self.first, self.outcome.reversed, self.judgments)

    def involves(self, document: int) -> bool:
        """Return whether a document is one of the two."""
        return document in (self.first, self.second)

    def opponent(self, document: int) -> int:
        """Return the other document."""
        return self.second if document == self.first else self.first
