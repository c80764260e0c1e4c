"""Which pair tells most: the dearest one that may be asked."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.gaussian_scores.posterior import Beliefs
from nextpair.selectors.inference.gaussian_scores.thurstone import chances
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state.judgments import Pair

CANDIDATES = 64
"""Documents looked at with all others: those that matter most and of which least is known."""
NEIGHBOURS = np.concatenate([np.arange(-96, 0), np.arange(1, 97)])
"""Places in the order, from its own, that a document is compared with where there are many."""
LITTLE = 1e-6
"""Chance that only decides between equals."""

Price = Callable[[Array, Array], Array]


@dataclass(frozen=True, slots=True)
class Situation:
    """What a question is chosen from.

    Parameters
    ----------
    weights
        How much it matters to learn of each document.
    near
        Whether only neighbours in the order are compared, because documents are many.
    together
        Whether a pair matters as far as both documents do, and not on average.
    """

    beliefs: Beliefs
    price: Price
    weights: Array
    forbidden: frozenset[Pair]
    chance: Array
    near: bool
    together: bool

    def best(self) -> Pair | None:
        """Return the best pair that may be asked, or None where there is none."""
        worth = -self.weights * np.sqrt(self.beliefs.variances) - LITTLE * self.chance
        order = np.argsort(worth, kind="stable")
        if self.together:
            order = order[: max(2, np.count_nonzero(self.weights))]
        for start in range(0, len(order), CANDIDATES):
            found = self._best_of(order[start : start + CANDIDATES])
            if found is not None:
                return found
        return None

    def _best_of(self, rows: NDArray[np.intp]) -> Pair | None:
        """Return the best pair with one of some documents in it."""
        columns = self._neighbours(rows) if self.near else None
        others = slice(None) if columns is None else columns
        means = self.beliefs.means[rows][:, None] - self.beliefs.means[others]
        gains = self.price(means, self.beliefs.spreads(rows, columns))
        gains *= self._mattering(rows, others)
        gains += LITTLE * (self.chance[rows][:, None] + self.chance[others])
        self._strike(gains, rows, columns)
        row, column = divmod(int(gains.argmax()), gains.shape[1])
        if gains[row, column] < 0:
            return None
        return int(rows[row]), int(column if columns is None else columns[row, column])

    def _mattering(self, rows: NDArray[np.intp], others: slice | NDArray[np.intp]) -> Array:
        own, other = self.weights[rows][:, None], self.weights[others]
        mattering: Array = np.sqrt(own * other) if self.together else (own + other) / 2
        return mattering

    def _neighbours(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        order = np.argsort(self.beliefs.means + LITTLE * self.chance, kind="stable")
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        # Past an end of the order come the documents at the other one: they cost little.
        found: NDArray[np.intp] = order[(places[rows][:, None] + NEIGHBOURS) % len(order)]
        return found

    def _strike(
        self, gains: Array, rows: NDArray[np.intp], columns: NDArray[np.intp] | None
    ) -> None:
        """Mark what must not be asked."""
        place = {document: row for row, document in enumerate(rows.tolist())}
        if columns is None:
            gains[np.arange(len(rows)), rows] = -1
        for first, second in self.forbidden:
            for one, other in ((first, second), (second, first)):
                row = place.get(one)
                if row is not None and columns is None:
                    gains[row, other] = -1
                elif row is not None and columns is not None:
                    gains[row, columns[row] == other] = -1


def expect(beliefs: Beliefs, open_pairs: Iterable[Pair], margin: float) -> Beliefs:
    """Return beliefs as sure as they will be once open pairs are answered, whatever the answers."""
    later = beliefs.twin()
    for first, second in open_pairs:
        mean, variance = later.difference(first, second)
        answers = chances(np.array([mean]), np.array([variance]), margin)
        curve = float((answers.chance * np.maximum(answers.steps()[1], 0)).sum())
        later.take(first, second, 0.0, min(curve, 0.9 / variance))
    return later
