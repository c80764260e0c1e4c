"""An order as a picture: boxes from best to worst, and between which of them the rest may belong.

Of K boxes there are 2K + 1 places, best first: a box at every odd place, and at every even one the
gap before, between or after boxes.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.order import Order


@dataclass(frozen=True, slots=True)
class Loose:
    """Documents that may belong anywhere between two places, both included."""

    documents: tuple[int, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Classes that are all ordered among each other, best first, and the documents in none."""

    boxes: list[tuple[int, ...]]
    loose: list[Loose]


def picture(order: Order, spans: NDArray[np.int64] | None = None) -> Picture:
    """Lay out an order.

    Parameters
    ----------
    spans
        The first and the last place of each document that is in no box, where more is known of it
        than the order says.
    """
    labels = _chain(order)
    boxed = bitset.of(labels)
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for label in bitset.members(order.labels & ~boxed):
        span = _between(order, label, labels)
        for document in order.members(label):
            if spans is not None:
                span = int(spans[document, 0]), int(spans[document, 1])
            found[span].append(document)
    loose = [Loose(tuple(sorted(documents)), *span) for span, documents in sorted(found.items())]
    return Picture([order.members(label) for label in labels], loose)


def picture_of_levels(levels: NDArray[np.int64]) -> Picture:
    """Lay out groups of equal scores: level 1 is the best, and level 0 may belong anywhere."""
    count = int(levels.max(initial=0))
    boxes = [tuple(np.flatnonzero(levels == one).tolist()) for one in range(1, count + 1)]
    unjudged = tuple(np.flatnonzero(levels == 0).tolist())
    return Picture(boxes, [Loose(unjudged, 0, 2 * count)] if unjudged else [])


def settled_documents(order: Order) -> list[int]:
    """List the documents in boxes."""
    return [document for label in _chain(order) for document in order.members(label)]


def _chain(order: Order) -> list[int]:
    """Choose classes that are all ordered among each other: those most is known of come first."""

    def known(label: int) -> int:
        return order.above(label).bit_count() + order.below(label).bit_count()

    labels = bitset.members(order.labels)
    chosen, taken = list[int](), 0
    for label in sorted(labels, key=lambda one: (-known(one), -len(order.members(one)), one)):
        says = known(label) or len(order.members(label)) > 1 or len(labels) == 1
        if says and not order.unknown(label) & taken:
            chosen.append(label)
            taken |= 1 << label
    return sorted(chosen, key=lambda label: (order.above(label) & taken).bit_count())


def _between(order: Order, label: int, boxes: list[int]) -> tuple[int, int]:
    above, below = order.above(label), order.below(label)
    better = [place for place, box in enumerate(boxes) if above >> box & 1]
    worse = [place for place, box in enumerate(boxes) if below >> box & 1]
    return 2 * (better[-1] + 1 if better else 0), 2 * (worse[0] if worse else len(boxes))
