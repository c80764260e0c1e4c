"""Counts of judged, inferred and all pairs in a matrix that is small enough to be drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Pair
from nextpair.selectors.state.order import Order

Counts = NDArray[np.int64]
_ROWS = 256
"""Documents processed together: all pairs at once take too much memory."""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts of pairs of documents by the bins of the two.

    Parameters
    ----------
    bins
        The first document of each bin, and the end of the last bin.
    judged, inferred, pairs
        Symmetric matrices with a row and a column per bin: pairs with an answer, pairs with a known
        relation and no answer, and all pairs.
    """

    bins: tuple[int, ...]
    judged: Counts
    inferred: Counts
    pairs: Counts


def count_pairs(
    order: Order, asked: Iterable[Pair], documents: Sequence[int], max_bins: int
) -> PairCounts:
    """Count the pairs of a topic.

    Parameters
    ----------
    asked
        The pairs with an answer.
    documents
        All positions, in the order of rows and columns.
    max_bins
        The maximum number of bins.
    """
    size = len(documents)
    edges = np.unique(np.linspace(0, size, min(max_bins, size) + 1).round().astype(np.int64))
    position = np.empty(size, dtype=np.int64)
    position[list(documents)] = np.arange(size)
    bin_of = np.searchsorted(edges, position, side="right") - 1
    rows = max(len(edges) - 1, 0)
    known, judged, known_judged = (np.zeros((rows, rows), dtype=np.int64) for _ in range(3))
    for first, second in {(min(pair), max(pair)) for pair in asked}:
        row, column = bin_of[first], bin_of[second]
        is_known = order.relation(first, second) is not None
        for cell in {(row, column), (column, row)}:
            judged[cell] += 1
            known_judged[cell] += is_known
    _count_known(order, bin_of, known)
    lengths = np.diff(edges)
    pairs = np.multiply.outer(lengths, lengths)
    # Within a bin each pair is counted from both sides, and each document with itself.
    np.fill_diagonal(pairs, lengths * (lengths - 1) // 2)
    np.fill_diagonal(known, np.diagonal(known) // 2)
    return PairCounts(tuple(edges.tolist()), judged, known - known_judged, pairs)


def _count_known(order: Order, bin_of: NDArray[np.int64], known: Counts) -> None:
    """Add the number of known ordered pairs of documents by their bins."""
    size, rows = len(bin_of), len(known)
    labels = np.array([order.label(document) for document in range(size)], dtype=np.intp)
    # Documents by class and bin: a relation of classes is one of all their documents.
    members = np.zeros((size, rows))
    np.add.at(members, (labels, bin_of), 1)
    for start in range(0, size, _ROWS):
        block = range(start, min(start + _ROWS, size))
        related = np.stack([_related(order, label, size) for label in block])
        # Floats multiply faster than integers, and represent these sums exactly.
        counts = members[start : start + _ROWS].T @ (related.astype(np.float64) @ members)
        known += counts.astype(np.int64)
    np.fill_diagonal(known, np.diagonal(known) - np.bincount(bin_of, minlength=rows)[:rows])


def _related(order: Order, label: int, size: int) -> NDArray[np.bool_]:
    return bitset.mask(order.above(label) | order.below(label) | 1 << label, size)
