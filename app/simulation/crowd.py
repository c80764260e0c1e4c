"""Simulated workers: how often each errs, and how."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nextpair.selectors.errors import BadOption
from nextpair.selectors.topic.judgments import Outcome

TIE_SHARE = 0.7
"""A wrong answer to a pair that differs is a tie this often, else it is reversed."""
ANSWERS = tuple(Outcome)


@dataclass(frozen=True, slots=True)
class SimulatedWorker:
    """Someone who answers wrongly with probability `error`, or always at random."""

    id: str
    error: float = 0.0
    spammer: bool = False

    def answer(self, truth: Outcome, rng: np.random.Generator) -> Outcome:
        """Answer a question whose right answer is known."""
        if self.spammer:
            return ANSWERS[rng.integers(len(ANSWERS))]
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
    """

    size: int = 100
    error: float = 0.0
    spread: float = 0.0
    spammers: float = 0.0

    def __post_init__(self) -> None:
        if self.size < 1:
            raise BadOption(f"a crowd has at least one worker, got {self.size}")
        for name in ("error", "spammers"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadOption(f"{name} must be between 0 and 1, got {getattr(self, name)}")
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
    spammers = rng.permutation(settings.size) < round(settings.spammers * settings.size)
    return [
        SimulatedWorker(f"simulated-{number}", float(error), bool(spammer))
        for number, (error, spammer) in enumerate(zip(errors, spammers, strict=True), start=1)
    ]
