"""The pairs whose answers are awaited, and what may follow from those answers.

An open pair may turn out either way. Taken as a step in both directions, the open pairs and the
order together say which relations their answers could imply: if one class can be reached from
another, asking about the two now might buy what is about to come for nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from nextpair.selectors.topic import bits
from nextpair.selectors.topic.judgments import Pair
from nextpair.selectors.topic.order import Order


class OpenPairs:
    """Pairs handed out or in the middle of voting.

    Parameters
    ----------
    wanting
        How many more votes each of these pairs can take at this moment.
    barred
        Pairs that must not go to the worker who asks, though they are not open.
    """

    def __init__(
        self, order: Order, wanting: Mapping[Pair, int], barred: Iterable[Pair] = ()
    ) -> None:
        self.wanting = wanting
        self._order = order
        self._partners: defaultdict[int, int] = defaultdict(int)
        self._barred: defaultdict[int, int] = defaultdict(int)
        self._free: dict[int, int] = {}
        for pair in wanting:
            self._link(self._partners, pair)
        for pair in barred:
            self._link(self._barred, pair)
        self._endpoints = sum(1 << label for label in self._partners)

    def _link(self, graph: defaultdict[int, int], pair: Pair) -> None:
        one, other = self._order.label(pair[0]), self._order.label(pair[1])
        if self._order.relation(one, other) is None:
            graph[one] |= 1 << other
            graph[other] |= 1 << one

    def __len__(self) -> int:
        return len(self.wanting)

    def free(self, label: int) -> int:
        """Return the classes that can usefully be compared with this one now, as a bit set."""
        if not self._partners and not self._barred:
            return self._order.unknown(label)
        found = self._free.get(label)
        if found is None:
            within_reach = self._reach(label, self._order.below) | self._reach(
                label, self._order.above
            )
            found = self._order.unknown(label) & ~(within_reach | self._barred.get(label, 0))
            self._free[label] = found
        return found

    def is_free(self, first: int, second: int) -> bool:
        """Say whether two documents can usefully be compared now."""
        one, other = self._order.label(first), self._order.label(second)
        return bool(self.free(one) >> other & 1)

    def _reach(self, label: int, onward: Callable[[int], int]) -> int:
        reached = onward(label) | 1 << label
        done = 0
        while todo := reached & self._endpoints & ~done:
            endpoint = (todo & -todo).bit_length() - 1
            done |= 1 << endpoint
            for partner in bits.members(self._partners[endpoint] & ~reached):
                reached |= onward(partner) | 1 << partner
        return reached
