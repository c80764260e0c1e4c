"""Inference schedules: when a posterior is fitted anew, and what can be read in between."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from nextpair.selectors.inference.comparisons import Observation
from nextpair.selectors.state.bayesian_selector import Reliability


class PosteriorSnapshot(Protocol):
    """The posterior as of some comparison, to be read."""

    def observe(self, observations: Sequence[Observation]) -> None:
        """Update the posterior with comparisons, without a new fit."""

    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered."""
        ...


SnapshotT = TypeVar("SnapshotT", bound=PosteriorSnapshot, covariant=True)


class InferenceSchedule(ABC, Generic[SnapshotT]):
    """The posterior of a topic, fitted to its comparisons from time to time.

    It is a fold over comparisons and gold responses: reading it changes no later result.
    """

    @abstractmethod
    def observe(self, first: int, second: int, outcome: int, worker: str) -> None:
        """Add one comparison."""

    @abstractmethod
    def observe_gold(self, worker: str, truth: int, outcome: int) -> None:
        """Add the response to a gold question; it counts from the next fit on."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many comparisons there are."""

    @abstractmethod
    def current(self) -> SnapshotT:
        """Return a posterior that is good enough to choose the next pair."""

    @abstractmethod
    def converged(self) -> SnapshotT:
        """Return a posterior that is fitted to convergence, to be reported."""
