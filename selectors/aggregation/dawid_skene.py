"""Dawid and Skene's EM (Applied Statistics 1979): labels and workers' errors, each from the other.

A worker w says l of an item whose true label is j with probability e[w, j, l]; a share p[j] of the
items has label j. With n[i, w, l] counting answers and t[i, j] the probability that j is true of i,

    E:  t[i, j] ~ p[j] * prod over w, l of e[w, j, l] ** n[i, w, l]
    M:  e[w, j, l] ~ a[j, l] + sum over i of t[i, j] n[i, w, l]
        p[j] ~ b + sum over i of t[i, j]

The pseudo-counts a and b are Dirichlet priors. Those of a prefer the diagonal: a worker with few
answers is then believed to be rather right than wrong, and labels cannot change their names.

Written by hand because crowd-kit, the library that has it, brings 320 MB; both steps are one sparse
product each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import logsumexp

from nextpair.selectors.aggregation.responses import UNKNOWN, Answers, Numbers, Places
from nextpair.selectors.errors import BadInput, BadOption

TOLERANCE = 1e-6
MOST_PASSES = 1000


@dataclass(frozen=True, slots=True)
class Smoothing:
    """Pseudo-counts: for each label's share, and for a worker's right and wrong answers to it.

    With fewer for the workers, a crowd that is all alike is told apart by chance alone, and EM does
    worse than a majority; with more, spammers are believed longer.
    """

    shares: float = 1.0
    right: float = 8.0
    wrong: float = 2.0

    def __post_init__(self) -> None:
        if min(self.shares, self.right, self.wrong) <= 0:
            raise BadOption(f"pseudo-counts must be above zero, got {self}")


@dataclass(frozen=True, slots=True)
class Consensus:
    """What EM concludes.

    Parameters
    ----------
    posteriors
        By item and label: how probable it is that the label is true.
    shares
        How many of the items have each label; known items do not count, someone chose them.
    confusions
        By worker, true label and said label.
    log_likelihood
        Of the answers, under these shares and confusions.
    log_posterior
        The same with the pseudo-counts; it is this that never falls from pass to pass.
    settled
        Whether the last pass moved no posterior by more than the tolerance.
    """

    posteriors: Numbers
    shares: Numbers
    confusions: Numbers
    log_likelihood: float
    log_posterior: float
    passes: int
    settled: bool

    def labels(self) -> Places:
        """Name the most probable label of each item, the first of those equally probable."""
        return np.asarray(self.posteriors.argmax(axis=1), dtype=np.intp)

    def reliabilities(self) -> Numbers:
        """Say how often each worker is right, over items of these shares."""
        right = np.diagonal(self.confusions, axis1=1, axis2=2)
        return np.asarray(right @ self.shares, dtype=np.float64)


def dawid_skene(
    answers: Answers,
    *,
    known: ArrayLike | None = None,
    mirror: Sequence[int] | None = None,
    smoothing: Smoothing | None = None,
    tolerance: float = TOLERANCE,
    most_passes: int = MOST_PASSES,
) -> Consensus:
    """Estimate what is true of each item and how far each worker can be trusted.

    Parameters
    ----------
    known
        The true label of each item, `UNKNOWN` where it is to be found out. Traps and gold items
        are anchors: they are never doubted, and teach what the workers' errors are.
    mirror
        For answers about pairs, what each label becomes when the sides of the pair change. Errors
        and shares are then the same for a pair and its mirror image, so that it does not matter
        which of the two is stored, and fewer of them need to be learned.
    """
    if answers.shape[2] < 1:
        raise BadInput("there must be at least one label")
    model = _Model(answers, smoothing or Smoothing(), mirror, _truth(answers, known))
    posteriors = model.anchor(_first_guess(answers))
    passes, moved = 0, np.inf
    while passes < most_passes and moved > tolerance:
        before, posteriors = posteriors, model.expect(*model.fit(posteriors))
        moved, passes = float(np.abs(posteriors - before).max(initial=0)), passes + 1
    return model.conclude(posteriors, passes, moved <= tolerance)


class _Model:
    """The two steps, over answers counted once."""

    def __init__(
        self, answers: Answers, smoothing: Smoothing, mirror: Sequence[int] | None, truth: Places
    ) -> None:
        _, self._workers, self._labels = answers.shape
        self._counts = answers.by_worker()
        self._by_item = sparse.csr_array(self._counts.T)
        self._mirror = _mirror(mirror, self._labels)
        one = np.eye(self._labels, dtype=np.bool_)
        self._errors = np.where(one, smoothing.right, smoothing.wrong)
        self._shares = smoothing.shares
        self._truth, self._open = truth, truth == UNKNOWN

    def anchor(self, posteriors: Numbers) -> Numbers:
        """Put what is known in place of what is believed."""
        sure = np.eye(self._labels)[self._truth]
        return np.where(self._open[:, None], posteriors, sure)

    def fit(self, posteriors: Numbers) -> tuple[Numbers, Numbers]:
        """M: shares and confusions from the posteriors."""
        shares = posteriors[self._open].sum(axis=0) + self._shares
        counted = (self._counts @ posteriors).reshape(self._workers, self._labels, self._labels)
        errors = counted.transpose(0, 2, 1) + self._errors
        if self._mirror is not None:
            shares = (shares + shares[self._mirror]) / 2
            errors = (errors + errors[:, self._mirror][:, :, self._mirror]) / 2
        return shares / shares.sum(), errors / errors.sum(axis=2, keepdims=True)

    def expect(self, shares: Numbers, confusions: Numbers) -> Numbers:
        """E: posteriors from shares and confusions."""
        evidence = self._told(confusions) + np.log(shares)
        return self.anchor(np.exp(evidence - logsumexp(evidence, axis=1, keepdims=True)))

    def conclude(self, posteriors: Numbers, passes: int, settled: bool) -> Consensus:
        """Fit once more, so that all that is returned belongs together."""
        shares, confusions = self.fit(posteriors)
        posteriors = self.expect(shares, confusions)
        likelihood = self.log_likelihood(shares, confusions)
        posterior = likelihood + self.log_prior(shares, confusions)
        return Consensus(posteriors, shares, confusions, likelihood, posterior, passes, settled)

    def log_likelihood(self, shares: Numbers, confusions: Numbers) -> float:
        """Return the log-probability of all answers."""
        told = self._told(confusions)
        # A known item is not drawn by the shares: only what was said of it counts.
        anchors = told[np.arange(len(told)), self._truth]
        drawn = logsumexp(told + np.log(shares), axis=1)
        return float(np.where(self._open, drawn, anchors).sum())

    def log_prior(self, shares: Numbers, confusions: Numbers) -> float:
        """Return the logarithm of the Dirichlet priors, but for a constant."""
        errors = (self._errors * np.log(confusions)).sum()
        return float(self._shares * np.log(shares).sum() + errors)

    def _told(self, confusions: Numbers) -> Numbers:
        """Return the log-probability of what was said of each item, were each label true."""
        logs = np.log(confusions).transpose(0, 2, 1)
        return np.asarray(self._by_item @ logs.reshape(-1, self._labels), dtype=np.float64)


def _mirror(mirror: Sequence[int] | None, labels: int) -> Places | None:
    if mirror is None:
        return None
    turned = np.asarray(mirror, dtype=np.intp)
    if sorted(mirror) != list(range(labels)) or (turned[turned] != np.arange(labels)).any():
        raise BadOption(f"mirror must swap labels 0 to {labels - 1} in pairs, got {mirror}")
    return turned


def _truth(answers: Answers, known: ArrayLike | None) -> Places:
    items, _, labels = answers.shape
    if known is None:
        return np.full(items, UNKNOWN, dtype=np.intp)
    truth = np.array(known, dtype=np.intp)
    if truth.shape != (items,) or ((truth < UNKNOWN) | (truth >= labels)).any():
        raise BadInput(f"known must give each of {items} items one of {labels} labels, or UNKNOWN")
    return truth


def _first_guess(answers: Answers) -> Numbers:
    """Begin with the shares of the votes."""
    counts = answers.by_item().astype(np.float64)
    voted = counts.sum(axis=1, keepdims=True)
    even = np.full(counts.shape, 1.0 / max(1, counts.shape[1]))
    guess: Numbers = np.divide(counts, voted, out=even, where=voted > 0)
    return guess
