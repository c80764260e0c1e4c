"""Acquisition: the information of a pair per judgment that could be saved.

A pair is a cluster and a class of the chain, or two clusters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nextpair.selectors.inference.exact_classes.cluster_posterior import (
    ClusterPosterior,
    side_probabilities,
    tie_probabilities,
)
from nextpair.selectors.inference.numerics import TINY, Array, Indices

CERTAIN_TIE = 1e6
"""The gain of a pair that must be a tie: it costs no judgment that could be saved."""
MAX_RIVALS = 64
"""The number of rows whose clusters are compared with each other."""
BATCH = 64
"""The number of best candidates that are sorted before all others."""


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """Pairs that could be asked.

    Parameters
    ----------
    gains
        The bits of each pair's answer, per expected answer that is not a tie.
    rows
        The posterior's row of the first side.
    partners
        The second side: a class of the chain, or `classes` plus a row.
    classes
        The number of classes in the chain.
    """

    gains: Array
    rows: Indices
    partners: Indices
    classes: int

    def best_first(self, busy: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield pairs with positive gain, as rows and partners, without rows that are busy."""
        gains = self.gains
        if busy:
            excluded = [*busy, *(row + self.classes for row in busy)]
            is_busy = np.zeros(self.classes + int(self.rows.max(initial=0)) + 1, dtype=np.bool_)
            is_busy[excluded] = True
            own = is_busy[self.classes :][self.rows]
            other = (self.partners >= self.classes) & is_busy[self.partners]
            gains = np.where(own | other, 0.0, gains)
        for number in _descending(gains):
            yield int(self.rows[number]), int(self.partners[number])


def candidate_pairs(posterior: ClusterPosterior) -> CandidatePairs:
    """Return every cluster with every class, and pairs of the clusters most likely of one place."""
    probabilities = posterior.probabilities
    count, classes = len(probabilities), probabilities.shape[1] // 2
    tie = probabilities[:, 1::2]
    above = np.cumsum(probabilities, axis=1)[:, 0:-1:2]
    below = np.maximum(1 - tie - above, 0.0)
    with_classes = np.where(tie > 0, bits_per_difference(tie, above, below), 0.0)
    rivals = _rivals(probabilities)
    first, second = np.triu_indices(len(rivals))
    rows, partners = rivals[first], rivals[second]
    return CandidatePairs(
        np.concatenate([with_classes.ravel(), _gains_among(posterior, rivals)[first, second]]),
        np.concatenate([np.repeat(np.arange(count), classes), rows]),
        np.concatenate([np.tile(np.arange(classes), count), partners + classes]),
        classes,
    )


def _rivals(probabilities: Array) -> Indices:
    """Return the rows to compare with each other: the surest ones of the likeliest places."""
    if len(probabilities) <= MAX_RIVALS:
        return np.arange(len(probabilities))
    places = np.argsort(-probabilities.sum(axis=0))[:8]
    count = MAX_RIVALS // len(places)
    surest = np.argpartition(-probabilities[:, places], count, axis=0)[:count]
    return np.unique(surest)


def _gains_among(posterior: ClusterPosterior, rivals: Indices) -> Array:
    """Return the gain of each pair of rivals; 0 for what is known."""
    probabilities = posterior.probabilities[rivals]
    above = probabilities @ side_probabilities(probabilities)[0].T
    gains = bits_per_difference(tie_probabilities(probabilities, probabilities), above, above.T)
    number_of = {int(row): number for number, row in enumerate(rivals)}
    for row, number in number_of.items():
        if row not in posterior.groups:
            gains[number, number] = 0.0
    for row, rival in posterior.ordered:
        if row in number_of and rival in number_of:
            gains[number_of[row], number_of[rival]] = 0.0
    return gains


def bits_per_difference(tie: Array, above: Array, below: Array) -> Array:
    """Return the entropy of an answer in bits, over the probability that it is not a tie."""
    difference = above + below
    entropy = _bits(tie) + _bits(above) + _bits(below)
    is_certain = difference < 1e-12
    return np.where(is_certain, CERTAIN_TIE, entropy / np.where(is_certain, 1.0, difference))


def _bits(probability: Array) -> Array:
    return np.asarray(-probability * np.log2(np.maximum(probability, TINY)))


def _descending(gains: Array) -> Iterator[int]:
    """Yield the numbers of positive gains, highest first, sorting no more than is read."""
    if len(gains) > BATCH:
        top = np.argpartition(-gains, BATCH)[:BATCH]
        top = top[np.lexsort((top, -gains[top]))]
        yield from (number for number in top.tolist() if gains[number] > 0)
    order = np.argsort(-gains, kind="stable").tolist()
    yield from (number for number in order if gains[number] > 0)
