"""The pairs whose answers are awaited, and what may follow from those answers.

An open pair may turn out either way. Taken as a step in both directions, the open pairs and the
order together say which relations their answers could imply: if one class can be reached from
another, asking about the two now might buy what is about to come for nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Pair, unordered
from nextpair.selectors.state.order import Order

Direction = Callable[[int], int]
"""From a class to those above it, or to those below."""


class OpenPairs:
    """Pairs handed out or in the middle of voting.

    Parameters
    ----------
    wanting
        How many more votes each of these pairs can take at this moment.
    barred
        Pairs, smaller position first, that must not go to the worker who asks.
    """

    def __init__(
        self, order: Order, wanting: Mapping[Pair, int], barred: Iterable[Pair] = ()
    ) -> None:
        self.wanting = wanting
        self.barred = frozenset(barred)
        self._order = order
        joined = _join(self._unknown(wanting))
        self._below = _Reach(order.below, joined)
        self._above = _Reach(order.above, joined)
        self._closed = self._all_barred()
        self._free: dict[int, int] = {}

    def _unknown(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the classes of those pairs whose relation is not known."""
        for first, second in pairs:
            if self._order.relation(first, second) is None:
                yield self._order.label(first), self._order.label(second)

    def _all_barred(self) -> dict[int, int]:
        """Find the classes no two of whose documents may be compared."""
        counts = Counter(unordered(*labels) for labels in self._unknown(self.barred))
        closed: dict[int, int] = {}
        for (one, other), count in counts.items():
            if count == len(self._order.members(one)) * len(self._order.members(other)):
                closed[one] = closed.get(one, 0) | 1 << other
                closed[other] = closed.get(other, 0) | 1 << one
        return closed

    def free(self, label: int) -> int:
        """Return the classes that can usefully be compared with this one now, as a bit set."""
        found = self._free.get(label)
        if found is None:
            busy = self._below.of(label) | self._above.of(label) | self._closed.get(label, 0)
            found = self._free[label] = self._order.unknown(label) & ~busy
        return found

    def is_free(self, first: int, second: int) -> bool:
        """Say whether two documents can usefully be compared now."""
        one, other = self._order.label(first), self._order.label(second)
        return bool(self.free(one) >> other & 1)


def _join(pairs: Iterable[Pair]) -> list[int]:
    """Join pairs that share a class: between the classes of such a set, anything may follow."""
    partners: defaultdict[int, list[int]] = defaultdict(list)
    for one, other in pairs:
        partners[one].append(other)
        partners[other].append(one)
    joined: list[int] = []
    while partners:
        classes, todo = 0, [next(iter(partners))]
        while todo:
            label = todo.pop()
            classes |= 1 << label
            todo += partners.pop(label, ())
        joined.append(classes)
    return joined


def _union(sets: Iterable[int]) -> int:
    union = 0
    for one in sets:
        union |= one
    return union


class _Reach:
    """What can be reached from a class in one direction, if open pairs lead both ways."""

    def __init__(self, onward: Direction, joined: list[int]) -> None:
        self._onward = onward
        self._joined = joined
        self._spans = [
            _union(onward(label) | 1 << label for label in bitset.members(classes))
            for classes in joined
        ]
        self._from: dict[int, int] = {}

    def of(self, label: int) -> int:
        """Return all classes that can be reached from this one, itself included."""
        start = self._onward(label) | 1 << label
        return start | _union(
            self._from_joined(place)
            for place, classes in enumerate(self._joined)
            if start & classes
        )

    def _from_joined(self, place: int) -> int:
        found = self._from.get(place)
        if found is None:
            found, left = self._spans[place], set(range(len(self._joined))) - {place}
            while touched := [other for other in left if found & self._joined[other]]:
                found |= _union(self._spans[other] for other in touched)
                left.difference_update(touched)
            self._from[place] = found
        return found
