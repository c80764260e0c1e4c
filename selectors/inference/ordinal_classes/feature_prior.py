"""The likelihood of documents' features given their class, learned from documents of known class.

The features are reduced to a few principal directions, and these by ridge regression on the number
of the class to one score. Given its class a score is normal, with a mean that is shrunk to the line
through all classes where the class has few documents. Every score is a leave-one-out prediction, so
that a document's own class does not count for it. The power of the likelihood is chosen by how well
it predicts the known classes; the power can be 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from nextpair.selectors.inference.numerics import Array, Indices, logsumexp
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.ranks import mid_ranks
from nextpair.selectors.state.tie_svm import principal_components

DIRECTIONS = 16
"""The number of principal directions of all features."""
RIDGE_PENALTIES = (3.0, 30.0)
"""The penalties of the regression that are tried, in documents."""
POWERS = (0.25, 0.5, 0.75, 1.0)
"""The powers of the likelihood that are tried."""
MIN_GAIN = 2.0
"""The nats by which features must predict the known classes better than class sizes do."""
SHRINKAGE = 12.0
"""The weight, in documents of a class, of the line through all classes for its mean."""
PRIOR_CORRELATION = 0.3
"""The assumed correlation of the caller's prior scores with the order, before any class is
known."""
MAX_LOG_ODDS = 4.0
"""The most nats that features may say against a class: tails are heavier than the normal's."""


class FeatureModel:
    """The likelihood of each document's features in each class."""

    def __init__(self, documents: Documents) -> None:
        self._prior_scores = _normal_scores(documents.priors)
        self._documents = documents

    @cached_property
    def _space(self) -> Array | None:
        """Documents as columns, directions as rows; None if all documents have equal features."""
        columns = np.column_stack([self._documents.features, self._documents.priors])
        space = principal_components(columns[:, ~np.isnan(columns).all(axis=0)], DIRECTIONS).T
        return np.ascontiguousarray(space) if (np.abs(space - space[:, :1]) > 1e-9).any() else None

    @property
    def is_informative(self) -> bool:
        """Whether there is any feature to learn from."""
        return self._space is not None

    def log_likelihood(self, memberships: Array) -> Array:
        """Return log P(features | class) / P(features), by document and class.

        Parameters
        ----------
        memberships
            Documents by classes, best class first: how much of each document is known to be in
            each class, from nothing to 1.
        """
        uninformative = np.zeros(memberships.shape)
        if self._space is None or memberships.shape[1] < 2:
            return uninformative
        # Most documents may be unknown: fits and losses only use the others.
        known = np.flatnonzero(memberships.any(axis=1))
        of_known = np.ascontiguousarray(memberships[known].T)
        by_prior = self._from_prior_scores(of_known)
        fits = list(self._fits(known, of_known))
        loss_of_sizes, loss_of_prior = _losses(of_known, by_prior[:, known], (0.0, 1.0))
        losses = [
            loss
            for fit in fits
            for loss in _losses(of_known, fit.log_likelihood(of_known, known), POWERS)
        ]
        least = min(losses, default=np.inf)
        # As long as little is known, the prior scores count unless the known classes contradict.
        is_prior_kept = (
            loss_of_prior <= loss_of_sizes + MIN_GAIN and least > loss_of_prior - MIN_GAIN
        )
        if is_prior_kept or loss_of_prior < min(loss_of_sizes - MIN_GAIN, least):
            return _relative_to_mixture(by_prior, of_known)
        if least < loss_of_sizes - MIN_GAIN:
            number, power = divmod(int(np.argmin(losses)), len(POWERS))
            of_all = np.ascontiguousarray(memberships.T)
            return _relative_to_mixture(
                POWERS[power] * fits[number].log_likelihood(of_all), of_known
            )
        return uninformative

    def _from_prior_scores(self, memberships: Array) -> Array:
        """Return the likelihood of prior scores that correlate with the order as is assumed."""
        sizes = memberships.sum(axis=1) + 1
        middles = 1 - (np.cumsum(sizes) - sizes / 2) / sizes.sum()
        means = PRIOR_CORRELATION * ndtri(middles)
        deviations = (self._prior_scores - means[:, None]) ** 2 / (1 - PRIOR_CORRELATION**2)
        return np.where(np.isnan(deviations), 0.0, -deviations / 2)

    def _fits(self, known: Indices, memberships: Array) -> Iterator["_ScoreModel"]:
        """Yield a model for each ridge penalty, if enough documents are known."""
        weights = memberships.sum(axis=0)
        if self._space is None or (memberships.sum(axis=1) > 0.5).sum() < 2 or weights.sum() < 4:
            return
        steps = np.arange(len(memberships), dtype=np.float64)
        positions = (steps[:, None] * memberships).sum(axis=0) / np.maximum(weights, 1e-12)
        for scores in _scores(self._space, known, positions, weights):
            yield _ScoreModel(scores, memberships, scores[known])


def _normal_scores(priors: Array) -> Array:
    """Replace numbers by the normal quantiles of their ranks."""
    present = ~np.isnan(priors)
    scores = np.full(len(priors), np.nan)
    scores[present] = ndtri((mid_ranks(priors[present]) - 0.5) / max(present.sum(), 1))
    return scores


def _scores(space: Array, known: Indices, positions: Array, weights: Array) -> Iterator[Array]:
    """Yield the leave-one-out ridge prediction of each document, for each penalty.

    The mean is that of all documents: a mean without the document itself is lower the higher the
    document is, and would predict its class backwards.
    """
    # Sums are einsum's: numpy's matrix products would start threads, which only pays for larger
    # arrays and takes many times as long where other processes are at work.
    share = weights / weights.sum()
    centred = space - np.einsum("kn,n->k", space[:, known], share)[:, None]
    of_known, targets = centred[:, known], weights * (positions - (share * positions).sum())
    sizes, directions = np.linalg.eigh(np.einsum("kn,ln->kl", of_known * weights, of_known))
    rotated = np.einsum("kl,kn->ln", directions, of_known)
    for penalty in RIDGE_PENALTIES:
        inverse = 1 / (np.maximum(sizes, 0) + penalty)
        slope = directions @ (inverse * np.einsum("ln,n->l", rotated, targets))
        scores = np.einsum("k,kn->n", slope, centred)
        leverage = np.minimum(weights * np.einsum("l,ln->n", inverse, rotated**2), 0.999)
        own = leverage * targets / np.maximum(weights, 1e-12)
        scores[known] = (scores[known] - own) / (1 - leverage)
        yield scores


@dataclass(frozen=True, slots=True)
class _ScoreModel:
    """Normal distributions of a score given the class: classes are rows, documents columns.

    Parameters
    ----------
    scores
        The score of every document.
    memberships, of_known
        The memberships and scores of the documents of known class.
    """

    scores: Array
    memberships: Array
    of_known: Array

    def log_likelihood(self, memberships: Array, documents: Indices | None = None) -> Array:
        """Return the log likelihood of scores in each class, relative to the best class.

        Parameters
        ----------
        memberships
            The memberships of the documents; their own scores must not count for them.
        documents
            The documents; None for all.
        """
        counts = self.memberships.sum(axis=1)
        steps = np.arange(len(counts), dtype=np.float64)
        sums = (self.memberships * self.of_known).sum(axis=1)
        centre, place = sums.sum() / counts.sum(), (counts * steps).sum() / counts.sum()
        across = (counts * (steps - place) ** 2).sum()
        slope = max(((steps - place) * (sums - counts * centre)).sum() / (across + 1), 0.0)
        line = centre + slope * (steps - place)

        def means(own: Array, scores: Array) -> Array:
            # Without the document itself: its own score must not move a mean towards it.
            shrunk = (sums + SHRINKAGE * line)[:, None] - own * scores
            return np.asarray(shrunk / ((counts + SHRINKAGE)[:, None] - own))

        residuals = self.of_known - means(self.memberships, self.of_known)
        variances = _variances(self.memberships * residuals**2, counts)[:, None]
        scores = self.scores if documents is None else self.scores[documents]
        squares = (scores - means(memberships, scores)) ** 2 / variances
        log_density = -0.5 * (squares + np.log(variances))
        return np.asarray(np.maximum(log_density - log_density.max(axis=0), -MAX_LOG_ODDS))


def _variances(squares: Array, counts: Array) -> Array:
    """Return the variance of each class, shrunk to that of all."""
    pooled = squares.sum() / counts.sum() + 1e-9
    weight = 2 * SHRINKAGE
    return np.asarray((squares.sum(axis=1) + weight * pooled) / (counts + weight))


def _relative_to_mixture(log_likelihood: Array, memberships: Array) -> Array:
    """Divide by the likelihood in the mixture of all classes, which is that of a new class."""
    sizes = memberships.sum(axis=1) + 0.5
    mixture = log_likelihood + np.log(sizes / sizes.sum())[:, None]
    return np.ascontiguousarray((log_likelihood - logsumexp(mixture)).T)


def _losses(memberships: Array, log_likelihood: Array, powers: Sequence[float]) -> list[float]:
    """Return the log loss of predicting known classes from class sizes and the likelihood.

    Parameters
    ----------
    powers
        Powers of the likelihood; a loss is returned for each.
    """
    sizes = memberships.sum(axis=1)[:, None] - memberships + 0.5
    of_sizes, of_features = (
        (memberships * np.log(sizes)).sum(),
        (memberships * log_likelihood).sum(),
    )
    weights = memberships.sum(axis=0)
    return [
        float((weights * np.log((sizes * np.exp(power * log_likelihood)).sum(axis=0))).sum())
        - float(of_sizes + power * of_features)
        for power in powers
    ]
