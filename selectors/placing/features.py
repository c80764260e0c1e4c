"""What documents' features say about their classes, learnt from those whose class is known.

The features are reduced to a few directions, and these by ridge regression to one score for the
place of a document's class in the order. Given its class a score is normal, with a mean that leans
on the line through all classes where the class has few documents. The score of a document is always
the one it gets from the others, so that its own class does not speak for itself, and how much the
features may say is what predicts those classes best that are known; that can be nothing.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from scipy.special import logsumexp, ndtri
from scipy.stats import rankdata

from nextpair.selectors.placing.places import Array
from nextpair.selectors.topic.documents import Documents
from nextpair.selectors.topic.tie_svm import document_space

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
        given = np.column_stack([self._documents.features, self._documents.priors])
        space = document_space(given[:, ~np.isnan(given).all(axis=0)], DIRECTIONS)
        return space if (np.abs(space - space[:1]) > 1e-9).any() else None

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
        candidates = [self._from_prior_scores(memberships), *self._learnt(memberships)]
        losses = [_loss(memberships, each) for each in candidates]
        plain = _loss(memberships, nothing)
        # While little is known, the caller's word stands unless what is known speaks against it.
        if losses[0] <= plain + MARGIN and min(losses) > losses[0] - MARGIN:
            return _ratio(candidates[0], memberships)
        if min(losses) < plain - MARGIN:
            return _ratio(candidates[int(np.argmin(losses))], memberships)
        return nothing

    def _from_prior_scores(self, memberships: Array) -> Array:
        """Take a document's class and its prior score for normal, and a little correlated."""
        shares = memberships.sum(axis=0) + 1
        middles = 1 - (np.cumsum(shares) - shares / 2) / shares.sum()
        means = PRIOR_CORRELATION * ndtri(middles)
        deviations = (self._prior_scores[:, None] - means) ** 2 / (1 - PRIOR_CORRELATION**2)
        return np.where(np.isnan(deviations), 0.0, -deviations / 2)

    def _learnt(self, memberships: Array) -> Iterator[Array]:
        weights = memberships.sum(axis=1)
        if self._space is None or (memberships.sum(axis=0) > 0.5).sum() < 2 or weights.sum() < 4:
            return
        steps = np.arange(memberships.shape[1], dtype=np.float64)
        positions = memberships @ steps / np.maximum(weights, 1e-12)
        for ridge in RIDGES:
            scores = _scores(self._space, positions, weights, ridge)
            found = _class_likelihood(scores, memberships, steps)
            yield from (weight * found for weight in WEIGHTS)


def _normal_scores(priors: Array) -> Array:
    """Replace numbers by what a normal sample of their ranks would be."""
    present = ~np.isnan(priors)
    scores = np.full(len(priors), np.nan)
    scores[present] = ndtri((rankdata(priors[present]) - 0.5) / max(present.sum(), 1))
    return scores


def _scores(space: Array, positions: Array, weights: Array, ridge: float) -> Array:
    """Return what all others predict for each document.

    The mean is everyone's: a mean of the others alone is lower the higher the one left out is, and
    would tell its class backwards.
    """
    share = weights / weights.sum()
    centred, aims = space - share @ space, positions - share @ positions
    gram = (centred * weights[:, None]).T @ centred + ridge * np.eye(space.shape[1])
    solved = np.linalg.solve(gram, centred.T)
    fitted = centred @ (solved @ (weights * aims))
    leverage = np.minimum(weights * (centred * solved.T).sum(axis=1), 0.999)
    return np.asarray((fitted - leverage * aims) / (1 - leverage))


def _class_likelihood(scores: Array, memberships: Array, steps: Array) -> Array:
    counts = memberships.sum(axis=0)
    centre, place = (memberships.T @ scores).sum(), counts @ steps
    total = counts.sum()
    centre, place = centre / total, place / total
    across = counts @ (steps - place) ** 2
    sums = memberships.T @ scores
    slope = max(((steps - place) @ (sums - counts * centre)) / (across + 1), 0.0)
    line = centre + slope * (steps - place)
    # Without itself, document by document: its own score must not draw a class's mean to it.
    others = counts - memberships
    means = (sums - memberships * scores[:, None] + LEANING * line) / (others + LEANING)
    spread = _spread(scores, memberships, means, counts)
    squares = (scores[:, None] - means) ** 2 / spread
    found = -0.5 * (squares + np.log(spread))
    return np.asarray(np.maximum(found - found.max(axis=1, keepdims=True), -BOUND))


def _spread(scores: Array, memberships: Array, means: Array, counts: Array) -> Array:
    """Return each class's variance, leaning on that of all."""
    squares = memberships * (scores[:, None] - means) ** 2
    pooled = squares.sum() / counts.sum() + 1e-9
    lean = 2 * LEANING
    return np.asarray((squares.sum(axis=0) + lean * pooled) / (counts + lean))


def _ratio(likelihood: Array, memberships: Array) -> Array:
    """Compare with the classes taken together, so that a class yet unknown is no favourite."""
    shares = memberships.sum(axis=0) + 0.5
    mixed = likelihood + np.log(shares / shares.sum())
    return np.asarray(likelihood - logsumexp(mixed, axis=1, keepdims=True))


def _loss(memberships: Array, likelihood: Array) -> float:
    """Return the nats by which known classes surprise one who knows sizes and the likelihood."""
    sizes = memberships.sum(axis=0) - memberships + 0.5
    found = np.log(sizes) + likelihood
    found -= logsumexp(found, axis=1, keepdims=True)
    return float(-(memberships * found).sum())
