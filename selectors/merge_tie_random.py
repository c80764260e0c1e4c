"""Merge-Tie-Judge with a random tie matrix: ask about the classes most likely to be tied.

Hui and Berberich, "Merge-Tie-Judge: Low-Cost Preference Judgments with Ties", ICTIR 2017.
"""

from typing import Any

import numpy as np

from nextpair.selectors.base import Choice, Idle, Selector, WorkerHistory
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Comparison
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order
from nextpair.selectors.state.tie_matrix import TieMatrix, random_ties


class MergeTieRandom(Selector):
    """Grows tie classes from pairs drawn at random, the largest classes first."""

    name = "merge-tie-random"

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        self._ties = TieMatrix(self._prior_ties)

    def _prior_ties(self) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return random_ties(len(self.documents), np.random.default_rng(self.seed))

    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Add up the rows of merged classes."""
        if merge is not None:
            self._ties.merge(merge)

    def choose(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose the classes with the largest tie probability among the free ones."""
        if self.order.complete:
            return Idle.DONE
        classes = self._ties.largest_pair(self.order.unknown, open_pairs.free)
        return self.idle_reason() if classes is None else self.draw_pair(*classes, open_pairs, rng)
