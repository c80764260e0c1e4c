"""The class chain: classes that are all ordered against each other, and the clusters outside it.

A *cluster* is a class of the order that is not in the chain. What the order knows about it against
the chain is a range: at least `low` classes of the chain are above it and at most `high`. If the
two are equal its place is between two neighbours, and it joins the chain there.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from nextpair.selectors.state.judgments import Comparison, Outcome
from nextpair.selectors.state.order import Merge, Order

ClusterKind = tuple[int, ...]
"""What is known about a cluster: low, high and size; and its label if it has rivals."""


@dataclass(slots=True)
class Cluster:
    """A class outside the chain that has been compared.

    Parameters
    ----------
    rivals
        Clusters outside the chain, by label, that are known to be below this one (+1) or above it
        (-1).
    """

    low: int
    high: int
    size: int = 1
    rivals: dict[int, int] = field(default_factory=dict)


class ClassChain:
    """A fold over findings, beside the order that they went into.

    `untouched` has the labels of documents that have not been compared, as a bit set.
    """

    def __init__(self, order: Order) -> None:
        self.labels: list[int] = []
        self.sizes: list[int] = []
        self.founders: list[int] = []
        self.clusters: dict[int, Cluster] = {}
        self.untouched = order.labels
        self._order = order
        self._bits = 0
        self._kind_of: dict[int, ClusterKind] = {}
        self._labels_of: dict[ClusterKind, int] = {}
        self._changed: set[int] = set()

    def __len__(self) -> int:
        return len(self.labels)

    def kinds(self) -> list[tuple[ClusterKind, int]]:
        """List the kinds of clusters, each with the bit set of its clusters' labels."""
        for label in self._changed:
            bit = 1 << label
            old = self._kind_of.pop(label, None)
            if old is not None:
                self._labels_of[old] ^= bit
                if not self._labels_of[old]:
                    del self._labels_of[old]
            cluster = self.clusters.get(label)
            if cluster is not None:
                kind: ClusterKind = (cluster.low, cluster.high, cluster.size)
                kind = (*kind, label) if cluster.rivals else kind
                self._kind_of[label] = kind
                self._labels_of[kind] = self._labels_of.get(kind, 0) | bit
        self._changed.clear()
        # Sorted, because insertion order would depend on how often this was called.
        return sorted(self._labels_of.items())

    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Follow the order, which has just absorbed a finding or refused it."""
        first, second = comparison.first, comparison.second
        if self._order.relation(first, second) is not comparison.outcome:
            return
        if merge is not None:
            self._settle(self._merge(merge))
        elif comparison.outcome is not Outcome.TIE:
            sign = 1 if comparison.outcome is Outcome.BETTER else -1
            self._settle(self._relate(self._order.label(first), self._order.label(second), sign))

    def _touch(self, label: int) -> Cluster | None:
        """Return the cluster of a label, which is touched now; None for a class of the chain."""
        bit = 1 << label
        if self._bits & bit:
            return None
        if self.untouched & bit:
            self.untouched ^= bit
            self.clusters[label] = Cluster(0, len(self))
            self._changed.add(label)
        return self.clusters[label]

    def _relate(self, first: int, second: int, sign: int) -> list[int]:
        """Note that two classes differ; return those that are clusters."""
        cluster, rival = self._touch(first), self._touch(second)
        if cluster is not None and rival is not None:
            cluster.rivals[second] = sign
            rival.rivals[first] = -sign
            self._changed |= {first, second}
        return [label for label in (first, second) if label in self.clusters]

    def _merge(self, merge: Merge) -> list[int]:
        """Merge two classes; return the clusters whose ranges may have changed."""
        kept, gone = merge
        kept_cluster, gone_cluster = self._touch(kept), self._touch(gone)
        if kept_cluster is not None and gone_cluster is not None:
            return self._unite(kept, gone)
        joining, in_chain = (gone, kept) if kept_cluster is None else (kept, gone)
        place = self.labels.index(in_chain)
        self.labels[place] = kept
        self._bits = self._bits & ~(1 << gone) | 1 << kept
        self.sizes[place] += self.clusters[joining].size
        return self._leave(joining)

    def _unite(self, kept: int, gone: int) -> list[int]:
        """Merge two clusters."""
        cluster, absorbed = self.clusters[kept], self.clusters[gone]
        self._leave(gone)
        cluster.size += absorbed.size
        for rival, sign in absorbed.rivals.items():
            cluster.rivals[rival] = sign
            self.clusters[rival].rivals[kept] = -sign
        self._changed |= {kept, *cluster.rivals}
        return [kept, *cluster.rivals]

    def _leave(self, label: int) -> list[int]:
        """Remove a cluster, and return its rivals."""
        rivals = self.clusters.pop(label).rivals
        for rival in rivals:
            del self.clusters[rival].rivals[label]
        self._changed |= {label, *rivals}
        return list(rivals)

    def _settle(self, changed: Iterable[int]) -> None:
        """Narrow the ranges of clusters, and let those between two neighbours join the chain."""
        placed = self._narrow(changed)
        while placed:
            label = max(placed, key=lambda each: (self.clusters[each].size, -each))
            rivals = self._join(label)
            placed = self._narrow([*rivals, *(each for each in placed if each != label)])

    def _narrow(self, changed: Iterable[int]) -> list[int]:
        """Update the ranges of clusters; return those whose place in the chain is known."""
        todo = list(changed)
        placed: dict[int, None] = {}
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
                placed[label] = None
        return list(placed)

    def _join(self, label: int) -> list[int]:
        """Put a cluster into the chain, and return its rivals."""
        joining = self.clusters[label]
        place = joining.low
        rivals = self._leave(label)
        self.labels.insert(place, label)
        self.sizes.insert(place, joining.size)
        self.founders.insert(place, self._order.members(label)[0])
        self._bits |= 1 << label
        for cluster in self.clusters.values():
            cluster.low += cluster.low > place
            cluster.high += cluster.high >= place
        self._changed.update(self.clusters)
        return rivals
