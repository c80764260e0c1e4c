"""The chain: classes that are all ordered against each other, and the clusters still outside it.

A *cluster* is a class of the order that is not in the chain. What the order knows of it against
the chain is a range: at least `low` classes of the chain are above it and at most `high`; if the
two are equal it belongs between two neighbours, and joins the chain there.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from nextpair.selectors.state.judgments import Finding, Outcome
from nextpair.selectors.state.order import Merge, Order

Kind = tuple[int, ...]
"""What is known of a cluster: low, high and size, and its label if that is not all."""


@dataclass(slots=True)
class Cluster:
    """A class outside the chain that a finding has been about.

    Parameters
    ----------
    rivals
        Clusters that findings put below this one (+1) or above it (-1), by label.
    """

    low: int
    high: int
    size: int = 1
    rivals: dict[int, int] = field(default_factory=dict)


class Chain:
    """A fold over findings, beside the order that they went into."""

    def __init__(self, order: Order) -> None:
        self.labels: list[int] = []
        self.sizes: list[int] = []
        self.founders: list[int] = []
        self.clusters: dict[int, Cluster] = {}
        self.fresh = order.labels
        self._order = order
        self._bits = 0
        self._kinds: dict[int, Kind] = {}
        self._alike: dict[Kind, int] = {}
        self._changed: set[int] = set()

    def __len__(self) -> int:
        return len(self.labels)

    def alike(self) -> list[tuple[Kind, int]]:
        """List the kinds of clusters there are, each with the set of those that are of it."""
        for label in self._changed:
            bit = 1 << label
            old = self._kinds.pop(label, None)
            if old is not None:
                self._alike[old] ^= bit
                if not self._alike[old]:
                    del self._alike[old]
            cluster = self.clusters.get(label)
            if cluster is not None:
                kind: Kind = (cluster.low, cluster.high, cluster.size)
                kind = (*kind, label) if cluster.rivals else kind
                self._kinds[label] = kind
                self._alike[kind] = self._alike.get(kind, 0) | bit
        self._changed.clear()
        # Sorted, because their order otherwise tells how often somebody asked.
        return sorted(self._alike.items())

    def absorb(self, finding: Finding, merge: Merge | None) -> None:
        """Follow the order, which has just taken in a finding or refused it."""
        first, second = finding.first, finding.second
        if self._order.relation(first, second) is not finding.outcome:
            return
        if merge is not None:
            self._settle(self._merge(merge))
        elif finding.outcome is not Outcome.TIE:
            one, other = self._order.label(first), self._order.label(second)
            sign = 1 if finding.outcome is Outcome.BETTER else -1
            self._settle(self._relate(one, other, sign))

    def _touch(self, label: int) -> Cluster | None:
        """Return a cluster, no longer fresh; None for a class of the chain."""
        bit = 1 << label
        if self._bits & bit:
            return None
        if self.fresh & bit:
            self.fresh ^= bit
            self.clusters[label] = Cluster(0, len(self))
            self._changed.add(label)
        return self.clusters[label]

    def _relate(self, one: int, other: int, sign: int) -> list[int]:
        cluster, rival = self._touch(one), self._touch(other)
        if cluster is not None and rival is not None:
            cluster.rivals[other] = sign
            rival.rivals[one] = -sign
            self._changed |= {one, other}
        return [label for label in (one, other) if label in self.clusters]

    def _merge(self, merge: Merge) -> list[int]:
        """Make one of two; say which clusters may have learnt from it."""
        kept, gone = merge
        cluster, other = self._touch(kept), self._touch(gone)
        if cluster is not None and other is not None:
            return self._unite(kept, gone)
        joining, place = (gone, kept) if cluster is None else (kept, gone)
        where = self.labels.index(place)
        self.labels[where] = kept
        self._bits = self._bits & ~(1 << gone) | 1 << kept
        self.sizes[where] += self.clusters[joining].size
        return self._leave(joining)

    def _unite(self, kept: int, gone: int) -> list[int]:
        cluster, other = self.clusters[kept], self.clusters[gone]
        self._leave(gone)
        cluster.size += other.size
        for rival, sign in other.rivals.items():
            cluster.rivals[rival] = sign
            self.clusters[rival].rivals[kept] = -sign
        self._changed |= {kept, *cluster.rivals}
        return [kept, *cluster.rivals]

    def _leave(self, label: int) -> list[int]:
        """Take a cluster out, and return those it had been compared with."""
        rivals = self.clusters.pop(label).rivals
        for rival in rivals:
            del self.clusters[rival].rivals[label]
        self._changed |= {label, *rivals}
        return list(rivals)

    def _settle(self, doubtful: Iterable[int]) -> None:
        """Let clusters learn from each other, and those between two neighbours join the chain."""
        found = self._narrow(doubtful)
        while found:
            label = max(found, key=lambda each: (self.clusters[each].size, -each))
            again = self._join(label)
            found = self._narrow([*again, *(each for each in found if each != label)])

    def _narrow(self, doubtful: Iterable[int]) -> list[int]:
        """Bring ranges up to date; return the clusters whose place in the chain is known."""
        todo = list(doubtful)
        found: dict[int, None] = {}
        while todo:
            label = todo.pop()
            cluster = self.clusters[label]
            low = (self._order.above(label) & self._bits).bit_count()
            high = len(self) - (self._order.below(label) & self._bits).bit_count()
            if (low, high) != (cluster.low, cluster.high):
                cluster.low, cluster.high = low, high
                self._changed.add(label)
                todo += cluster.rivals
            if low == high:
                found[label] = None
        return list(found)

    def _join(self, label: int) -> list[int]:
        new = self.clusters[label]
        place = new.low
        again = self._leave(label)
        self.labels.insert(place, label)
        self.sizes.insert(place, new.size)
        self.founders.insert(place, self._order.members(label)[0])
        self._bits |= 1 << label
        for cluster in self.clusters.values():
            cluster.low += cluster.low > place
            cluster.high += cluster.high >= place
        self._changed.update(self.clusters)
        return again
