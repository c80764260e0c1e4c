"""What it is worth to ask how a cluster compares with a class of the chain or another cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.exact_classes.cluster_posterior import Outlook, sides, ties
from nextpair.selectors.inference.ordinal_classes.places import Array

Places = NDArray[np.intp]

SURE = 1e6
"""The worth of a pair that must be a tie: it costs nothing that could be saved."""
RIVALS = 64
"""Rows whose clusters are compared with each other, at most."""
BATCH = 64
"""Candidates sorted before all the others are."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs that could be asked.

    Parameters
    ----------
    rows
        The outlook's row of one side.
    partners
        The other side: a class of the chain, or one of `classes` and more: a row after these.
    """

    worth: Array
    rows: Places
    partners: Places
    classes: int

    def best_first(self, busy: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield what is worth anything, as rows and partners, but for rows that are busy."""
        worth = self.worth
        if busy:
            avoided = [*busy, *(row + self.classes for row in busy)]
            taken = np.zeros(self.classes + int(self.rows.max(initial=0)) + 1, dtype=np.bool_)
            taken[avoided] = True
            own = taken[self.classes :][self.rows]
            other = (self.partners >= self.classes) & taken[self.partners]
            worth = np.where(own | other, 0.0, worth)
        for place in _descending(worth):
            yield int(self.rows[place]), int(self.partners[place])


def candidates(outlook: Outlook) -> Candidates:
    """Weigh every cluster against every class, and the clusters nearest to each class together."""
    chances = outlook.chances
    count, classes = len(chances), chances.shape[1] // 2
    tie, above = chances[:, 1::2], np.cumsum(chances, axis=1)[:, 0:-1:2]
    with_classes = np.where(tie > 0, worth(tie, above, np.maximum(1 - tie - above, 0.0)), 0.0)
    rivals = _rivals(chances)
    ones, others = np.triu_indices(len(rivals))
    rows, partners = rivals[ones], rivals[others]
    return Candidates(
        np.concatenate([with_classes.ravel(), _among(outlook, rivals)[ones, others]]),
        np.concatenate([np.repeat(np.arange(count), classes), rows]),
        np.concatenate([np.tile(np.arange(classes), count), partners + classes]),
        classes,
    )


def _rivals(chances: Array) -> Places:
    """Pick the rows to weigh against each other: those surest of each of the likeliest places."""
    if len(chances) <= RIVALS:
        return np.arange(len(chances))
    places = np.argsort(-chances.sum(axis=0))[:8]
    each = RIVALS // len(places)
    surest = np.argpartition(-chances[:, places], each, axis=0)[:each]
    return np.unique(surest)


def _among(outlook: Outlook, rivals: Places) -> Array:
    chances = outlook.chances[rivals]
    above = chances @ sides(chances)[0].T
    found = worth(ties(chances, chances), above, above.T)
    where = {int(row): place for place, row in enumerate(rivals)}
    for row, place in where.items():
        if row not in outlook.groups:
            found[place, place] = 0.0
    for row, rival in outlook.known:
        if row in where and rival in where:
            found[where[row], where[rival]] = 0.0
    return found


def worth(tie: Array, above: Array, below: Array) -> Array:
    """Return the bits of an answer for each answer that is not a tie."""
    apart = above + below
    entropy = _bits(tie) + _bits(above) + _bits(below)
    sure = apart < 1e-12
    return np.where(sure, SURE, entropy / np.where(sure, 1.0, apart))


def _bits(chance: Array) -> Array:
    return np.asarray(-chance * np.log2(np.maximum(chance, 1e-300)))


def _descending(worth: Array) -> Iterator[int]:
    """Yield the places of all that is positive, sorting no more than is looked at."""
    if len(worth) > BATCH:
        top = np.argpartition(-worth, BATCH)[:BATCH]
        top = top[np.lexsort((top, -worth[top]))]
        yield from (place for place in top.tolist() if worth[place] > 0)
    yield from (place for place in np.argsort(-worth, kind="stable").tolist() if worth[place] > 0)
