"""When it is enough: how certain the places of which documents must be."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nextpair.selectors.placing import places
from nextpair.selectors.placing.beliefs import Beliefs
from nextpair.selectors.placing.places import Array
from nextpair.selectors.topic.judgments import Pair

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

    def look(self, beliefs: Beliefs) -> "Reach":
        """Say how far beliefs are from it."""
        wanted = self._wanted(beliefs)
        right: Array = wanted[:, 1::2].max(axis=1, initial=0)
        if self.top:
            right = np.maximum(right, wanted[:, -1])
        counts = beliefs.counts
        most = self.risk * max(float(counts.sum() - counts.max(initial=0)), 1.0)
        return Reach(wanted, 1 - right, np.where(beliefs.judged, 1 - right, 1.0), most)

    def _wanted(self, beliefs: Beliefs) -> Array:
        surely = _beside_nobody(beliefs)
        if not self.top:
            return surely
        # The class that the last of the wanted documents is in.
        sizes = np.bincount(beliefs.likeliest, minlength=beliefs.classes)
        last = int(np.searchsorted(sizes.cumsum(), self.top))
        start = 2 * min(last, beliefs.classes - 1) + 2
        return places.gather(surely, start, surely.shape[1])


@dataclass(frozen=True, slots=True)
class Reach:
    """How far beliefs are from a goal.

    Parameters
    ----------
    wanted
        Beliefs over the places that matter; all that are worse are one, the last.
    doubts
        How likely each document is not where it seems to be, judged or not.
    errors
        The same; 1 before anybody has judged it.
    most
        How many documents may be misplaced.
    """

    wanted: Array
    doubts: Array
    errors: Array
    most: float

    @property
    def enough(self) -> bool:
        """Whether nothing more needs to be asked."""
        return bool(self.errors.sum() <= self.most)

    def enough_without(self, pairs: Iterable[Pair]) -> bool:
        """Say whether it would be enough if nothing were in doubt about some pairs."""
        errors = self.errors.copy()
        for pair in pairs:
            errors[list(pair)] = 0
        return bool(errors.sum() <= self.most)


def _beside_nobody(beliefs: Beliefs) -> Array:
    """Return beliefs in which who is alone in a class is not told from who would be beside it.

    Both mean the same order, so no answer could decide between them.
    """
    surely, counts = beliefs.beliefs.copy(), beliefs.counts
    for number, founder in enumerate(beliefs.founders):
        place = 2 * number + 1
        if counts[number] - surely[founder, place] < ALONE:
            surely[founder, place] = surely[founder, place - 1 : place + 2].sum()
            surely[founder, [place - 1, place + 1]] = 0
    return surely
