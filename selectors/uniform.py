"""Any pair whose relation is not known, drawn at random: the floor every selector must beat."""

import numpy as np

from nextpair.selectors.base import Choice, Selector, Worker
from nextpair.selectors.topic import bits
from nextpair.selectors.topic.open_pairs import OpenPairs

TRIES = 32
"""Draws of any two documents before looking for what is left, class by class."""


class Uniform(Selector):
    """Asks about random pairs and lets transitivity do what it can."""

    def choose(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Draw two documents of classes that can usefully be compared."""
        if not self.order.unknown_pairs:
            return self.pause()
        for first, second in rng.integers(len(self.documents), size=(TRIES, 2)).tolist():
            if open_pairs.is_free(first, second):
                return first, second
        for one in rng.permutation(bits.members(self.order.labels)).tolist():
            others = bits.members(open_pairs.free(one))
            if others:
                return self.documents_of(one, others[rng.integers(len(others))], rng)
        return self.pause()
