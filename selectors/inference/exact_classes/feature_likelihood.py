"""The likelihood of documents' features at each place of the chain, fitted from time to time."""

import numpy as np

from nextpair.selectors.inference.exact_classes.class_chain import ClassChain
from nextpair.selectors.inference.exact_classes.cluster_posterior import compute_posterior
from nextpair.selectors.inference.numerics import Array
from nextpair.selectors.inference.ordinal_classes.feature_prior import FeatureModel
from nextpair.selectors.state import bitset
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.order import Order

MIN_NEW_FINDINGS = 4
"""The number of findings between two fits, at least."""
REFIT_GROWTH = 1.15
"""The factor by which findings grow between two fits, later on."""
MAX_CLASSES = 32
"""The number of classes in a fit; neighbours in a longer chain count as one."""


class FeatureLikelihood:
    """A fold over findings: when to fit follows from how many there were.

    The fit itself waits until the likelihood is read, so that folding many findings stays fast.
    """

    def __init__(self, documents: Documents, chain: ClassChain, order: Order) -> None:
        self._model = FeatureModel(documents)
        self._chain = chain
        self._order = order
        self._size = len(documents)
        self._findings = 0
        self._fit_due = MIN_NEW_FINDINGS
        # The class in the fit of each class of the chain, by founder.
        self._class_of: dict[int, int] = {}
        self._memberships = np.zeros((self._size, 0))
        self._of_classes: Array | None = None
        self._of_places: tuple[tuple[int, ...], Array] | None = None

    def absorb(self) -> None:
        """Count one more finding; when enough are new, note which document is where."""
        self._findings += 1
        if self._findings >= self._fit_due and self._model.is_informative:
            grown = int(self._findings * REFIT_GROWTH)
            self._fit_due = max(self._findings + MIN_NEW_FINDINGS, grown)
            self._note_memberships()

    def _note_memberships(self) -> None:
        classes = len(self._chain)
        columns = np.arange(classes) * min(classes, MAX_CLASSES) // max(classes, 1)
        self._class_of = dict(zip(self._chain.founders, columns.tolist(), strict=True))
        memberships = np.zeros((self._size, min(classes, MAX_CLASSES)))
        for label, column in zip(self._chain.labels, columns, strict=True):
            memberships[list(self._order.members(label)), column] = 1.0
        if self._chain.clusters:
            posterior = compute_posterior(self._chain, None, self._order)
            starts = np.flatnonzero(np.diff(columns, prepend=-1))
            of_clusters = np.add.reduceat(posterior.probabilities[:, 1::2], starts, axis=1)
            for row, shares in enumerate(of_clusters):
                for label in bitset.members(posterior.members(row) & ~self._chain.untouched):
                    memberships[list(self._order.members(label))] = shares
        self._memberships = memberships
        self._of_classes = self._of_places = None

    def by_place(self) -> Array | None:
        """Return log P(features | place) of documents by places; None if it is uninformative."""
        if not self._model.is_informative or not self._class_of:
            return None
        if self._of_classes is None:
            self._of_classes = self._model.log_likelihood(self._memberships)
        if not self._of_classes.any():
            return None
        founders = tuple(self._chain.founders)
        if self._of_places is None or self._of_places[0] != founders:
            self._of_places = founders, self._interpolate(self._of_classes)
        return self._of_places[1]

    def _interpolate(self, of_classes: Array) -> Array:
        """Add gaps between the classes, and the classes that are new since the last fit."""
        founders = self._chain.founders
        known = [place for place, founder in enumerate(founders) if founder in self._class_of]
        columns = [self._class_of[founders[place]] for place in known]
        above = np.searchsorted(known, np.arange(len(founders)), side="right") - 1
        below = np.searchsorted(known, np.arange(len(founders)))
        last = len(known) - 1
        upper = of_classes[:, [columns[max(place, 0)] for place in above]]
        lower = of_classes[:, [columns[min(place, last)] for place in below]]
        of_places = np.empty((self._size, 2 * len(founders) + 1))
        of_places[:, 1::2] = (upper + lower) / 2
        classes = of_places[:, 1::2]
        of_places[:, 0], of_places[:, -1] = classes[:, 0], classes[:, -1]
        of_places[:, 2:-1:2] = np.logaddexp(classes[:, :-1], classes[:, 1:]) - np.log(2)
        return of_places
