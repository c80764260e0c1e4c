"""Dawid and Skene's EM (Applied Statistics 1979): true labels and workers' confusion matrices.

Worker w gives label l to an item whose true label is j with probability e[w, j, l] (the confusion
matrix); p[j] is the prevalence of label j. With n[i, w, l] the number of such responses and t[i, j]
the posterior probability that j is the true label of item i,

    E:  t[i, j] ~ p[j] * prod over w, l of e[w, j, l] ** n[i, w, l]
    M:  e[w, j, l] ~ a[j, l] + sum over i of t[i, j] n[i, w, l]
        p[j] ~ b + sum over i of t[i, j]

The pseudo-counts a and b are Dirichlet priors. Those of a favour the diagonal: a worker with few
responses is then expected to be right more often than wrong, and labels cannot be permuted.

Written by hand because crowd-kit, the library that has it, brings 320 MB; both steps are one sparse
product each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import logsumexp

from nextpair.selectors.aggregation.responses import UNKNOWN, FloatArray, IndexArray, Responses
from nextpair.selectors.errors import BadInput, BadOption

TOLERANCE = 1e-6
MAX_ITERATIONS = 1000


@dataclass(frozen=True, slots=True)
class PseudoCounts:
    """The Dirichlet priors: of each prevalence, and of a confusion matrix on and off its diagonal.

    With smaller counts for the workers, EM separates workers who are all alike by chance and does
    worse than a majority; with larger ones, spammers are trusted for longer.
    """

    prevalence: float = 1.0
    right: float = 8.0
    wrong: float = 2.0

    def __post_init__(self) -> None:
        if min(self.prevalence, self.right, self.wrong) <= 0:
            raise BadOption(f"pseudo-counts must be above zero, got {self}")


@dataclass(frozen=True, slots=True)
class DawidSkeneFit:
    """The result of EM.

    Parameters
    ----------
    posteriors
        By item and label: how probable it is that the label is true.
    prevalences
        The share of items of each label; gold items do not count, because they were selected.
    confusions
        By worker, true label and given label.
    log_likelihood
        Of the responses, under these prevalences and confusion matrices.
    log_posterior
        The same plus the priors; this is what no iteration lowers.
    converged
        Whether the last iteration moved no posterior by more than the tolerance.
    """

    posteriors: FloatArray
    prevalences: FloatArray
    confusions: FloatArray
    log_likelihood: float
    log_posterior: float
    iterations: int
    converged: bool

    def labels(self) -> IndexArray:
        """Return the most probable label of each item, the first of several."""
        return np.asarray(self.posteriors.argmax(axis=1), dtype=np.intp)

    def reliabilities(self) -> FloatArray:
        """Return the expected share of right responses of each worker, given the prevalences."""
        right = np.diagonal(self.confusions, axis1=1, axis2=2)
        return np.asarray(right @ self.prevalences, dtype=np.float64)


def dawid_skene(
    responses: Responses,
    *,
    gold: ArrayLike | None = None,
    mirror: Sequence[int] | None = None,
    pseudo_counts: PseudoCounts | None = None,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> DawidSkeneFit:
    """Estimate the true label of each item and the confusion matrix of each worker.

    Parameters
    ----------
    gold
        The true label of each item, `UNKNOWN` where it is to be estimated. The posterior of a gold
        item is clamped to its label, so gold items calibrate the confusion matrices.
    mirror
        For labels that are outcomes of pairs: what each label becomes when the two documents
        change sides. Confusion matrices and prevalences are then symmetric under this, so it does
        not matter which of the two orders of a pair is stored, and there are fewer parameters.
    """
    if responses.shape[2] < 1:
        raise BadInput("there must be at least one label")
    em = _EM(responses, pseudo_counts or PseudoCounts(), mirror, _gold_labels(responses, gold))
    posteriors = em.clamp(_vote_shares(responses))
    iterations, change = 0, np.inf
    while iterations < max_iterations and change > tolerance:
        previous, posteriors = posteriors, em.e_step(*em.m_step(posteriors))
        change = float(np.abs(posteriors - previous).max(initial=0))
        iterations += 1
    return em.result(posteriors, iterations, change <= tolerance)


class _EM:
    """The two steps, over responses that are counted once."""

    def __init__(
        self,
        responses: Responses,
        pseudo_counts: PseudoCounts,
        mirror: Sequence[int] | None,
        gold: IndexArray,
    ) -> None:
        _, self._workers, self._labels = responses.shape
        self._counts = responses.by_worker()
        self._by_item = sparse.csr_array(self._counts.T)
        self._mirror = _mirror_permutation(mirror, self._labels)
        diagonal = np.eye(self._labels, dtype=np.bool_)
        self._confusion_prior = np.where(diagonal, pseudo_counts.right, pseudo_counts.wrong)
        self._prevalence_prior = pseudo_counts.prevalence
        self._gold, self._open = gold, gold == UNKNOWN

    def clamp(self, posteriors: FloatArray) -> FloatArray:
        """Replace the posteriors of gold items by certainty."""
        certain = np.eye(self._labels)[self._gold]
        return np.where(self._open[:, None], posteriors, certain)

    def m_step(self, posteriors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return prevalences and confusion matrices, given the posteriors."""
        prevalences = posteriors[self._open].sum(axis=0) + self._prevalence_prior
        counts = (self._counts @ posteriors).reshape(self._workers, self._labels, self._labels)
        confusions = counts.transpose(0, 2, 1) + self._confusion_prior
        if self._mirror is not None:
            prevalences = (prevalences + prevalences[self._mirror]) / 2
            confusions = (confusions + confusions[:, self._mirror][:, :, self._mirror]) / 2
        return prevalences / prevalences.sum(), confusions / confusions.sum(axis=2, keepdims=True)

    def e_step(self, prevalences: FloatArray, confusions: FloatArray) -> FloatArray:
        """Return the posteriors, given prevalences and confusion matrices."""
        log_joint = self._log_likelihoods(confusions) + np.log(prevalences)
        return self.clamp(np.exp(log_joint - logsumexp(log_joint, axis=1, keepdims=True)))

    def result(self, posteriors: FloatArray, iterations: int, converged: bool) -> DawidSkeneFit:
        """Take both steps once more, so that all parts of the result belong together."""
        prevalences, confusions = self.m_step(posteriors)
        posteriors = self.e_step(prevalences, confusions)
        likelihood = self.log_likelihood(prevalences, confusions)
        posterior = likelihood + self.log_prior(prevalences, confusions)
        return DawidSkeneFit(
            posteriors, prevalences, confusions, likelihood, posterior, iterations, converged
        )

    def log_likelihood(self, prevalences: FloatArray, confusions: FloatArray) -> float:
        """Return the log-probability of all responses."""
        by_label = self._log_likelihoods(confusions)
        # The label of a gold item is not drawn from the prevalences: only its responses count.
        of_gold = by_label[np.arange(len(by_label)), self._gold]
        marginal = logsumexp(by_label + np.log(prevalences), axis=1)
        return float(np.where(self._open, marginal, of_gold).sum())

    def log_prior(self, prevalences: FloatArray, confusions: FloatArray) -> float:
        """Return the logarithm of the Dirichlet priors, up to a constant."""
        of_confusions = (self._confusion_prior * np.log(confusions)).sum()
        return float(self._prevalence_prior * np.log(prevalences).sum() + of_confusions)

    def _log_likelihoods(self, confusions: FloatArray) -> FloatArray:
        """Return the log-probability of each item's responses under each true label."""
        logs = np.log(confusions).transpose(0, 2, 1)
        return np.asarray(self._by_item @ logs.reshape(-1, self._labels), dtype=np.float64)


def _mirror_permutation(mirror: Sequence[int] | None, labels: int) -> IndexArray | None:
    if mirror is None:
        return None
    permutation = np.asarray(mirror, dtype=np.intp)
    if (
        sorted(mirror) != list(range(labels))
        or (permutation[permutation] != np.arange(labels)).any()
    ):
        raise BadOption(f"mirror must swap labels 0 to {labels - 1} in pairs, got {mirror}")
    return permutation


def _gold_labels(responses: Responses, gold: ArrayLike | None) -> IndexArray:
    items, _, labels = responses.shape
    if gold is None:
        return np.full(items, UNKNOWN, dtype=np.intp)
    known = np.array(gold, dtype=np.intp)
    if known.shape != (items,) or ((known < UNKNOWN) | (known >= labels)).any():
        raise BadInput(f"gold must give each of {items} items one of {labels} labels, or UNKNOWN")
    return known


def _vote_shares(responses: Responses) -> FloatArray:
    """Return the shares of the votes by item and label: where EM starts."""
    counts = responses.by_item().astype(np.float64)
    votes = counts.sum(axis=1, keepdims=True)
    uniform = np.full(counts.shape, 1.0 / max(1, counts.shape[1]))
    shares: FloatArray = np.divide(counts, votes, out=uniform, where=votes > 0)
    return shares
