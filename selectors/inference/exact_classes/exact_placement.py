"""The exact order from judges who do not err, with as few judgments as possible.

Of the judgments that prove an order of N documents in C classes, N - C are ties whatever is asked,
so what can be saved are the others. The next pair is therefore the one whose answer holds the most
bits for each answer that is not a tie: its entropy over the probability that it is not a tie. A
pair may be a cluster and a class of the chain, or two clusters: two documents that are probably
both of a large class teach more against each other than one of them does against that class.

Likelihoods only say what to ask first. What is known, and when all is, the order says.
"""

from typing import Any

import numpy as np

from nextpair.selectors.base import Choice, Idle, Selector, Worker
from nextpair.selectors.inference.exact_classes.acquisition import Candidates, candidates
from nextpair.selectors.inference.exact_classes.class_chain import Chain
from nextpair.selectors.inference.exact_classes.cluster_posterior import Outlook, look
from nextpair.selectors.inference.exact_classes.feature_likelihood import Hints
from nextpair.selectors.inference.exact_classes.remaining_judgments import before_answers, remaining
from nextpair.selectors.state import bitset
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Finding, Pair
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order
from nextpair.selectors.state.settings import Forecast

EIGHTY_PERCENT = 1.2816
"""So many standard deviations to either side hold 80 % of a normal distribution."""


class Proof(Selector):
    """Asks where an answer is worth most for what it may cost."""

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        self._chain = Chain(order)
        self._hints = Hints(documents, self._chain, order)
        self._seen: tuple[Outlook, Candidates] | None = None

    def absorb(self, finding: Finding, merge: Merge | None) -> None:
        """Follow the finding along the chain."""
        self._chain.absorb(finding, merge)
        self._hints.absorb()
        self._seen = None

    def choose(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Choose the pair that is worth most among those that are free."""
        if self.order.complete:
            return Idle.DONE
        found = self._worthiest(open_pairs, rng) if self._chain.labels else None
        found = found or self._any(open_pairs, rng)
        return self.pause() if found is None else self.pair_of(*found, open_pairs, rng)

    def forecast(self) -> Forecast:
        """Say how many more pairs have to be asked."""
        mean, deviation = self.expected_remaining()
        low = max(mean - EIGHTY_PERCENT * deviation, 0.0)
        return Forecast(mean, low, mean + EIGHTY_PERCENT * deviation)

    def expected_remaining(self) -> tuple[float, float]:
        """Return the mean and the standard deviation of the pairs still to be asked."""
        if self.order.complete:
            return 0.0, 0.0
        if not self._chain.labels:
            return before_answers(self.order.size)
        return remaining(self._chain, self._look()[0])

    def _look(self) -> tuple[Outlook, Candidates]:
        # Worked out from the chain alone, so it is the same whoever asks and however often.
        if self._seen is None:
            outlook = look(self._chain, self._hints.places(), self.order)
            self._seen = outlook, candidates(outlook)
        return self._seen

    def _worthiest(self, open_pairs: OpenPairs, rng: np.random.Generator) -> Pair | None:
        outlook, pairs = self._look()
        busy = {self.order.label(document) for pair in open_pairs.wanting for document in pair}
        idle = ~sum(1 << label for label in busy)
        for row, partner in pairs.best_first(outlook.rows_of(busy)):
            ones = outlook.members(row) & idle
            if partner < pairs.classes:
                one: int | None = self._chain.labels[partner]
                others = ones
            else:
                one, others = _draw(ones, rng), outlook.members(partner - pairs.classes) & idle
            other = None if one is None else _draw(others & open_pairs.free(one), rng)
            if one is not None and other is not None:
                return other, one
        return None

    def _any(self, open_pairs: OpenPairs, rng: np.random.Generator) -> Pair | None:
        """Draw any pair that is free."""
        labels = bitset.members(self.order.labels)
        for place in rng.permutation(len(labels)):
            other = _draw(open_pairs.free(labels[place]), rng)
            if other is not None:
                return labels[place], other
        return None


def _draw(labels: int, rng: np.random.Generator) -> int | None:
    if not labels:
        return None
    members = bitset.members(labels)
    return members[rng.integers(len(members))]
