"""Uniformly random pairs with an unknown relation: the floor that every selector must beat."""

import numpy as np

from nextpair.selectors.base import Choice, Idle, Selector, WorkerHistory
from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Comparison
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge

TRIES = 32
"""Draws of any two documents before the free classes are enumerated."""


class Uniform(Selector):
    """Asks about random pairs and relies on transitivity for the rest."""

    name = "uniform"

    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Do nothing: the order is all the memory it needs."""

    def choose(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Draw two documents of free classes."""
        if self.order.complete:
            return Idle.DONE
        for first, second in rng.integers(len(self.documents), size=(TRIES, 2)).tolist():
            if open_pairs.is_free(first, second):
                return self.avoid_barred(first, second, open_pairs, rng)
        for label in rng.permutation(bitset.members(self.order.labels)).tolist():
            others = bitset.members(open_pairs.free(label))
            if others:
                return self.draw_pair(label, others[rng.integers(len(others))], open_pairs, rng)
        return self.idle_reason()
