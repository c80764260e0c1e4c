"""Quick-Sort-Judge: compare all with a random pivot, part in three, and go on in the outer parts.

Song et al., "Select-the-Best-Ones", Information Processing & Management 47(1), 2011. The baseline
that judging mechanisms are measured against.
"""

from typing import Any

import numpy as np

from nextpair.selectors.base import Choice, Selector, Worker
from nextpair.selectors.state import bitset
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Finding, Outcome
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order


class _Part:
    """Documents that are compared with one of them, the pivot.

    `unknown` are the classes that were not yet compared with it when last looked at.
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
        # In one random permutation the first document of any part is a uniformly random pivot.
        self._rank = np.random.default_rng(seed).permutation(len(documents))
        self._parts: dict[int, _Part] = {}
        self._part_of: dict[int, _Part] = {}
        self._open_part(list(range(len(documents))))

    def _open_part(self, documents: list[int]) -> None:
        if len(documents) < 2:
            return
        part = _Part(sorted(documents, key=self._rank.__getitem__), self.order)
        self._parts[part.pivot] = part
        self._part_of.update(dict.fromkeys(documents, part))
        self._advance(part, list(part.pending))

    def absorb(self, finding: Finding, merge: Merge | None) -> None:
        """Move the compared document to its side of the pivot."""
        for document in (finding.first, finding.second):
            part = self._part_of.get(document)
            if part is not None:
                asked_here = finding.opponent(document) == part.pivot
                # An answer that came from elsewhere may have told more than its own two documents.
                self._advance(part, [document] if asked_here else self._learned(part))

    def _learned(self, part: _Part) -> list[int]:
        """List the documents of all classes that have been compared with the pivot since."""
        before, part.unknown = part.unknown, self.order.unknown(self.order.label(part.pivot))
        labels = {self.order.label(old) for old in bitset.members(before & ~part.unknown)}
        return [document for label in labels for document in self.order.members(label)]

    def _advance(self, part: _Part, documents: list[int]) -> None:
        for document in documents:
            if document not in part.pending:
                continue
            relation = self.order.relation(document, part.pivot)
            if relation is not None:
                del part.pending[document]
                if relation is Outcome.BETTER:
                    part.better.append(document)
                elif relation is Outcome.WORSE:
                    part.worse.append(document)
        if not part.pending and part.pivot in self._parts:
            del self._parts[part.pivot]
            for document in (part.pivot, *part.better, *part.worse):
                del self._part_of[document]
            self._open_part(part.better)
            self._open_part(part.worse)

    def choose(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Choose the first comparison with a pivot that is not open yet."""
        for part in self._parts.values():
            for document in part.pending:
                if open_pairs.is_free(document, part.pivot):
                    return self.unbarred(document, part.pivot, open_pairs, rng)
        return self.pause()
