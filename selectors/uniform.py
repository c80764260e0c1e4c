"""Any pair whose relation is not known, drawn at random: the floor every selector must beat."""

import numpy as np

from nextpair.selectors.base import Choice, Idle, Selector, Worker
from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Finding
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge

TRIES = 32
"""Draws of any two documents before looking for what is left, class by class."""


class Uniform(Selector):
    """Asks about random pairs and lets transitivity do what it can."""

    name = "uniform"

    def absorb(self, finding: Finding, merge: Merge | None) -> None:
        """Remember nothing: the order does."""

    def choose(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Draw two documents of classes that can usefully be compared."""
        if self.order.complete:
            return Idle.DONE
        for first, second in rng.integers(len(self.documents), size=(TRIES, 2)).tolist():
            if open_pairs.is_free(first, second):
                return self.unbarred(first, second, open_pairs, rng)
        for one in rng.permutation(bitset.members(self.order.labels)).tolist():
            others = bitset.members(open_pairs.free(one))
            if others:
                return self.pair_of(one, others[rng.integers(len(others))], open_pairs, rng)
        return self.pause()
