"""The exact order from judges who do not err, with as few judgments as possible.

Of the judgments that prove an order of N documents in C classes, N - C are ties whatever is asked,
so only the others can be saved. The next pair is therefore the one whose answer has the most bits
for each answer that is not a tie: its entropy over the probability that it is not a tie. A pair may
be a cluster and a class of the chain, or two clusters: two documents that are probably both of a
large class are more informative against each other than one of them is against that class.

The posterior only decides what to ask first. What is known, and when all is, the order says.
"""

from typing import Any

import numpy as np

from nextpair.selectors.base import Choice, Idle, Selector, WorkerHistory
from nextpair.selectors.inference.exact_classes.acquisition import CandidatePairs, candidate_pairs
from nextpair.selectors.inference.exact_classes.class_chain import ClassChain
from nextpair.selectors.inference.exact_classes.cluster_posterior import (
    ClusterPosterior,
    compute_posterior,
)
from nextpair.selectors.inference.exact_classes.feature_likelihood import FeatureLikelihood
from nextpair.selectors.inference.exact_classes.remaining_judgments import (
    remaining_before_answers,
    remaining_judgments,
)
from nextpair.selectors.inference.numerics import Z_80
from nextpair.selectors.state import bitset
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Comparison, Pair
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order
from nextpair.selectors.state.settings import Forecast


class ExactPlacement(Selector):
    """Asks the pair with the most information for what it may cost."""

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        self._chain = ClassChain(order)
        self._features = FeatureLikelihood(documents, self._chain, order)
        self._cached: tuple[ClusterPosterior, CandidatePairs] | None = None

    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Update chain and features with a finding."""
        self._chain.absorb(comparison, merge)
        self._features.absorb()
        self._cached = None

    def choose(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose the best pair among those that are free."""
        if self.order.complete:
            return Idle.DONE
        pair = self._best(open_pairs, rng) if self._chain.labels else None
        pair = pair or self._any(open_pairs, rng)
        return self.idle_reason() if pair is None else self.draw_pair(*pair, open_pairs, rng)

    def forecast(self) -> Forecast:
        """Forecast how many more pairs have to be asked."""
        mean, deviation = self.expected_remaining()
        low = max(mean - Z_80 * deviation, 0.0)
        return Forecast(mean, low, mean + Z_80 * deviation)

    def expected_remaining(self) -> tuple[float, float]:
        """Return the mean and the standard deviation of the number of pairs still to be asked."""
        if self.order.complete:
            return 0.0, 0.0
        if not self._chain.labels:
            return remaining_before_answers(self.order.size)
        return remaining_judgments(self._chain, self._posterior_and_pairs()[0])

    def _posterior_and_pairs(self) -> tuple[ClusterPosterior, CandidatePairs]:
        # Computed from the fold alone, so it is the same whoever reads it and however often.
        if self._cached is None:
            posterior = compute_posterior(self._chain, self._features.by_place(), self.order)
            self._cached = posterior, candidate_pairs(posterior)
        return self._cached

    def _best(self, open_pairs: OpenPairs, rng: np.random.Generator) -> Pair | None:
        """Return the free classes of the best pair, one document of each to be drawn."""
        posterior, pairs = self._posterior_and_pairs()
        busy = {self.order.label(document) for pair in open_pairs.votes_wanted for document in pair}
        idle = ~sum(1 << label for label in busy)
        for row, partner in pairs.best_first(posterior.rows_of(busy)):
            members = posterior.members(row) & idle
            if partner < pairs.classes:
                first: int | None = self._chain.labels[partner]
                others = members
            else:
                first = _draw(members, rng)
                others = posterior.members(partner - pairs.classes) & idle
            second = None if first is None else _draw(others & open_pairs.free(first), rng)
            if first is not None and second is not None:
                return second, first
        return None

    def _any(self, open_pairs: OpenPairs, rng: np.random.Generator) -> Pair | None:
        """Draw any pair of classes that is free."""
        labels = bitset.members(self.order.labels)
        for number in rng.permutation(len(labels)):
            other = _draw(open_pairs.free(labels[number]), rng)
            if other is not None:
                return labels[number], other
        return None


def _draw(labels: int, rng: np.random.Generator) -> int | None:
    if not labels:
        return None
    members = bitset.members(labels)
    return members[rng.integers(len(members))]
