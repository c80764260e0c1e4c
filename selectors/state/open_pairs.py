"""Open pairs: those whose answers are awaited, and the relations that may follow from the answers.

An open pair may turn out either way. With each open pair as an edge in both directions,
reachability in the graph of open pairs and order tells which relations the answers could imply: if
one class can be reached from another, asking about the two now may buy what is about to follow for
free.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Pair, unordered
from nextpair.selectors.state.order import Order

Direction = Callable[[int], int]
"""From a class to those above it, or to those below."""


class OpenPairs:
    """Pairs that workers hold, or with only a part of their votes.

    Parameters
    ----------
    votes_wanted
        How many more votes each of these pairs can take at this moment.
    barred
        Pairs, smaller position first, that must not be put to the worker who asks.
    leased
        Every pair that a worker holds, once for each holder.
    """

    def __init__(
        self,
        order: Order,
        votes_wanted: Mapping[Pair, int],
        barred: Iterable[Pair] = (),
        leased: Iterable[Pair] = (),
    ) -> None:
        self.votes_wanted = votes_wanted
        self.barred = frozenset(barred)
        self.leased = Counter(unordered(*pair) for pair in leased)
        self._order = order
        self._free: dict[int, int] = {}

    @cached_property
    def _components(self) -> list[int]:
        return _connected_components(self._unrelated_classes(self.votes_wanted))

    @cached_property
    def _below(self) -> "_Reachability":
        return _Reachability(self._order.below, self._components)

    @cached_property
    def _above(self) -> "_Reachability":
        return _Reachability(self._order.above, self._components)

    def _unrelated_classes(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the classes of those pairs whose relation is not known."""
        for first, second in pairs:
            if self._order.relation(first, second) is None:
                yield self._order.label(first), self._order.label(second)

    @cached_property
    def _closed(self) -> dict[int, int]:
        """For each class, the classes with which all its pairs of documents are barred."""
        counts = Counter(unordered(*labels) for labels in self._unrelated_classes(self.barred))
        closed: dict[int, int] = {}
        for (first, second), count in counts.items():
            if count == len(self._order.members(first)) * len(self._order.members(second)):
                closed[first] = closed.get(first, 0) | 1 << second
                closed[second] = closed.get(second, 0) | 1 << first
        return closed

    def free(self, label: int) -> int:
        """Return the classes that can usefully be compared with this one now, as a bit set."""
        free = self._free.get(label)
        if free is None:
            reachable = self._below.of(label) | self._above.of(label)
            busy = reachable | self._closed.get(label, 0)
            free = self._free[label] = self._order.unknown(label) & ~busy
        return free

    def is_free(self, first: int, second: int) -> bool:
        """Return whether two documents can usefully be compared now."""
        first_label, second_label = self._order.label(first), self._order.label(second)
        return bool(self.free(first_label) >> second_label & 1)


def _connected_components(pairs: Iterable[Pair]) -> list[int]:
    """Return the connected components of a graph of classes, as bit sets.

    Within a component any relation may follow.
    """
    neighbours: defaultdict[int, list[int]] = defaultdict(list)
    for first, second in pairs:
        neighbours[first].append(second)
        neighbours[second].append(first)
    components: list[int] = []
    while neighbours:
        component, stack = 0, [next(iter(neighbours))]
        while stack:
            label = stack.pop()
            component |= 1 << label
            stack += neighbours.pop(label, ())
        components.append(component)
    return components


def _union(sets: Iterable[int]) -> int:
    union = 0
    for bits in sets:
        union |= bits
    return union


class _Reachability:
    """What can be reached from a class in one direction, if open pairs lead both ways."""

    def __init__(self, onward: Direction, components: list[int]) -> None:
        self._onward = onward
        self._components = components
        self._onward_of = [
            _union(onward(label) | 1 << label for label in bitset.members(classes))
            for classes in components
        ]
        self._reachable: dict[int, int] = {}

    def of(self, label: int) -> int:
        """Return all classes that can be reached from this one, itself included."""
        start = self._onward(label) | 1 << label
        return start | _union(
            self._from_component(index)
            for index, classes in enumerate(self._components)
            if start & classes
        )

    def _from_component(self, index: int) -> int:
        reachable = self._reachable.get(index)
        if reachable is None:
            reachable = self._onward_of[index]
            remaining = set(range(len(self._components))) - {index}
            while touched := [i for i in remaining if reachable & self._components[i]]:
                reachable |= _union(self._onward_of[i] for i in touched)
                remaining.difference_update(touched)
            self._reachable[index] = reachable
        return reachable
