"""Simulated workers: how often each errs, and how."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from math import fsum

import numpy as np

from nextpair.selectors.errors import BadOption
from nextpair.selectors.state.judgments import Outcome

TIE_SHARE = 0.7
"""A wrong answer to a pair that differs is a tie this often, else it is reversed."""
ANSWERS = tuple(Outcome)


class Kind(StrEnum):
    """What a worker makes of a question."""

    HONEST = "honest"
    SPAMMER = "spammer"
    LEFT = "left"
    REVERSER = "reverser"


@dataclass(frozen=True, slots=True)
class SimulatedWorker:
    """Someone who answers wrongly with probability `error`, or who does not mean to be right.

    A spammer answers at random, another says that the left document is better whatever it is, and
    a reverser errs like the honest, but says better for worse and worse for better.
    """

    id: str
    error: float = 0.0
    kind: Kind = Kind.HONEST

    def answer(self, truth: Outcome, rng: np.random.Generator, *, swapped: bool = False) -> Outcome:
        """Answer a question whose right answer is known.

        Parameters
        ----------
        swapped
            Whether the first document is on the right.
        """
        match self.kind:
            case Kind.SPAMMER:
                return ANSWERS[rng.integers(len(ANSWERS))]
            case Kind.LEFT:
                return Outcome.WORSE if swapped else Outcome.BETTER
            case Kind.REVERSER:
                return self._find(truth, rng).reversed
            case Kind.HONEST:
                return self._find(truth, rng)

    def _find(self, truth: Outcome, rng: np.random.Generator) -> Outcome:
        """Find the truth, or err."""
        if self.error == 0 or rng.random() >= self.error:
            return truth
        if truth is Outcome.TIE:
            return Outcome.BETTER if rng.random() < 0.5 else Outcome.WORSE
        return Outcome.TIE if rng.random() < TIE_SHARE else truth.reversed


@dataclass(frozen=True, slots=True)
class CrowdSettings:
    """What the workers are like.

    Parameters
    ----------
    error
        Share of wrong answers, over the crowd.
    spread
        Standard deviation of that share between workers.
    spammers
        Share of workers who answer at random.
    left
        Share of workers who always say that the left document is better.
    reversers
        Share of workers who say better for worse and worse for better.
    """

    size: int = 100
    error: float = 0.0
    spread: float = 0.0
    spammers: float = 0.0
    left: float = 0.0
    reversers: float = 0.0

    def __post_init__(self) -> None:
        if self.size < 1:
            raise BadOption(f"a crowd has at least one worker, got {self.size}")
        for name in ("error", "spammers", "left", "reversers"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadOption(f"{name} must be between 0 and 1, got {getattr(self, name)}")
        # An exact sum: shares that are written to make 1 may not come to more by rounding.
        if fsum((self.spammers, self.left, self.reversers)) > 1:
            raise BadOption(
                f"spammers, left and reversers are at most 1 together,"
                f" got {self.spammers} + {self.left} + {self.reversers}"
            )
        possible = 0 < self.spread**2 < self.error * (1 - self.error)
        if self.spread < 0 or not (self.spread == 0 or possible):
            raise BadOption(
                f"an error of {self.error} cannot spread by {self.spread} between workers:"
                f" it must be less than sqrt(error * (1 - error))"
            )


def recruit(settings: CrowdSettings, rng: np.random.Generator) -> Sequence[SimulatedWorker]:
    """Draw a crowd; error rates follow a beta distribution of the given mean and spread."""
    errors = np.full(settings.size, settings.error)
    if settings.spread:
        concentration = settings.error * (1 - settings.error) / settings.spread**2 - 1
        errors = rng.beta(
            settings.error * concentration,
            (1 - settings.error) * concentration,
            size=settings.size,
        )
    kinds, places = _kinds(settings), rng.permutation(settings.size)
    return [
        SimulatedWorker(f"simulated-{number}", float(error), kinds[place])
        for number, (error, place) in enumerate(zip(errors, places, strict=True), start=1)
    ]


def _kinds(settings: CrowdSettings) -> list[Kind]:
    """Return as many of each kind as their shares ask for, spammers first and the honest last."""
    bad = (Kind.SPAMMER, Kind.LEFT, Kind.REVERSER)
    shares = (settings.spammers, settings.left, settings.reversers)
    kinds: list[Kind] = []
    # Rounded is where each kind ends, not how many it has: together they never outgrow the crowd.
    for kind, end in zip(bad, accumulate(shares), strict=True):
        kinds += [kind] * (round(end * settings.size) - len(kinds))
    return kinds + [Kind.HONEST] * (settings.size - len(kinds))
