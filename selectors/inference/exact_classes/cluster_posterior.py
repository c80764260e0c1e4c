"""The outlook: how likely each cluster is to end in each class of the chain or in a gap of it.

A chain of K classes has 2K + 1 places: class k is place 2k + 1, the gaps around it are the places
2k and 2k + 2. A cluster's chance of a class grows with the documents already there, as in a Chinese
restaurant: a cluster of s documents finds rising factorials where a single one finds counts. A gap
is a new class, with a small concentration shared among all gaps.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from nextpair.selectors.inference.exact_classes.class_chain import Chain
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state import bitset
from nextpair.selectors.state.order import Order

CONCENTRATION = 0.3
"""How much a new class weighs against one document of a known one."""
SAME_GAP = 0.5
"""How likely two clusters of one gap are to be one new class."""
CELLS = 20_000
"""Rows times places that are looked at together; a scale of very many classes gets fewer rows."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is likely, as a table of rows by places.

    Parameters
    ----------
    labels
        A cluster of each row.
    groups
        The rows that stand for several clusters, of which the same is known: a set of labels.
    known
        Pairs of rows whose clusters are ordered already.
    """

    chances: Array
    labels: Sequence[int]
    groups: dict[int, int]
    known: Sequence[tuple[int, int]]

    def members(self, row: int) -> int:
        """Return the clusters of a row as a bit set."""
        return self.groups.get(row) or 1 << self.labels[row]

    def rows_of(self, labels: Collection[int]) -> list[int]:
        """Return the rows that stand for nothing but one of these clusters."""
        if not labels:
            return []
        found = np.flatnonzero(np.isin(np.array(self.labels), list(labels)))
        return [row for row in found.tolist() if row not in self.groups]


def look(chain: Chain, likelihood: Array | None, order: Order) -> Outlook:
    """Work out the outlook.

    Parameters
    ----------
    likelihood
        For each document, the logarithm of what its features say of each place; None for nothing.
    """
    most = max(16, CELLS // (2 * len(chain) + 1))
    touched = _touched(chain, alone=likelihood is not None, most=most)
    told = None if likelihood is None else _told(likelihood, touched.labels, order)
    counts, chances = _chances(chain, touched, told)
    fresh = bitset.members(chain.fresh)
    labels, groups = list(touched.labels), touched.groups
    if fresh and likelihood is None:
        groups[len(labels)] = chain.fresh
        labels.append(fresh[0])
        chances = np.vstack([chances, _normalised(_single(counts))])
    elif fresh and likelihood is not None:
        fresh = fresh[:most]
        labels += fresh
        chances = np.vstack([chances, _normalised(_single(counts) + likelihood[fresh])])
    return Outlook(chances, labels, groups, touched.known)


@dataclass(slots=True)
class _Touched:
    """Clusters that findings have been about, those of which the same is known taken together."""

    labels: list[int]
    groups: dict[int, int]
    table: NDArray[np.int64]
    known: list[tuple[int, int]]
    signs: list[int]


def _touched(chain: Chain, alone: bool, most: int) -> _Touched:
    kinds = chain.alike()
    if alone:
        kinds = [(kind, 1 << label) for kind, alike in kinds for label in bitset.members(alike)]
    if len(kinds) > most:
        kinds = sorted(kinds, key=lambda each: each[0][1] - each[0][0])[:most]
    labels = [(alike & -alike).bit_length() - 1 for _, alike in kinds]
    counts = [alike.bit_count() for _, alike in kinds]
    groups = {row: kinds[row][1] for row, count in enumerate(counts) if count > 1}
    table = [(*kind[:3], count) for (kind, _), count in zip(kinds, counts, strict=True)]
    row_of = {label: row for row, label in enumerate(labels)}
    edges = [
        (row, row_of[rival], sign)
        for row, label in enumerate(labels)
        for rival, sign in chain.clusters[label].rivals.items()
        if rival in row_of
    ]
    known = [(row, rival) for row, rival, _ in edges]
    signs = [sign for _, _, sign in edges]
    return _Touched(labels, groups, np.array(table, np.int64).reshape(-1, 4), known, signs)


def _told(likelihood: Array, labels: Sequence[int], order: Order) -> Array:
    if not labels:
        return np.zeros((0, likelihood.shape[1]))
    told = likelihood[labels]
    for row, label in enumerate(labels):
        members = order.members(label)
        if len(members) > 1:
            told[row] = likelihood[list(members)].sum(axis=0)
    return told


def _chances(chain: Chain, touched: _Touched, told: Array | None) -> tuple[Array, Array]:
    """Return the documents expected in each class, and the chances of the touched clusters."""
    counts = np.array(chain.sizes, dtype=np.float64)
    low, high, size, times = touched.table.T[:, :, None]
    places = np.arange(2 * len(counts) + 1)
    outside = (places < 2 * low) | (places > 2 * high)
    start = _prior(counts[None, :], size)
    extra = 0.0 if told is None else told
    chances = _normalised(np.where(outside, -np.inf, start + extra))
    expected = size * chances[:, 1::2]
    counts = counts + (times * expected).sum(axis=0)
    weights = _prior(counts[None, :] - expected, size) + extra
    weights[outside] = -np.inf
    if touched.known:
        _exchange(weights, touched)
    return counts, _normalised(weights)


def _prior(counts: Array, size: NDArray[np.int64]) -> Array:
    classes = counts.shape[1]
    weights = np.empty((len(size), 2 * classes + 1))
    weights[:, 1::2] = gammaln(counts + size) - gammaln(counts)
    weights[:, 0::2] = np.log(CONCENTRATION / (classes + 1)) + gammaln(size)
    return weights


def _single(counts: Array) -> Array:
    """Return the prior of one document of which nothing is known."""
    weights = np.full((1, 2 * len(counts) + 1), np.log(CONCENTRATION / (len(counts) + 1)))
    weights[:, 1::2] = np.log(counts)
    return weights


def _exchange(weights: Array, touched: _Touched) -> None:
    """Let clusters that are ordered tell each other where they are, from what else is known.

    Of two clusters by themselves this is exact; what came from a cluster never returns to it.
    """
    chances = _normalised(weights)
    above, below = sides(chances)
    with np.errstate(divide="ignore"):
        from_below, from_above = np.log(above), np.log(below)
    for (row, rival), sign in zip(touched.known, touched.signs, strict=True):
        message = from_below[rival] if sign > 0 else from_above[rival]
        told = weights[row] + message
        # Rows are left out where there are too many, so messages may say that nothing is possible.
        if told.max() > -np.inf:
            weights[row] = told


def sides(chances: Array) -> tuple[Array, Array]:
    """Return how likely one at each place is above, and below, the cluster of each row."""
    shared = chances * _gaps(chances.shape[1]) * (1 - SAME_GAP) / 2
    upto = np.cumsum(chances, axis=1)
    below = upto - chances + shared
    return np.maximum(upto[:, -1:] - upto, 0.0) + shared, np.maximum(below, 0.0)


def _gaps(places: int) -> NDArray[np.bool_]:
    return np.asarray(np.arange(places) % 2 == 0)


def ties(chances: Array, others: Array) -> Array:
    """Return how likely the cluster of each row is to be tied with that of each other row."""
    weight = np.where(_gaps(chances.shape[1]), SAME_GAP, 1.0)
    return np.asarray((chances * weight) @ others.T)


def _normalised(weights: Array) -> Array:
    if not len(weights):
        return weights
    chances = np.exp(weights - weights.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))
