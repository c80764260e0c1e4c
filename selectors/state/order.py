"""The order: tie classes and the transitive closure of the strict relation between them.

Tie classes are merged as in union-find: a class is represented by the position of one of its
documents, its *label*. Two bit sets for each class hold the labels of the classes above and below
it. Both are kept transitively closed (incremental transitive closure): a query for a relation is
one bit test, and absorbing an outcome touches only the classes that gain a relation. The label of
a class that was merged into another stays in these sets, where it is ignored: removing it from all
of them would cost more than masking it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.errors import Contradiction
from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Comparison, Outcome, Pair


class Merge(NamedTuple):
    """Two classes became one, which keeps the label of the first."""

    kept: int
    gone: int


class Order:
    """A strict partial order of tie classes of `size` documents, all unrelated at first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._label = list(range(size))
        self._members = [[document] for document in range(size)]
        self._above = [0] * size
        self._below = [0] * size
        self._labels = (1 << size) - 1
        self._last_incomplete = 0

    def copy(self) -> "Order":
        """Return an independent copy."""
        copy = Order(0)
        copy.size, copy._labels = self.size, self._labels
        copy._last_incomplete = self._last_incomplete
        copy._label, copy._above, copy._below = self._label[:], self._above[:], self._below[:]
        copy._members = [members[:] for members in self._members]
        return copy

    @classmethod
    def of_classes(cls, size: int, classes: Sequence[Sequence[int]]) -> "Order":
        """Return the order of these classes, best first; all other documents are unrelated."""
        order = cls(size)
        labels = [members[0] for members in classes]
        all_labels = bitset.of(labels)
        above = 0
        for label, members in zip(labels, classes, strict=True):
            itself = 1 << label
            order._members[label] = list(members)
            order._above[label] = above
            order._below[label] = all_labels & ~(above | itself)
            above |= itself
            for document in members:
                order._label[document] = label
            for document in members[1:]:
                order._members[document] = []
            order._labels &= ~bitset.of(members[1:])
        return order

    @classmethod
    def of_intervals(cls, lows: NDArray[np.float64], highs: NDArray[np.float64]) -> "Order":
        """Return the interval order: a document is better if its interval lies above another's."""
        order = cls(len(lows))
        best_first = np.argsort(-lows, kind="stable").tolist()
        # The documents above one are those whose lower ends are above its upper end: a prefix.
        counts = np.searchsorted(np.sort(-lows), -highs, side="left").tolist()
        above = [0]
        for document in best_first:
            above.append(above[-1] | 1 << document)
        for document, count in enumerate(counts):
            order._above[document] = above[count]
        worst_first = np.argsort(highs, kind="stable").tolist()
        counts = np.searchsorted(np.sort(highs), lows, side="left").tolist()
        below = [0]
        for document in worst_first:
            below.append(below[-1] | 1 << document)
        for document, count in enumerate(counts):
            order._below[document] = below[count]
        return order

    def relation(self, first: int, second: int) -> Outcome | None:
        """Return how the first document compares with the second; None if that is not known."""
        first_label, second_label = self._label[first], self._label[second]
        if first_label == second_label:
            return Outcome.TIE
        if self._below[first_label] >> second_label & 1:
            return Outcome.BETTER
        if self._above[first_label] >> second_label & 1:
            return Outcome.WORSE
        return None

    def absorb(self, first: int, second: int, outcome: Outcome) -> Merge | None:
        """Absorb an outcome and all that it implies; return the classes it merged, if any.

        Raises
        ------
        Contradiction
            Another relation is known; nothing has changed.
        """
        known = self.relation(first, second)
        if known is outcome:
            return None
        if known is not None:
            raise Contradiction(f"{first} is known to be {known} against {second}, not {outcome}")
        first_label, second_label = self._label[first], self._label[second]
        if outcome is Outcome.TIE:
            return self._merge(first_label, second_label)
        if outcome is Outcome.BETTER:
            self._put_above(first_label, second_label)
        else:
            self._put_above(second_label, first_label)
        return None

    def _put_above(self, winner: int, loser: int) -> None:
        ups = self.above(winner) | 1 << winner
        downs = self.below(loser) | 1 << loser
        # A class already above the loser is above all that is below it, and vice versa.
        self._close(ups & ~self._above[loser], ups, downs & ~self._below[winner], downs)

    def _close(self, new_ups: int, ups: int, new_downs: int, downs: int) -> None:
        """Put all of `ups` above all of `downs`; only `new_ups` and `new_downs` gain a relation."""
        above, below = self._above, self._below
        for up in bitset.members(new_ups):
            below[up] |= downs
        for down in bitset.members(new_downs):
            above[down] |= ups

    def _merge(self, first: int, second: int) -> Merge:
        kept, gone = first, second
        if self._count_relations(first) < self._count_relations(second):
            kept, gone = second, first
        above, below = self.above(gone), self.below(gone)
        for document in self._members[gone]:
            self._label[document] = kept
        self._members[kept] += self._members[gone]
        self._members[gone] = []
        self._labels &= ~(1 << gone)
        self._above[gone] = self._below[gone] = 0
        gained_above, gained_below = above & ~self._above[kept], below & ~self._below[kept]
        # A class that was above the kept class alone gains a relation only if more is below it now.
        new_ups = gained_above | (self.above(kept) & ~above if gained_below else 0)
        new_downs = gained_below | (self.below(kept) & ~below if gained_above else 0)
        self._above[kept] |= above
        self._below[kept] |= below
        itself = 1 << kept
        self._close(new_ups, self._above[kept] | itself, new_downs, self._below[kept] | itself)
        return Merge(kept, gone)

    def _count_relations(self, label: int) -> int:
        return self.above(label).bit_count() + self.below(label).bit_count()

    def label(self, document: int) -> int:
        """Return the label of a document's class."""
        return self._label[document]

    def members(self, label: int) -> tuple[int, ...]:
        """Return the documents of a class, in the sequence in which they joined it."""
        return tuple(self._members[label])

    def above(self, label: int) -> int:
        """Return the labels of the classes better than this one, as a bit set."""
        return self._above[label] & self._labels

    def below(self, label: int) -> int:
        """Return the labels of the classes worse than this one, as a bit set."""
        return self._below[label] & self._labels

    def unknown(self, label: int) -> int:
        """Return the labels of the classes unrelated to this one, as a bit set."""
        return self._labels & ~(self._above[label] | self._below[label] | 1 << label)

    @property
    def labels(self) -> int:
        """The labels of all classes, as a bit set."""
        return self._labels

    @property
    def complete(self) -> bool:
        """Whether the classes are totally ordered."""
        # The class found incomplete by the last call mostly still is.
        if self.size and self.unknown(self._label[self._last_incomplete]):
            return False
        incomplete = (label for label in bitset.members(self._labels) if self.unknown(label))
        label = next(incomplete, None)
        self._last_incomplete = label or 0
        return label is None

    @property
    def unknown_pairs(self) -> int:
        """The number of unrelated pairs of classes."""
        return sum(self.unknown(label).bit_count() for label in bitset.members(self._labels)) // 2

    def unrelated(self) -> Iterator[Pair]:
        """Yield the pairs of documents whose relation is not known."""
        for label in bitset.members(self._labels):
            for other in bitset.members(self.unknown(label) >> label << label):
                yield from product(self._members[label], self._members[other])

    def copeland_scores(self) -> list[int]:
        """Return Copeland scores: the known worse documents minus the known better ones, of each.

        They represent a total order exactly, and estimate it from a partial one.
        """
        sizes = np.array([len(documents) for documents in self._members], dtype=np.int64)
        labels = range(self.size)
        below = bitset.weighted_sums([self.below(label) for label in labels], sizes)
        above = bitset.weighted_sums([self.above(label) for label in labels], sizes)
        scores: list[int] = (below - above)[self._label].tolist()
        return scores

    @property
    def count(self) -> int:
        """The number of classes."""
        return self._labels.bit_count()

    def extended_by(self, comparisons: Iterable[Comparison]) -> "Order":
        """Return this order extended by the comparisons of pairs whose relation it leaves open.

        If these contradict each other, return this order itself.
        """
        extended = self.copy()
        for comparison in comparisons:
            if self.relation(comparison.first, comparison.second) is None:
                try:
                    extended.absorb(comparison.first, comparison.second, comparison.outcome)
                except Contradiction:
                    return self
        return extended
