"""Hints: what features say of each place of the chain, learnt anew now and then."""

import numpy as np

from nextpair.selectors.inference.exact_classes.class_chain import Chain
from nextpair.selectors.inference.exact_classes.cluster_posterior import look
from nextpair.selectors.inference.ordinal_classes.feature_prior import FeatureModel
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state import bitset
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.order import Order

LEAST = 4
"""Findings between two lessons, at least."""
GROWTH = 1.15
"""By how much findings grow between two lessons, later on."""
CLASSES = 32
"""Classes told apart when learning; of a longer chain, neighbours count as one."""


class Hints:
    """A fold over findings: when to learn follows from how many there were.

    Learning itself waits until someone asks, so that a fold over many findings stays fast.
    """

    def __init__(self, documents: Documents, chain: Chain, order: Order) -> None:
        self._model = FeatureModel(documents)
        self._chain = chain
        self._order = order
        self._size = len(documents)
        self._findings = 0
        self._next = LEAST
        self._columns: dict[int, int] = {}
        self._memberships = np.zeros((self._size, 0))
        self._learnt: Array | None = None
        self._placed: tuple[tuple[int, ...], Array] | None = None

    def absorb(self) -> None:
        """Count one more finding; when enough are new, take down which document is where."""
        self._findings += 1
        if self._findings >= self._next and self._model.informed:
            self._next = max(self._findings + LEAST, int(self._findings * GROWTH))
            self._take_down()

    def _take_down(self) -> None:
        classes = len(self._chain)
        columns = np.arange(classes) * min(classes, CLASSES) // max(classes, 1)
        self._columns = dict(zip(self._chain.founders, columns.tolist(), strict=True))
        found = np.zeros((self._size, min(classes, CLASSES)))
        for label, column in zip(self._chain.labels, columns, strict=True):
            found[list(self._order.members(label)), column] = 1.0
        if self._chain.clusters:
            outlook = look(self._chain, None, self._order)
            sums = np.add.reduceat(
                outlook.chances[:, 1::2], np.flatnonzero(np.diff(columns, prepend=-1)), axis=1
            )
            for row, shares in enumerate(sums):
                for label in bitset.members(outlook.members(row) & ~self._chain.fresh):
                    found[list(self._order.members(label))] = shares
        self._memberships = found
        self._learnt = self._placed = None

    def places(self) -> Array | None:
        """Return log P(features | place) of documents by places; None if nothing can be said."""
        if not self._model.informed or not self._columns:
            return None
        if self._learnt is None:
            self._learnt = self._model.log_likelihood(self._memberships)
        if not self._learnt.any():
            return None
        now = tuple(self._chain.founders)
        if self._placed is None or self._placed[0] != now:
            self._placed = now, self._interleaved()
        return self._placed[1]

    def _interleaved(self) -> Array:
        """Put gaps between the classes, and classes that are new since the last lesson."""
        assert self._learnt is not None
        founders = self._chain.founders
        known = [place for place, founder in enumerate(founders) if founder in self._columns]
        columns = [self._columns[founders[place]] for place in known]
        above = np.searchsorted(known, np.arange(len(founders)), side="right") - 1
        below = np.searchsorted(known, np.arange(len(founders)))
        last = len(known) - 1
        upper = self._learnt[:, [columns[max(place, 0)] for place in above]]
        lower = self._learnt[:, [columns[min(place, last)] for place in below]]
        found = np.empty((self._size, 2 * len(founders) + 1))
        found[:, 1::2] = (upper + lower) / 2
        classes = found[:, 1::2]
        found[:, 0], found[:, -1] = classes[:, 0], classes[:, -1]
        found[:, 2:-1:2] = np.logaddexp(classes[:, :-1], classes[:, 1:]) - np.log(2)
        return found
