"""The posterior over the places of clusters: classes of the chain, and gaps between them.

A chain of K classes has 2K + 1 places: class k is place 2k + 1, the gaps around it are the places
2k and 2k + 2. The prior is a Chinese restaurant process: the weight of a class grows with its
documents, for a cluster of s documents by rising factorials. A gap is a new class; the
concentration is shared among all gaps.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from nextpair.selectors.inference.exact_classes.class_chain import ClassChain
from nextpair.selectors.inference.numerics import Array, Mask, softmax
from nextpair.selectors.state import bitset
from nextpair.selectors.state.order import Order

CONCENTRATION = 0.3
"""The weight of a new class, in documents of a known one."""
TIE_IN_GAP = 0.5
"""Prior probability that two clusters in the same gap are one class."""
MAX_CELLS = 20_000
"""Rows times places of the table; with very many classes it gets fewer rows."""


@dataclass(frozen=True, slots=True)
class ClusterPosterior:
    """The posterior over places, one cluster or kind of cluster per row.

    Parameters
    ----------
    labels
        A cluster of each row.
    groups
        The rows that stand for several clusters of one kind, with the bit set of their labels.
    ordered
        Pairs of rows whose clusters are ordered already.
    """

    probabilities: Array
    labels: Sequence[int]
    groups: dict[int, int]
    ordered: Sequence[tuple[int, int]]

    def members(self, row: int) -> int:
        """Return the clusters of a row as a bit set."""
        return self.groups.get(row) or 1 << self.labels[row]

    def rows_of(self, labels: Collection[int]) -> list[int]:
        """Return the rows that stand for exactly one of these clusters."""
        if not labels:
            return []
        rows = np.flatnonzero(np.isin(np.array(self.labels), list(labels)))
        return [row for row in rows.tolist() if row not in self.groups]


def compute_posterior(
    chain: ClassChain, log_likelihood: Array | None, order: Order
) -> ClusterPosterior:
    """Compute the posterior of all clusters.

    Parameters
    ----------
    log_likelihood
        The log likelihood of each document's features at each place; None if uninformative.
    """
    max_rows = max(16, MAX_CELLS // (2 * len(chain) + 1))
    table = _cluster_table(chain, separate=log_likelihood is not None, max_rows=max_rows)
    of_clusters = None
    if log_likelihood is not None:
        of_clusters = _log_likelihood_of_clusters(log_likelihood, table.labels, order)
    class_sizes, probabilities = _posterior_of_clusters(chain, table, of_clusters)
    untouched = bitset.members(chain.untouched)
    labels, groups = list(table.labels), table.groups
    if untouched and log_likelihood is None:
        groups[len(labels)] = chain.untouched
        labels.append(untouched[0])
        posterior = softmax(_log_prior_of_document(class_sizes), axis=1)
        probabilities = np.vstack([probabilities, posterior])
    elif untouched and log_likelihood is not None:
        untouched = untouched[:max_rows]
        labels += untouched
        log_posterior = _log_prior_of_document(class_sizes) + log_likelihood[untouched]
        probabilities = np.vstack([probabilities, softmax(log_posterior, axis=1)])
    return ClusterPosterior(probabilities, labels, groups, table.ordered)


@dataclass(slots=True)
class _ClusterTable:
    """The clusters that have been compared, those of one kind as one row.

    Parameters
    ----------
    columns
        Low, high and size of each row's clusters, and how many there are.
    ordered, signs
        Pairs of rows whose clusters are ordered; 1 if the first is above the second, else -1.
    """

    labels: list[int]
    groups: dict[int, int]
    columns: NDArray[np.int64]
    ordered: list[tuple[int, int]]
    signs: list[int]


def _cluster_table(chain: ClassChain, separate: bool, max_rows: int) -> _ClusterTable:
    """Collect the clusters, the most certain ones first if there are too many.

    Parameters
    ----------
    separate
        Whether every cluster has a row of its own, because features differ.
    """
    kinds = chain.kinds()
    if separate:
        kinds = [(kind, 1 << label) for kind, labels in kinds for label in bitset.members(labels)]
    if len(kinds) > max_rows:
        kinds = sorted(kinds, key=lambda each: each[0][1] - each[0][0])[:max_rows]
    labels = [(members & -members).bit_length() - 1 for _, members in kinds]
    counts = [members.bit_count() for _, members in kinds]
    groups = {row: kinds[row][1] for row, count in enumerate(counts) if count > 1}
    columns = [(*kind[:3], count) for (kind, _), count in zip(kinds, counts, strict=True)]
    row_of = {label: row for row, label in enumerate(labels)}
    edges = [
        (row, row_of[rival], sign)
        for row, label in enumerate(labels)
        for rival, sign in chain.clusters[label].rivals.items()
        if rival in row_of
    ]
    ordered = [(row, rival) for row, rival, _ in edges]
    signs = [sign for _, _, sign in edges]
    return _ClusterTable(labels, groups, np.array(columns, np.int64).reshape(-1, 4), ordered, signs)


def _log_likelihood_of_clusters(
    log_likelihood: Array, labels: Sequence[int], order: Order
) -> Array:
    """Sum the log likelihood of the documents of each cluster."""
    if not labels:
        return np.zeros((0, log_likelihood.shape[1]))
    of_clusters = log_likelihood[labels]
    for row, label in enumerate(labels):
        members = order.members(label)
        if len(members) > 1:
            of_clusters[row] = log_likelihood[list(members)].sum(axis=0)
    return of_clusters


def _posterior_of_clusters(
    chain: ClassChain, table: _ClusterTable, log_likelihood: Array | None
) -> tuple[Array, Array]:
    """Return the expected size of each class, and the posterior of each row."""
    sizes = np.array(chain.sizes, dtype=np.float64)
    low, high, size, times = table.columns.T[:, :, None]
    places = np.arange(2 * len(sizes) + 1)
    excluded = (places < 2 * low) | (places > 2 * high)
    log_prior = _log_prior(sizes[None, :], size)
    evidence = 0.0 if log_likelihood is None else log_likelihood
    probabilities = softmax(np.where(excluded, -np.inf, log_prior + evidence), axis=1)
    expected = size * probabilities[:, 1::2]
    sizes = sizes + (times * expected).sum(axis=0)
    # A cluster does not count as a member in its own prior.
    log_posterior = _log_prior(sizes[None, :] - expected, size) + evidence
    log_posterior[excluded] = -np.inf
    if table.ordered:
        _exchange_messages(log_posterior, table)
    return sizes, softmax(log_posterior, axis=1)


def _log_prior(class_sizes: Array, size: NDArray[np.int64]) -> Array:
    """Return the log prior of clusters of some size over places, not normalized."""
    classes = class_sizes.shape[1]
    weights = np.empty((len(size), 2 * classes + 1))
    weights[:, 1::2] = gammaln(class_sizes + size) - gammaln(class_sizes)
    weights[:, 0::2] = np.log(CONCENTRATION / (classes + 1)) + gammaln(size)
    return weights


def _log_prior_of_document(class_sizes: Array) -> Array:
    """Return the log prior of a single untouched document, as a row."""
    classes = len(class_sizes)
    weights = np.full((1, 2 * classes + 1), np.log(CONCENTRATION / (classes + 1)))
    weights[:, 1::2] = np.log(class_sizes)
    return weights


def _exchange_messages(log_posterior: Array, table: _ClusterTable) -> None:
    """Send messages between ordered clusters about their places, from their priors.

    For a single pair of clusters this is exact; a cluster's message never returns to it.
    """
    above, below = side_probabilities(softmax(log_posterior, axis=1))
    with np.errstate(divide="ignore"):
        from_below, from_above = np.log(above), np.log(below)
    for (row, rival), sign in zip(table.ordered, table.signs, strict=True):
        message = from_below[rival] if sign > 0 else from_above[rival]
        updated = log_posterior[row] + message
        # Where there are too many rows some are left out, and messages may exclude every place.
        if updated.max() > -np.inf:
            log_posterior[row] = updated


def side_probabilities(probabilities: Array) -> tuple[Array, Array]:
    """Return the probability that a cluster at each place is above, and below, that of each row."""
    in_gap = probabilities * _gaps(probabilities.shape[1]) * (1 - TIE_IN_GAP) / 2
    cumulative = np.cumsum(probabilities, axis=1)
    below = cumulative - probabilities + in_gap
    return np.maximum(cumulative[:, -1:] - cumulative, 0.0) + in_gap, np.maximum(below, 0.0)


def _gaps(places: int) -> Mask:
    return np.asarray(np.arange(places) % 2 == 0)


def tie_probabilities(probabilities: Array, others: Array) -> Array:
    """Return the probability that the cluster of each row is tied with that of each other row."""
    weights = np.where(_gaps(probabilities.shape[1]), TIE_IN_GAP, 1.0)
    return np.asarray((probabilities * weights) @ others.T)
