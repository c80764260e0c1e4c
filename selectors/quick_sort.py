"""Quick-Sort-Judge: compare all with a random pivot, partition in three, and recurse.

Song et al., "Select-the-Best-Ones", Information Processing & Management 47(1), 2011. The baseline
that selectors are compared with.
"""

from typing import Any

import numpy as np

from nextpair.selectors.base import Choice, Selector, WorkerHistory
from nextpair.selectors.state import bitset
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Comparison, Outcome
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order


class _Partition:
    """Documents that are compared with one of them, the pivot.

    `unknown` are the classes that were unrelated to the pivot at the last update.
    """

    def __init__(self, documents: list[int], order: Order) -> None:
        self.pivot, *rest = documents
        self.unknown = order.unknown(order.label(self.pivot))
        self.pending = dict.fromkeys(rest)
        self.better: list[int] = []
        self.worse: list[int] = []


class QuickSort(Selector):
    """Sorts by random pivots; all comparisons with a pivot can be open at once."""

    name = "quick-sort"

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        # In a random permutation the first document of any partition is a uniformly random pivot.
        self._rank = np.random.default_rng(seed).permutation(len(documents))
        self._partitions: dict[int, _Partition] = {}
        self._partition_of: dict[int, _Partition] = {}
        self._open_partition(list(range(len(documents))))

    def _open_partition(self, documents: list[int]) -> None:
        if len(documents) < 2:
            return
        partition = _Partition(sorted(documents, key=self._rank.__getitem__), self.order)
        self._partitions[partition.pivot] = partition
        self._partition_of.update(dict.fromkeys(documents, partition))
        self._advance(partition, list(partition.pending))

    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Move the compared documents to their sides of the pivot."""
        for document in (comparison.first, comparison.second):
            partition = self._partition_of.get(document)
            if partition is not None:
                with_pivot = comparison.opponent(document) == partition.pivot
                # A comparison made elsewhere may imply relations of other documents.
                related = [document] if with_pivot else self._newly_related(partition)
                self._advance(partition, related)

    def _newly_related(self, partition: _Partition) -> list[int]:
        """List the documents of classes that became related to the pivot since the last update."""
        previous = partition.unknown
        partition.unknown = self.order.unknown(self.order.label(partition.pivot))
        labels = {
            self.order.label(label) for label in bitset.members(previous & ~partition.unknown)
        }
        return [document for label in labels for document in self.order.members(label)]

    def _advance(self, partition: _Partition, documents: list[int]) -> None:
        for document in documents:
            if document not in partition.pending:
                continue
            relation = self.order.relation(document, partition.pivot)
            if relation is not None:
                del partition.pending[document]
                if relation is Outcome.BETTER:
                    partition.better.append(document)
                elif relation is Outcome.WORSE:
                    partition.worse.append(document)
        if not partition.pending and partition.pivot in self._partitions:
            del self._partitions[partition.pivot]
            for document in (partition.pivot, *partition.better, *partition.worse):
                del self._partition_of[document]
            self._open_partition(partition.better)
            self._open_partition(partition.worse)

    def choose(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose the first comparison with a pivot that is free."""
        for partition in self._partitions.values():
            for document in partition.pending:
                if open_pairs.is_free(document, partition.pivot):
                    return self.avoid_barred(document, partition.pivot, open_pairs, rng)
        return self.idle_reason()
