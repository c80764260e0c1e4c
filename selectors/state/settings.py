"""The settings of a topic, and the small records that its state exchanges with callers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from nextpair.selectors.errors import BadOption, NegativeCount
from nextpair.selectors.state.judgments import Comparison, Outcome, Pair

# A client imports this module, and must not load NumPy.
if TYPE_CHECKING:
    import numpy as np

DEFAULT_SELECTOR = "placement"


class ConflictPolicy(StrEnum):
    """What happens when a comparison contradicts the order."""

    OLDER_WINS = "older-wins"
    """The order stays; the comparison is recorded as a conflict."""
    REOPEN = "reopen"
    """The evidence on the less compared of the two documents is dropped, and it is asked again."""


class Judges(StrEnum):
    """Who judges a study: sets what is expected of answers."""

    ONE = "one"
    """One careful person: answers are taken as true, and no pair is asked twice."""
    FEW = "few"
    """A few careful people: they seldom err, and a doubtful pair is asked of another one."""
    CROWD = "crowd"
    """Many people, some of whom err often or answer at random: their reliability is learned."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a topic.

    Parameters
    ----------
    options
        The selector's options, by name; the others are set to suit the judges.
    votes
        Workers per pair; a selector with a plan takes all votes, others stop early.
    reopenings
        How often one document may be re-opened; after that, older evidence wins.
    seed
        Seeds the randomness of the topic: pivots, random matrices, schedules.
    judges
        Who answers.
    """

    selector: str = DEFAULT_SELECTOR
    options: Mapping[str, object] = field(default_factory=dict)
    votes: int = 1
    on_conflict: ConflictPolicy = ConflictPolicy.OLDER_WINS
    reopenings: int = 3
    seed: int = 0
    judges: Judges = Judges.CROWD

    def __post_init__(self) -> None:
        for name in ("votes", "reopenings", "seed"):
            value = getattr(self, name)
            if type(value) is not int:
                raise BadOption(f"{name} must be a whole number, got {value!r}")
            if value < 0:
                raise NegativeCount(f"{name} must not be negative, got {value}")
        if self.on_conflict not in set(ConflictPolicy):
            raise BadOption(
                f"on_conflict must be one of {', '.join(ConflictPolicy)}, got {self.on_conflict!r}"
            )

    @property
    def single_judge(self) -> bool:
        """Whether one person judges everything: a pair they have judged is asked of nobody else."""
        return self.judges is Judges.ONE and self.votes == 1

    def question_rng(self, asked: int) -> np.random.Generator:
        """Return the generator of one question: every process that selects it draws the same.

        Parameters
        ----------
        asked
            How many questions the topic has issued before.
        """
        import numpy as np

        # Not the entropy [seed, asked]: a trailing 0 does not change it, so the first question
        # would draw the same numbers as the topic itself.
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(asked,)))


@dataclass(frozen=True)
class Conflict:
    """A comparison that contradicted the order when it came, and how it was resolved.

    Parameters
    ----------
    known
        The relation of the first document to the second in the order.
    reopened
        The document that was re-opened because of it, if any.
    explain
        Finds the shortest chain of comparisons that implies the known relation.
    """

    comparison: Comparison
    known: Outcome
    reopened: int | None
    explain: Callable[[], tuple[Comparison, ...]] = field(repr=False, compare=False)

    @cached_property
    def explanation(self) -> tuple[Comparison, ...]:
        """The shortest chain of comparisons that implies the known relation, found on demand."""
        return self.explain()


@dataclass(frozen=True, slots=True)
class ExplanationStep:
    """One step of an explanation: a comparison, by document ids."""

    first: str
    second: str
    outcome: Outcome
    judgments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lease:
    """A pair that a worker holds; a single document is a pair with itself.

    Parameters
    ----------
    subject
        The judgment under review, if any.
    """

    pair: Pair
    worker: str
    subject: int | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """How many more judgments a topic will need, with an interval."""

    expected: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """What is known of one worker.

    Parameters
    ----------
    answers
        How many they have given.
    right
        The expected share of right answers if better, tie and worse are equally likely.
    information
        The information of one answer, from 0 to 1, where 1 is that of a worker without errors.
    """

    worker: str
    answers: int
    right: float
    information: float
