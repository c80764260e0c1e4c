"""Which pairs are judged, which follow from those and which are open, small enough to be drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Pair
from nextpair.selectors.state.order import Order

Counts = NDArray[np.int64]
_ROWS = 256
"""Documents looked at together: all pairs at once would take too much memory."""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of documents, counted for each two bins of documents that stand together.

    Parameters
    ----------
    bins
        Where each bin begins among the documents, and where the last one ends.
    judged, inferred, pairs
        A row and a column per bin: pairs people were asked about, pairs that are known without, and
        all pairs there are. Both sides of the diagonal say the same.
    """

    bins: tuple[int, ...]
    judged: Counts
    inferred: Counts
    pairs: Counts


def count_pairs(
    order: Order, asked: Iterable[Pair], documents: Sequence[int], most: int
) -> PairCounts:
    """Count the pairs of a topic.

    Parameters
    ----------
    asked
        The pairs with an answer.
    documents
        All positions, in the order of rows and columns.
    most
        How many rows there are at most.
    """
    size = len(documents)
    edges = np.unique(np.linspace(0, size, min(most, size) + 1).round().astype(np.int64))
    place = np.empty(size, dtype=np.int64)
    place[list(documents)] = np.arange(size)
    bin_of = np.searchsorted(edges, place, side="right") - 1
    rows = max(len(edges) - 1, 0)
    known, judged, seen = (np.zeros((rows, rows), dtype=np.int64) for _ in range(3))
    for first, second in {(min(pair), max(pair)) for pair in asked}:
        one, other = bin_of[first], bin_of[second]
        told = order.relation(first, second) is not None
        for cell in {(one, other), (other, one)}:
            judged[cell] += 1
            seen[cell] += told
    _count_known(order, bin_of, known)
    lengths = np.diff(edges)
    pairs = np.multiply.outer(lengths, lengths)
    # Within a bin a pair is met from both sides, and a document with itself.
    np.fill_diagonal(pairs, lengths * (lengths - 1) // 2)
    np.fill_diagonal(known, np.diagonal(known) // 2)
    return PairCounts(tuple(edges.tolist()), judged, known - seen, pairs)


def _count_known(order: Order, bin_of: NDArray[np.int64], known: Counts) -> None:
    """Add, for each two bins, how often a document of one is known against one of the other."""
    size, rows = len(bin_of), len(known)
    labels = np.array([order.label(document) for document in range(size)], dtype=np.intp)
    # How many documents of a class are in a bin: what is known of a class is known of them all.
    inside = np.zeros((size, rows))
    np.add.at(inside, (labels, bin_of), 1)
    for start in range(0, size, _ROWS):
        block = range(start, min(start + _ROWS, size))
        related = np.stack([_related(order, label, size) for label in block])
        # Real numbers multiply faster than whole ones, and hold these sums exactly.
        found = inside[start : start + _ROWS].T @ (related.astype(np.float64) @ inside)
        known += found.astype(np.int64)
    np.fill_diagonal(known, np.diagonal(known) - np.bincount(bin_of, minlength=rows)[:rows])


def _related(order: Order, label: int, size: int) -> NDArray[np.bool_]:
    return bitset.mask(order.above(label) | order.below(label) | 1 << label, size)
