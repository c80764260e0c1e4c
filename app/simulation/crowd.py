"""Simulated workers: honest ones with an error rate, spammers, position-biased ones, reversers."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from math import fsum

import numpy as np

from nextpair.selectors.errors import BadOption
from nextpair.selectors.state.judgments import Outcome

TIE_SHARE = 0.7
"""The share of ties among wrong answers to pairs that are not tied; the others are reversed."""
ANSWERS = tuple(Outcome)


class WorkerKind(StrEnum):
    """The behaviour of a worker."""

    HONEST = "honest"
    SPAMMER = "spammer"
    LEFT = "left"
    REVERSER = "reverser"


@dataclass(frozen=True, slots=True)
class SimulatedWorker:
    """A worker who answers wrongly with probability `error`, or does not try to be right.

    A spammer answers at random; a worker of kind left always prefers the left document; a reverser
    errs like an honest worker, but swaps better and worse.
    """

    id: str
    error: float = 0.0
    kind: WorkerKind = WorkerKind.HONEST

    def answer(self, truth: Outcome, rng: np.random.Generator, *, swapped: bool = False) -> Outcome:
        """Answer a question whose right answer is known.

        Parameters
        ----------
        swapped
            Whether the first document is on the right.
        """
        match self.kind:
            case WorkerKind.SPAMMER:
                return ANSWERS[rng.integers(len(ANSWERS))]
            case WorkerKind.LEFT:
                return Outcome.WORSE if swapped else Outcome.BETTER
            case WorkerKind.REVERSER:
                return self._perceive(truth, rng).reversed
            case WorkerKind.HONEST:
                return self._perceive(truth, rng)

    def _perceive(self, truth: Outcome, rng: np.random.Generator) -> Outcome:
        """Return the truth, or an error."""
        if self.error == 0 or rng.random() >= self.error:
            return truth
        if truth is Outcome.TIE:
            return Outcome.BETTER if rng.random() < 0.5 else Outcome.WORSE
        return Outcome.TIE if rng.random() < TIE_SHARE else truth.reversed


@dataclass(frozen=True, slots=True)
class CrowdSettings:
    """The distribution that workers are drawn from.

    Parameters
    ----------
    error
        The mean error rate.
    spread
        The standard deviation of the error rate between workers.
    spammers
        The share of workers who answer at random.
    left
        The share of workers who always prefer the left document.
    reversers
        The share of workers who swap better and worse.
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
        # fsum: shares that add up to 1 as written must not exceed 1 by rounding.
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


def draw_crowd(settings: CrowdSettings, rng: np.random.Generator) -> Sequence[SimulatedWorker]:
    """Draw a crowd; error rates have a beta distribution with this mean and standard deviation."""
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


def _kinds(settings: CrowdSettings) -> list[WorkerKind]:
    """Return the kinds of all workers by their shares, spammers first and honest ones last."""
    bad = (WorkerKind.SPAMMER, WorkerKind.LEFT, WorkerKind.REVERSER)
    shares = (settings.spammers, settings.left, settings.reversers)
    kinds: list[WorkerKind] = []
    # The cumulative shares are rounded, not each count: so the counts never exceed the crowd.
    for kind, end in zip(bad, accumulate(shares), strict=True):
        kinds += [kind] * (round(end * settings.size) - len(kinds))
    return kinds + [WorkerKind.HONEST] * (settings.size - len(kinds))
