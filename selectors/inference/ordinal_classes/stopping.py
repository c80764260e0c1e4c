"""When it is enough: how certain the places of which documents must be."""

from dataclasses import dataclass

import numpy as np

from nextpair.selectors.inference.ordinal_classes import places
from nextpair.selectors.inference.ordinal_classes.acquisition import entropy
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.ordinal_classes.snapshot import View

ALONE = 0.5
"""A founder is alone in a class that is expected to have fewer others."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What has to be reached.

    Parameters
    ----------
    risk
        How many documents may be misplaced, as a share of those outside the largest class: they are
        what an order tells of, and a topic with few of them needs more certainty about each.
    top
        Only the best so many need to be settled; 0 for all.
    """

    risk: float
    top: int = 0

    def look(self, view: View) -> "Reach":
        """Say how far beliefs are from it."""
        width = view.beliefs.shape[1]
        told_apart = self._last_wanted(view) if self.top else width
        some = told_apart < width - 1
        right, entropies = _best_of(view, told_apart) if some else _all_of(view)
        counts, doubts = view.counts, 1 - right
        most = self.risk * max(float(counts.sum() - counts.max(initial=0)), 1.0)
        return Reach(entropies, doubts, np.where(view.judged, doubts, 1.0), most, told_apart)

    def _last_wanted(self, view: View) -> int:
        """Return how many places there are up to the class that the last wanted document is in."""
        sizes = np.bincount(view.likeliest, minlength=view.classes)
        last = int(np.searchsorted(sizes.cumsum(), self.top))
        return 2 * min(last, view.classes - 1) + 2


@dataclass(frozen=True, slots=True)
class Reach:
    """How far beliefs are from a goal.

    Parameters
    ----------
    entropies
        How uncertain each document's place is, as far as it matters, in nats.
    doubts
        How likely each document is not where it seems to be, judged or not.
    errors
        The same; 1 before anybody has judged it.
    most
        How many documents may be misplaced.
    told_apart
        How many places, best first, need to be told from each other.
    """

    entropies: Array
    doubts: Array
    errors: Array
    most: float
    told_apart: int

    @property
    def enough(self) -> bool:
        """Whether nothing more needs to be asked."""
        return bool(self.errors.sum() <= self.most)


def _best_of(view: View, told_apart: int) -> tuple[Array, Array]:
    """Return the same, were all places from one on the same."""
    surely = view.beliefs.copy()
    for founder, belief in _beside_nobody(view).items():
        surely[founder] = belief
    wanted = places.gather(surely.T, told_apart, surely.shape[1]).T
    right = np.maximum(wanted[:, 1::2].max(axis=1, initial=0), wanted[:, -1])
    return right, entropy(wanted)


def _all_of(view: View) -> tuple[Array, Array]:
    """Return how surely each document is placed, and how uncertain that is."""
    right, entropies = view.of_likeliest.copy(), view.entropies.copy()
    for founder, surely in _beside_nobody(view).items():
        right[founder] = surely[1::2].max()
        entropies[founder] = entropy(surely)
    return right, entropies


def _beside_nobody(view: View) -> dict[int, Array]:
    """Return beliefs in which who is alone in a class is not told from who would be beside it.

    Both mean the same order, so no answer could decide between them.
    """
    counts = view.counts.tolist()
    found: dict[int, Array] = {}
    for number, founder in enumerate(view.founders):
        place = 2 * number + 1
        if counts[number] - view.beliefs.item(founder, place) < ALONE:
            surely = found.setdefault(founder, view.beliefs[founder].copy())
            surely[place] = surely[place - 1 : place + 2].sum()
            surely[[place - 1, place + 1]] = 0
    return found
