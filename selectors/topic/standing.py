"""Where each document stands: the best and the worst rank it can still have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.topic.order import Order


@dataclass(frozen=True, slots=True)
class Standing:
    """Ranks by document; a rank is one more than the number of better documents.

    Parameters
    ----------
    best, worst
        The ranks that are still possible; they are equal once a document is settled.
    known_pairs
        How many pairs of documents have a known relation.
    """

    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    known_pairs: int

    @property
    def settled(self) -> int:
        """How many documents have only one rank left."""
        return int((self.best == self.worst).sum())


def standing(order: Order) -> Standing:
    """Say what an order leaves open about each document."""
    size = order.size
    labels = np.array([order.label(document) for document in range(size)], dtype=np.intp)
    sizes = np.bincount(labels, minlength=size).astype(np.int64)
    above = _weigh([order.above(label) for label in range(size)], sizes)[labels]
    below = _weigh([order.below(label) for label in range(size)], sizes)[labels]
    own = sizes[labels]
    known = int((above + below + own - 1).sum()) // 2
    return Standing(1 + above, size - below - own + 1, known)


def _weigh(sets: list[int], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add up the sizes of the classes in each bit set."""
    width = (len(sizes) + 7) // 8
    packed = np.frombuffer(b"".join(one.to_bytes(width, "little") for one in sets), np.uint8)
    weights = np.zeros(len(sets), dtype=np.int64)
    # A few rows at a time: all of them at once would take eight times the memory of the order.
    for start in range(0, len(sets), 256):
        rows = packed[start * width : (start + 256) * width].reshape(-1, width)
        bits = np.unpackbits(rows, axis=1, bitorder="little")[:, : len(sizes)]
        weights[start : start + 256] = bits.astype(np.int64) @ sizes
    return weights
