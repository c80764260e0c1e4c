"""The order: tie classes and, by transitivity, which class is better than which.

A class goes by the position of one of its documents, its *label*. For every class two bit sets hold
the labels of the classes above and below it, and both are closed under transitivity at all times:
asking for a relation is one bit test, and absorbing an outcome touches only the classes that learn
something from it. The label of a class that was merged into another stays in these sets, where it
means nothing: taking it out of all of them would cost more than passing over it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.errors import Contradiction
from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Finding, Outcome, Pair


class Merge(NamedTuple):
    """Two classes became one, which goes by the first's label."""

    kept: int
    gone: int


class Order:
    """What is known about `size` documents, all of them unrelated at first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._label = list(range(size))
        self._members = [[document] for document in range(size)]
        self._above = [0] * size
        self._below = [0] * size
        self._labels = (1 << size) - 1
        self._doubtful = 0

    def copy(self) -> "Order":
        """Return an order that can learn other things than this one."""
        twin = Order(0)
        twin.size, twin._doubtful, twin._labels = self.size, self._doubtful, self._labels
        twin._label, twin._above, twin._below = self._label[:], self._above[:], self._below[:]
        twin._members = [members[:] for members in self._members]
        return twin

    @classmethod
    def of_classes(cls, size: int, classes: Sequence[Sequence[int]]) -> "Order":
        """Make the order of these classes, best first; a document in none of them is unrelated."""
        order = cls(size)
        labels = [members[0] for members in classes]
        everything = bitset.of(labels)
        above = 0
        for label, members in zip(labels, classes, strict=True):
            itself = 1 << label
            order._members[label] = list(members)
            order._above[label] = above
            order._below[label] = everything & ~(above | itself)
            above |= itself
            for document in members:
                order._label[document] = label
            for document in members[1:]:
                order._members[document] = []
            order._labels &= ~bitset.of(members[1:])
        return order

    @classmethod
    def of_intervals(cls, lows: NDArray[np.float64], highs: NDArray[np.float64]) -> "Order":
        """Make the order in which a document is better whose interval lies above another's."""
        order = cls(len(lows))
        best_first = np.argsort(-lows, kind="stable").tolist()
        # Who is above a document comes first by the lower ends, down to its upper end.
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
        """Say how two documents compare, or None where that is not known."""
        one, other = self._label[first], self._label[second]
        if one == other:
            return Outcome.TIE
        if self._below[one] >> other & 1:
            return Outcome.BETTER
        if self._above[one] >> other & 1:
            return Outcome.WORSE
        return None

    def absorb(self, first: int, second: int, outcome: Outcome) -> Merge | None:
        """Take in an outcome and all that follows from it; say which classes it merged.

        Raises
        ------
        Contradiction
            The relation is known to be another; nothing has changed.
        """
        known = self.relation(first, second)
        if known is outcome:
            return None
        if known is not None:
            raise Contradiction(f"{first} is known to be {known} against {second}, not {outcome}")
        one, other = self._label[first], self._label[second]
        if outcome is Outcome.TIE:
            return self._merge(one, other)
        if outcome is Outcome.BETTER:
            self._prefer(one, other)
        else:
            self._prefer(other, one)
        return None

    def _prefer(self, winner: int, loser: int) -> None:
        ups = self.above(winner) | 1 << winner
        downs = self.below(loser) | 1 << loser
        # Who is above the loser already is above all that is below it, and the other way round.
        self._relate(ups & ~self._above[loser], ups, downs & ~self._below[winner], downs)

    def _relate(self, new_ups: int, ups: int, new_downs: int, downs: int) -> None:
        """Put all of `ups` above all of `downs`; only those called new have anything to learn."""
        above, below = self._above, self._below
        for up in bitset.members(new_ups):
            below[up] |= downs
        for down in bitset.members(new_downs):
            above[down] |= ups

    def _merge(self, one: int, other: int) -> Merge:
        kept, gone = one, other
        if self._relations(one) < self._relations(other):
            kept, gone = other, one
        above, below = self.above(gone), self.below(gone)
        for document in self._members[gone]:
            self._label[document] = kept
        self._members[kept] += self._members[gone]
        self._members[gone] = []
        self._labels &= ~(1 << gone)
        self._above[gone] = self._below[gone] = 0
        gained_above, gained_below = above & ~self._above[kept], below & ~self._below[kept]
        # Who was above the kept class alone learns something only if there is more below it now.
        new_ups = gained_above | (self.above(kept) & ~above if gained_below else 0)
        new_downs = gained_below | (self.below(kept) & ~below if gained_above else 0)
        self._above[kept] |= above
        self._below[kept] |= below
        itself = 1 << kept
        self._relate(new_ups, self._above[kept] | itself, new_downs, self._below[kept] | itself)
        return Merge(kept, gone)

    def _relations(self, label: int) -> int:
        return self.above(label).bit_count() + self.below(label).bit_count()

    def label(self, document: int) -> int:
        """Return the label of a document's class."""
        return self._label[document]

    def members(self, label: int) -> tuple[int, ...]:
        """Return the documents of a class, in the order in which they joined it."""
        return tuple(self._members[label])

    def above(self, label: int) -> int:
        """Return the labels of the classes better than this one, as a bit set."""
        return self._above[label] & self._labels

    def below(self, label: int) -> int:
        """Return the labels of the classes worse than this one, as a bit set."""
        return self._below[label] & self._labels

    def unknown(self, label: int) -> int:
        """Return the labels of the classes not yet compared with this one, as a bit set."""
        return self._labels & ~(self._above[label] | self._below[label] | 1 << label)

    @property
    def labels(self) -> int:
        """The labels of all classes, as a bit set."""
        return self._labels

    @property
    def complete(self) -> bool:
        """Whether every two classes are ordered."""
        # Who had something left to be compared with when last asked mostly still has.
        if self.size and self.unknown(self._label[self._doubtful]):
            return False
        left = (label for label in bitset.members(self._labels) if self.unknown(label))
        found = next(left, None)
        self._doubtful = found or 0
        return found is None

    @property
    def unknown_pairs(self) -> int:
        """How many pairs of classes are not yet ordered."""
        return sum(self.unknown(label).bit_count() for label in bitset.members(self._labels)) // 2

    def unrelated(self) -> Iterator[Pair]:
        """Yield the pairs of documents whose relation is not known, one after the other."""
        for label in bitset.members(self._labels):
            for other in bitset.members(self.unknown(label) >> label << label):
                yield from product(self._members[label], self._members[other])

    def net_wins(self) -> list[int]:
        """Count, for each document, the documents known to be worse minus those known to be better.

        Over a complete order this is the order itself; over a part of one, the best that can be
        said without asking more.
        """
        sizes = np.array([len(documents) for documents in self._members], dtype=np.int64)
        labels = range(self.size)
        below = bitset.weigh([self.below(label) for label in labels], sizes)
        above = bitset.weigh([self.above(label) for label in labels], sizes)
        net: list[int] = (below - above)[self._label].tolist()
        return net

    @property
    def count(self) -> int:
        """How many classes there are."""
        return self._labels.bit_count()

    def extended(self, findings: Iterable[Finding]) -> "Order":
        """Return this order and, of what it leaves open, all that findings say.

        If the findings contradict each other, this order alone.
        """
        longer = self.copy()
        for finding in findings:
            if self.relation(finding.first, finding.second) is None:
                try:
                    longer.absorb(finding.first, finding.second, finding.outcome)
                except Contradiction:
                    return self
        return longer
