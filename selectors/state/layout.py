"""The layout of a partial order: a chain of classes, and the places possible for other documents.

A chain of K classes makes 2K + 1 places, best first: a class at every odd place, and at every even
one the gap before, between or after classes.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.order import Order


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Documents that may belong at any place of an interval, both ends included."""

    documents: tuple[int, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class OrderLayout:
    """A chain of classes, best first, and the documents outside it."""

    classes: list[tuple[int, ...]]
    unplaced: list[Unplaced]


def lay_out(order: Order, place_intervals: NDArray[np.int64] | None = None) -> OrderLayout:
    """Lay out an order.

    Parameters
    ----------
    place_intervals
        The first and the last place of each document outside the chain, if more is known of it
        than the order says.
    """
    labels = _greedy_chain(order)
    chain = bitset.of(labels)
    by_interval: dict[tuple[int, int], list[int]] = defaultdict(list)
    for label in bitset.members(order.labels & ~chain):
        interval = _possible_interval(order, label, labels)
        for document in order.members(label):
            if place_intervals is not None:
                interval = int(place_intervals[document, 0]), int(place_intervals[document, 1])
            by_interval[interval].append(document)
    unplaced = [
        Unplaced(tuple(sorted(documents)), *interval)
        for interval, documents in sorted(by_interval.items())
    ]
    return OrderLayout([order.members(label) for label in labels], unplaced)


def lay_out_levels(levels: NDArray[np.int64]) -> OrderLayout:
    """Lay out groups of equal scores: level 1 is the best; documents of level 0 may be anywhere."""
    count = int(levels.max(initial=0))
    classes = [tuple(np.flatnonzero(levels == level).tolist()) for level in range(1, count + 1)]
    unjudged = tuple(np.flatnonzero(levels == 0).tolist())
    return OrderLayout(classes, [Unplaced(unjudged, 0, 2 * count)] if unjudged else [])


def placed_documents(order: Order) -> list[int]:
    """List the documents of the chain."""
    return [document for label in _greedy_chain(order) for document in order.members(label)]


def _greedy_chain(order: Order) -> list[int]:
    """Choose classes that are pairwise ordered, greedily by the number of their known relations."""

    def count_relations(label: int) -> int:
        return order.above(label).bit_count() + order.below(label).bit_count()

    def rank(label: int) -> tuple[int, int, int]:
        return -count_relations(label), -len(order.members(label)), label

    labels = bitset.members(order.labels)
    chosen, taken = list[int](), 0
    for label in sorted(labels, key=rank):
        informative = count_relations(label) or len(order.members(label)) > 1 or len(labels) == 1
        if informative and not order.unknown(label) & taken:
            chosen.append(label)
            taken |= 1 << label
    return sorted(chosen, key=lambda label: (order.above(label) & taken).bit_count())


def _possible_interval(order: Order, label: int, chain: list[int]) -> tuple[int, int]:
    above, below = order.above(label), order.below(label)
    better = [place for place, member in enumerate(chain) if above >> member & 1]
    worse = [place for place, member in enumerate(chain) if below >> member & 1]
    return 2 * (better[-1] + 1 if better else 0), 2 * (worse[0] if worse else len(chain))
