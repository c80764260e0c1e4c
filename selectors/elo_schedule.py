"""The fixed schedule of Bashir et al. (SIGIR 2013): few matches per document, rated by Elo.

Documents are ranked by their prior score (BM25, say). All pairs of the top six are matched, and
every document below is matched with five drawn uniformly from those above it, so relevant documents
get more matches.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from nextpair.selectors.base import Choice, Idle, Selector, WorkerHistory
from nextpair.selectors.errors import NegativeCount
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Comparison, Pair, unordered
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order


@dataclass(frozen=True, slots=True)
class EloScheduleOptions:
    """Options of `elo-schedule`.

    Parameters
    ----------
    top
        How many of the highest ranked documents are all matched with each other.
    opponents
        How many of the documents above it every other one is matched with.
    """

    top: int = 6
    opponents: int = 5

    def __post_init__(self) -> None:
        if self.top < 0 or self.opponents < 0:
            raise NegativeCount(
                f"top and opponents must not be negative, got {self.top} and {self.opponents}"
            )


class EloSchedule(Selector):
    """Asks every match of a schedule drawn beforehand; infers nothing by transitivity."""

    name = "elo-schedule"
    Options = EloScheduleOptions
    infers = False
    rating = "elo"

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        self._pending = dict.fromkeys(self._draw(np.random.default_rng(seed)))

    def _draw(self, rng: np.random.Generator) -> list[Pair]:
        """Draw the matches, in the random order in which they are asked."""
        ranked = self.documents.by_prior()
        matches = [unordered(*pair) for pair in combinations(ranked[: self.options.top], 2)]
        for place in range(max(self.options.top, 1), len(ranked)):
            drawn = rng.choice(place, size=min(self.options.opponents, place), replace=False)
            matches += [unordered(ranked[place], ranked[above]) for above in drawn.tolist()]
        return [matches[position] for position in rng.permutation(len(matches)).tolist()]

    def planned_pairs(self) -> Iterable[Pair]:
        """Return the matches without an answer."""
        return self._pending

    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Remove an answered match from the schedule."""
        self._pending.pop((comparison.first, comparison.second), None)

    def choose(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose a match that nobody holds, preferably one that no awaited answer may imply."""
        fallback: Pair | None = None
        for pair in self._pending:
            if pair not in open_pairs.votes_wanted and not worker.has_seen(pair):
                if open_pairs.is_free(*pair):
                    return pair
                fallback = fallback or pair
        if fallback:
            return fallback
        return Idle.WAIT if self._pending else Idle.DONE
