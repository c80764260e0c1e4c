"""Bayesian selectors: they keep a posterior, weigh every judgment by itself, and trust none fully.

A transitive selector rests on an order in which every accepted comparison is true. A Bayesian
selector counts no votes and re-opens nothing: it reports what its posterior takes for settled,
which later judgments may change.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.base import Choice, Selector, WorkerHistory
from nextpair.selectors.state.evidence import Evidence
from nextpair.selectors.state.judgments import Comparison, Outcome, Pair
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order
from nextpair.selectors.state.settings import Conflict
from nextpair.selectors.state.settings import Reliability as Reliability


class BayesianSelector(Selector):
    """A selector that keeps a posterior instead of an order."""

    infers: ClassVar[bool] = False
    counts_votes: ClassVar[bool] = False

    @abstractmethod
    def observe(self, first: int, second: int, outcome: Outcome, worker: str) -> None:
        """Update the posterior with one judgment."""

    @abstractmethod
    def choose_pair(
        self, worker: WorkerHistory, open_pairs: Counter[Pair], rng: np.random.Generator
    ) -> Choice:
        """Choose the next pair for a worker.

        Parameters
        ----------
        open_pairs
            The pairs that workers hold, smaller position first.
        """

    @abstractmethod
    def settled_order(self) -> Order:
        """Return the relations that are taken as known."""

    @abstractmethod
    def settled_documents(self) -> NDArray[np.bool_]:
        """Return which documents need no more judgments."""

    @property
    def has_classes(self) -> bool:
        """Whether documents with equal point estimates are taken for tied."""
        return False

    @abstractmethod
    def point_estimates(self) -> NDArray[np.float64]:
        """Return a number for each document, settled or not; larger is better."""

    @abstractmethod
    def certainty(self) -> NDArray[np.float64]:
        """Return the posterior probability of each document's place."""

    @abstractmethod
    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered."""

    @abstractmethod
    def win_probability(self, first: int, second: int) -> float:
        """Return the probability that the first document is better, a tie counting half."""

    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Do nothing: the posterior is updated by `observe`, judgment by judgment."""

    def select(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose the next pair for a worker; no votes are counted, so none are missing."""
        return self.choose(open_pairs, worker, rng)

    def choose(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose a pair, given those that workers hold."""
        return self.choose_pair(worker, open_pairs.leased, rng)


def supporting_evidence(order: Order, comparisons: Iterable[Comparison]) -> Evidence:
    """Collect the comparisons that agree with an order."""
    evidence = Evidence()
    for comparison in comparisons:
        if order.relation(comparison.first, comparison.second) is comparison.outcome:
            evidence.add(comparison)
    return evidence


def contradictions(order: Order, comparisons: Sequence[Comparison]) -> list[Conflict]:
    """List the comparisons that contradict an order."""
    evidence = supporting_evidence(order, comparisons)

    def conflict(comparison: Comparison, known: Outcome) -> Conflict:
        def explain() -> tuple[Comparison, ...]:
            return evidence.shortest_chain(comparison.first, comparison.second, known)

        return Conflict(comparison, known, None, explain)

    with_relations = (
        (comparison, order.relation(comparison.first, comparison.second))
        for comparison in comparisons
    )
    return [
        conflict(comparison, known)
        for comparison, known in with_relations
        if known is not None and known is not comparison.outcome
    ]
