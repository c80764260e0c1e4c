"""Where each document stands: the best and the worst rank it can still have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.order import Order


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
    above = bitset.weigh([order.above(label) for label in range(size)], sizes)[labels]
    below = bitset.weigh([order.below(label) for label in range(size)], sizes)[labels]
    own = sizes[labels]
    known = int((above + below + own - 1).sum()) // 2
    return Standing(1 + above, size - below - own + 1, known)
