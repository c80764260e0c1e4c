"""Acquisition: the allowed pair with the highest information, weighted by importance."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from nextpair.selectors.inference.gaussian_scores.posterior import ScorePosterior
from nextpair.selectors.inference.gaussian_scores.thurstone import outcome_likelihood
from nextpair.selectors.inference.numerics import Array, Indices
from nextpair.selectors.state.judgments import Pair

CANDIDATES = 64
"""The number of documents tried with all others: the most important and most uncertain ones."""
NEIGHBOURS = np.concatenate([np.arange(-96, 0), np.arange(1, 97)])
"""Ranks, relative to its own, of the documents that a document is tried with where there are
many."""
JITTER = 1e-6
"""The size of the random numbers that break ties."""

Information = Callable[[Array, Array], Array]
"""The information of an answer, by the mean and the variance of the difference."""


@dataclass(frozen=True, slots=True)
class ScoreAcquisition:
    """The acquisition function for one worker, and the pairs it is evaluated on.

    Parameters
    ----------
    importance
        How much the stopping rule depends on each document.
    forbidden
        Pairs that must not be asked.
    jitter
        A random number per document, which breaks ties.
    neighbours_only
        Whether only neighbours in the order are compared, because documents are many.
    both_important
        Whether the importance of a pair is the geometric mean of its documents', in place of the
        arithmetic one.
    """

    posterior: ScorePosterior
    information: Information
    importance: Array
    forbidden: frozenset[Pair]
    jitter: Array
    neighbours_only: bool
    both_important: bool

    def best_pair(self) -> Pair | None:
        """Return the best pair that may be asked, or None if there is none."""
        uncertainty = np.sqrt(self.posterior.variances)
        priority = -self.importance * uncertainty - JITTER * self.jitter
        order = np.argsort(priority, kind="stable")
        if self.both_important:
            order = order[: max(2, np.count_nonzero(self.importance))]
        for start in range(0, len(order), CANDIDATES):
            pair = self._best_of(order[start : start + CANDIDATES])
            if pair is not None:
                return pair
        return None

    def _best_of(self, rows: Indices) -> Pair | None:
        """Return the best pair with one of these documents."""
        columns = self._neighbours(rows) if self.neighbours_only else None
        others = slice(None) if columns is None else columns
        means = self.posterior.means[rows][:, None] - self.posterior.means[others]
        gains = self.information(means, self.posterior.difference_variances(rows, columns))
        gains *= self._importance_of_pairs(rows, others)
        gains += JITTER * (self.jitter[rows][:, None] + self.jitter[others])
        self._exclude_forbidden(gains, rows, columns)
        row, column = divmod(int(gains.argmax()), gains.shape[1])
        if gains[row, column] < 0:
            return None
        return int(rows[row]), int(column if columns is None else columns[row, column])

    def _importance_of_pairs(self, rows: Indices, others: slice | Indices) -> Array:
        own, other = self.importance[rows][:, None], self.importance[others]
        of_pairs: Array = np.sqrt(own * other) if self.both_important else (own + other) / 2
        return of_pairs

    def _neighbours(self, rows: Indices) -> Indices:
        order = np.argsort(self.posterior.means + JITTER * self.jitter, kind="stable")
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        # Beyond an end of the order come the documents at the other end: they do no harm.
        neighbours: Indices = order[(ranks[rows][:, None] + NEIGHBOURS) % len(order)]
        return neighbours

    def _exclude_forbidden(self, gains: Array, rows: Indices, columns: Indices | None) -> None:
        """Make the gain of pairs that must not be asked negative."""
        row_of = {document: row for row, document in enumerate(rows.tolist())}
        if columns is None:
            gains[np.arange(len(rows)), rows] = -1
        for pair in self.forbidden:
            for document, other in (pair, pair[::-1]):
                row = row_of.get(document)
                if row is not None and columns is None:
                    gains[row, other] = -1
                elif row is not None and columns is not None:
                    gains[row, columns[row] == other] = -1


def anticipate(
    posterior: ScorePosterior, open_pairs: Iterable[Pair], margin: float
) -> ScorePosterior:
    """Return the posterior with the variances that are expected once open pairs are answered."""
    anticipated = posterior.copy()
    for first, second in open_pairs:
        mean, variance = anticipated.difference(first, second)
        likelihood = outcome_likelihood(np.array([mean]), np.array([variance]), margin)
        curvatures = np.maximum(likelihood.log_derivatives()[1], 0)
        curvature = float((likelihood.probability * curvatures).sum())
        anticipated.update(first, second, 0.0, min(curvature, 0.9 / variance))
    return anticipated
