"""What documents' features say about their classes, learnt from those whose class is known.

The features are reduced to a few directions, and these by ridge regression to one score for the
place of a document's class in the order. Given its class a score is normal, with a mean that leans
on the line through all classes where the class has few documents. The score of a document is always
the one it gets from the others, so that its own class does not speak for itself, and how much the
features may say is what predicts those classes best that are known; that can be nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nextpair.selectors.inference.ordinal_classes.factor_messages import log_sums
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.ranks import mid_ranks
from nextpair.selectors.state.tie_svm import document_space

DIRECTIONS = 16
"""Directions kept of all features."""
RIDGES = (3.0, 30.0)
"""Penalties tried, in documents."""
WEIGHTS = (0.25, 0.5, 0.75, 1.0)
"""How much of what the features say is tried."""
MARGIN = 2.0
"""By how many nats they must predict the known classes better than class sizes do."""
LEANING = 12.0
"""How many documents of its own the line through all classes is worth to a class."""
PRIOR_CORRELATION = 0.3
"""How well the caller's prior score is taken to order documents before anything is known."""
BOUND = 4.0
"""The most nats features may say against a class: tails are heavier than the normal's."""


class FeatureModel:
    """Says how likely a document's features are in each class."""

    def __init__(self, documents: Documents) -> None:
        self._prior_scores = _normal_scores(documents.priors)
        self._documents = documents

    @cached_property
    def _space(self) -> Array | None:
        """Documents as columns, directions as rows; None if all documents look alike."""
        given = np.column_stack([self._documents.features, self._documents.priors])
        space = document_space(given[:, ~np.isnan(given).all(axis=0)], DIRECTIONS).T
        return np.ascontiguousarray(space) if (np.abs(space - space[:, :1]) > 1e-9).any() else None

    @property
    def informed(self) -> bool:
        """Whether there is any feature to learn from."""
        return self._space is not None

    def log_likelihood(self, memberships: Array) -> Array:
        """Return log P(features | class) / P(features): how much likelier they make each class.

        Parameters
        ----------
        memberships
            Documents by classes, best class first: how much of each document is known to be in
            each class, from nothing to 1.
        """
        nothing = np.zeros(memberships.shape)
        if self._space is None or memberships.shape[1] < 2:
            return nothing
        # Most documents may be unknown: what is learnt and how well it predicts is up to the rest.
        known = np.flatnonzero(memberships.any(axis=1))
        of_known = np.ascontiguousarray(memberships[known].T)
        by_prior = self._from_prior_scores(of_known)
        learnt = list(self._learnt(known, of_known))
        plain, at_first = _losses(of_known, by_prior[:, known], (0.0, 1.0))
        losses = [
            loss
            for each in learnt
            for loss in _losses(of_known, each.of_classes(of_known, known), WEIGHTS)
        ]
        least = min(losses, default=np.inf)
        # While little is known, the caller's word stands unless what is known speaks against it.
        stands = at_first <= plain + MARGIN and least > at_first - MARGIN
        if stands or at_first < min(plain - MARGIN, least):
            return _ratio(by_prior, of_known)
        if least < plain - MARGIN:
            lesson, weight = divmod(int(np.argmin(losses)), len(WEIGHTS))
            every = np.ascontiguousarray(memberships.T)
            return _ratio(WEIGHTS[weight] * learnt[lesson].of_classes(every), of_known)
        return nothing

    def _from_prior_scores(self, memberships: Array) -> Array:
        """Take a document's class and its prior score for normal, and a little correlated."""
        shares = memberships.sum(axis=1) + 1
        middles = 1 - (np.cumsum(shares) - shares / 2) / shares.sum()
        means = PRIOR_CORRELATION * ndtri(middles)
        deviations = (self._prior_scores - means[:, None]) ** 2 / (1 - PRIOR_CORRELATION**2)
        return np.where(np.isnan(deviations), 0.0, -deviations / 2)

    def _learnt(self, known: NDArray[np.intp], memberships: Array) -> Iterator["_Lesson"]:
        weights = memberships.sum(axis=0)
        if self._space is None or (memberships.sum(axis=1) > 0.5).sum() < 2 or weights.sum() < 4:
            return
        steps = np.arange(len(memberships), dtype=np.float64)
        positions = (steps[:, None] * memberships).sum(axis=0) / np.maximum(weights, 1e-12)
        for scores in _scores(self._space, known, positions, weights):
            yield _Lesson(scores, memberships, scores[known])


def _normal_scores(priors: Array) -> Array:
    """Replace numbers by what a normal sample of their ranks would be."""
    present = ~np.isnan(priors)
    scores = np.full(len(priors), np.nan)
    scores[present] = ndtri((mid_ranks(priors[present]) - 0.5) / max(present.sum(), 1))
    return scores


def _scores(
    space: Array, known: NDArray[np.intp], positions: Array, weights: Array
) -> Iterator[Array]:
    """Return what all others predict for each document, with each of the penalties.

    The mean is everyone's: a mean of the others alone is lower the higher the one left out is, and
    would tell its class backwards.
    """
    # Sums are einsum's: numpy's products would start threads, which only pays for larger arrays and
    # takes many times as long where other processes are at work.
    share = weights / weights.sum()
    centred = space - np.einsum("kn,n->k", space[:, known], share)[:, None]
    of_known, aims = centred[:, known], weights * (positions - (share * positions).sum())
    sizes, directions = np.linalg.eigh(np.einsum("kn,ln->kl", of_known * weights, of_known))
    turned = np.einsum("kl,kn->ln", directions, of_known)
    for ridge in RIDGES:
        inverse = 1 / (np.maximum(sizes, 0) + ridge)
        slope = directions @ (inverse * np.einsum("ln,n->l", turned, aims))
        scores = np.einsum("k,kn->n", slope, centred)
        leverage = np.minimum(weights * np.einsum("l,ln->n", inverse, turned**2), 0.999)
        own = leverage * aims / np.maximum(weights, 1e-12)
        scores[known] = (scores[known] - own) / (1 - leverage)
        yield scores


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What the scores of documents say about classes: classes are rows, documents columns.

    Parameters
    ----------
    scores
        Of every document.
    memberships, of_known
        Of the documents that are known, and their scores.
    """

    scores: Array
    memberships: Array
    of_known: Array

    def of_classes(self, memberships: Array, documents: NDArray[np.intp] | None = None) -> Array:
        """Return how likely scores are in each class, next to the likeliest, as logarithms.

        Parameters
        ----------
        memberships
            Of the documents that are asked about, whose own scores must not speak for them.
        documents
            These; None for all.
        """
        counts = self.memberships.sum(axis=1)
        steps = np.arange(len(counts), dtype=np.float64)
        sums = (self.memberships * self.of_known).sum(axis=1)
        centre, place = sums.sum() / counts.sum(), (counts * steps).sum() / counts.sum()
        across = (counts * (steps - place) ** 2).sum()
        slope = max(((steps - place) * (sums - counts * centre)).sum() / (across + 1), 0.0)
        line = centre + slope * (steps - place)

        def means(own: Array, scores: Array) -> Array:
            # Without itself, document by document: its own score must not draw a mean to it.
            drawn = (sums + LEANING * line)[:, None] - own * scores
            return np.asarray(drawn / ((counts + LEANING)[:, None] - own))

        near = self.of_known - means(self.memberships, self.of_known)
        spread = _spread(self.memberships * near**2, counts)[:, None]
        scores = self.scores if documents is None else self.scores[documents]
        squares = (scores - means(memberships, scores)) ** 2 / spread
        found = -0.5 * (squares + np.log(spread))
        return np.asarray(np.maximum(found - found.max(axis=0), -BOUND))


def _spread(squares: Array, counts: Array) -> Array:
    """Return each class's variance, leaning on that of all."""
    pooled = squares.sum() / counts.sum() + 1e-9
    lean = 2 * LEANING
    return np.asarray((squares.sum(axis=1) + lean * pooled) / (counts + lean))


def _ratio(likelihood: Array, memberships: Array) -> Array:
    """Compare with the classes taken together, so that a class yet unknown is no favourite."""
    shares = memberships.sum(axis=1) + 0.5
    mixed = likelihood + np.log(shares / shares.sum())[:, None]
    return np.ascontiguousarray((likelihood - log_sums(mixed)).T)


def _losses(memberships: Array, likelihood: Array, weights: Sequence[float]) -> list[float]:
    """Return the nats by which known classes surprise one who knows sizes and the likelihood.

    Parameters
    ----------
    weights
        How much of the likelihood is believed; a loss is returned for each.
    """
    sizes = memberships.sum(axis=1)[:, None] - memberships + 0.5
    plain, said = (memberships * np.log(sizes)).sum(), (memberships * likelihood).sum()
    of_each = memberships.sum(axis=0)
    return [
        float((of_each * np.log((sizes * np.exp(weight * likelihood)).sum(axis=0))).sum())
        - float(plain + weight * said)
        for weight in weights
    ]
