"""How a topic is judged, and what its state reports besides the order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from nextpair.selectors.errors import BadOption, NegativeCount
from nextpair.selectors.state.judgments import Finding, Outcome, Pair

# A client needs the names of this module, and not NumPy.
if TYPE_CHECKING:
    import numpy as np

DEFAULT_SELECTOR = "placement"


class ConflictPolicy(StrEnum):
    """What happens when a finding contradicts the order."""

    OLDER_WINS = "older-wins"
    """The order stays; the finding is kept as a conflict."""
    REOPEN = "reopen"
    """What placed the less compared of the two documents is set aside, and it is asked anew."""


class Judges(StrEnum):
    """Who judges a study, and so what is expected of answers."""

    ONE = "one"
    """One careful person: answers are taken for true, and no pair is asked twice."""
    FEW = "few"
    """A few careful people: they err seldom, and what is doubtful is asked of another one."""
    CROWD = "crowd"
    """Many people, some of whom err often or do not try: who can be relied on is learned."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a topic is judged.

    Parameters
    ----------
    options
        The selector's options, by name; those left out are what suits the judges.
    votes
        Workers per pair; a selector that plans every vote takes them all, others stop early.
    reopenings
        How often one document may be re-opened before older evidence wins.
    seed
        The topic's own chance: pivots, random matrices, schedules.
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
    def alone(self) -> bool:
        """Whether one person judges everything: a pair they were asked about is asked nobody."""
        return self.judges is Judges.ONE and self.votes == 1

    def question_rng(self, asked: int) -> np.random.Generator:
        """Return the chance of one question: every process that asks it draws the same.

        Parameters
        ----------
        asked
            How many questions the topic has handed out before.
        """
        import numpy as np

        # Not the entropy [seed, asked]: a last 0 adds nothing to it, and the first question's
        # chance would be the topic's own.
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(asked,)))


@dataclass(frozen=True)
class Conflict:
    """A finding that contradicted the order when it came, and how it was met.

    Parameters
    ----------
    known
        What the order said of the first document against the second.
    reopened
        The document that was re-opened for it, if one was.
    explain
        Finds the chain of findings from which what was known followed.
    """

    finding: Finding
    known: Outcome
    reopened: int | None
    explain: Callable[[], tuple[Finding, ...]] = field(repr=False, compare=False)

    @cached_property
    def because(self) -> tuple[Finding, ...]:
        """The chain of findings from which what was known followed, looked for when asked for."""
        return self.explain()


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of an explanation: what the judgments on one pair came to, by document ids."""

    first: str
    second: str
    outcome: Outcome
    judgments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lease:
    """A pair that is in a worker's hands; a single document is a pair with itself.

    Parameters
    ----------
    subject
        The judgment that is being reviewed, if one is.
    """

    pair: Pair
    worker: str
    subject: int | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """How many more judgments a topic will need, and between which bounds that lies."""

    expected: float
    low: float
    high: float
