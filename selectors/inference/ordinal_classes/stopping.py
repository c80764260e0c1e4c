"""The stopping rule: the expected number of misplaced documents is below a tolerance."""

from dataclasses import dataclass

import numpy as np

from nextpair.selectors.inference.numerics import Array, entropy
from nextpair.selectors.inference.ordinal_classes import places
from nextpair.selectors.inference.ordinal_classes.snapshot import ClassSnapshot

ALONE_BELOW = 0.5
"""A founder is alone in its class if fewer other members than this are expected."""


@dataclass(frozen=True, slots=True)
class ClassStoppingRule:
    """When the order of classes is certain enough.

    Parameters
    ----------
    risk
        How many documents may be misplaced, as a share of those outside the largest class: these
        are what an order is about, and with few of them each needs more certainty.
    top
        Only this many of the best documents have to be settled; 0 for all.
    """

    risk: float
    top: int = 0

    def status(self, snapshot: ClassSnapshot) -> "ClassStoppingStatus":
        """Return how far the posterior is from being certain enough."""
        width = snapshot.probabilities.shape[1]
        relevant_places = self._relevant_places(snapshot) if self.top else width
        is_partial = relevant_places < width - 1
        right, entropies = (
            _certainty_of_top(snapshot, relevant_places) if is_partial else _certainty(snapshot)
        )
        sizes, errors = snapshot.class_sizes, 1 - right
        tolerance = self.risk * max(float(sizes.sum() - sizes.max(initial=0)), 1.0)
        with_unjudged = np.where(snapshot.judged, errors, 1.0)
        return ClassStoppingStatus(entropies, errors, with_unjudged, tolerance, relevant_places)

    def _relevant_places(self, snapshot: ClassSnapshot) -> int:
        """Return the number of places down to the class of the last wanted document."""
        sizes = np.bincount(snapshot.map_class, minlength=snapshot.class_count)
        last = int(np.searchsorted(sizes.cumsum(), self.top))
        return 2 * min(last, snapshot.class_count - 1) + 2


@dataclass(frozen=True, slots=True)
class ClassStoppingStatus:
    """How far a posterior is from meeting the stopping rule.

    Parameters
    ----------
    entropies
        The entropy of each document's place, as far as it matters, in nats.
    posterior_errors
        The posterior probability that each document is misplaced.
    errors
        The same, but 1 for an unjudged document.
    tolerance
        How many documents may be misplaced.
    relevant_places
        How many places, best first, have to be told from each other.
    """

    entropies: Array
    posterior_errors: Array
    errors: Array
    tolerance: float
    relevant_places: int

    @property
    def is_met(self) -> bool:
        """Whether nothing more has to be asked."""
        return bool(self.errors.sum() <= self.tolerance)


def _certainty_of_top(snapshot: ClassSnapshot, relevant_places: int) -> tuple[Array, Array]:
    """Return the certainty and entropy of each document, with all places below the top as one."""
    probabilities = snapshot.probabilities.copy()
    for founder, merged in _without_neighbouring_gaps(snapshot).items():
        probabilities[founder] = merged
    relevant = places.merge_places(probabilities.T, relevant_places, probabilities.shape[1]).T
    right = np.maximum(relevant[:, 1::2].max(axis=1, initial=0), relevant[:, -1])
    return right, entropy(relevant)


def _certainty(snapshot: ClassSnapshot) -> tuple[Array, Array]:
    """Return the probability of each document's most likely class, and the entropy of its place."""
    right, entropies = snapshot.map_class_probability.copy(), snapshot.entropies.copy()
    for founder, merged in _without_neighbouring_gaps(snapshot).items():
        right[founder] = merged[1::2].max()
        entropies[founder] = entropy(merged)
    return right, entropies


def _without_neighbouring_gaps(snapshot: ClassSnapshot) -> dict[int, Array]:
    """Return the posterior of each lone founder with the gaps beside its class merged into it.

    In these gaps it would be a class of its own, too: all three mean the same order, so no answer
    could tell them apart.
    """
    sizes = snapshot.class_sizes.tolist()
    merged: dict[int, Array] = {}
    for number, founder in enumerate(snapshot.founders):
        place = 2 * number + 1
        if sizes[number] - snapshot.probabilities.item(founder, place) < ALONE_BELOW:
            posterior = merged.setdefault(founder, snapshot.probabilities[founder].copy())
            posterior[place] = posterior[place - 1 : place + 2].sum()
            posterior[[place - 1, place + 1]] = 0
    return merged
