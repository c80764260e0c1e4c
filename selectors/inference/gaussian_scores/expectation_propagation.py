"""Expectation propagation: scores fitted to all comparisons (Minka, 2001; TrueSkill).

Notation. s is the vector of scores, with the prior N(prior mean, scale^2) for each; d = s_i - s_j
the difference that answer a is about; P(a | d) its likelihood (`thurstone.py`), in which worker w
answers by the model, reversed or at random (`response_mixture.py`).

Updates. Every P(a | d) is approximated by a Gaussian site, exp(shift d - precision d^2 / 2). A
sweep takes each site out (the cavity), and matches the moments of cavity times likelihood. At first
sites factorise into one Gaussian per document, so that a sweep takes time in proportion to the
answers. Then, where documents are few enough, sites are on differences and the same is done with
the whole covariance (`dense_propagation.py`), which is exact where loops are not. Tie margin and
workers are updated along. The scale is fixed meanwhile, and has a posterior of its own
(`scale_posterior.py`).

A fit starts from nothing: it is a function of the comparisons alone.
"""

import copy
from dataclasses import dataclass

import numpy as np

from nextpair.selectors.inference.comparisons import TIE, WORSE, Comparisons
from nextpair.selectors.inference.gaussian_scores.score_prior import ScorePrior
from nextpair.selectors.inference.gaussian_scores.thurstone import (
    outcome_likelihood,
    outcome_probabilities,
)
from nextpair.selectors.inference.numerics import Array, Indices
from nextpair.selectors.inference.workers.response_mixture import ResponseMixture

MARGINS = 0.05 * 1.1 ** np.arange(45)
"""The tie margins that are considered, from almost no ties to almost nothing else."""
USUAL_MARGIN, LOG_MARGIN_DEVIATION = 0.3, 1.5
"""The log-normal prior of the tie margin: its median, and the deviation of its logarithm."""
UNIFORM_WORKER_SWEEPS, SWEEPS = 8, 16
"""Sweeps in which all workers are alike, and of all: while nothing is known of the documents, a
worker who is asked about close ones seems to guess, and all documents seem close."""
DAMPING = 0.3
"""The weight of the old site when a site is updated."""
MAX_CURVATURE = 0.98
"""The largest curvature of a site, over the precision of its cavity."""
MIN_PRECISION = 1e-3
"""The smallest precision of a cavity."""

Moments = tuple[Array, Array]
"""Means and variances."""


@dataclass(frozen=True, slots=True)
class ScoreData:
    """Comparisons, and the prior of the scores they are about.

    Parameters
    ----------
    size
        How many documents there are.
    """

    size: int
    comparisons: Comparisons
    prior: ScorePrior

    @property
    def has_ties(self) -> bool:
        """Whether any answer was a tie."""
        return bool((self.comparisons.outcome == TIE).any())

    @property
    def random_probability(self) -> float:
        """The probability of an outcome that is random; ties count once there is one."""
        return 1 / 3 if self.has_ties else 1 / 2

    def sum_by_document(self, of_first: Array, of_second: Array) -> Array:
        """Sum, by document, values of the first and the second sides of comparisons."""
        total = np.bincount(self.comparisons.first, of_first, self.size)
        return np.asarray(total + np.bincount(self.comparisons.second, of_second, self.size))


class ExpectationPropagation:
    """The state of a fit: approximate posterior, sites, workers and tie margin.

    `site_precisions` and `site_shifts` are the answers as Gaussian sites on differences of scores.

    Parameters
    ----------
    scale
        The prior standard deviation of scores.
    """

    def __init__(self, data: ScoreData, workers: ResponseMixture, scale: float) -> None:
        self.data, self.workers, self.scale = data, workers, scale
        count = len(data.comparisons)
        self.has_ties = data.has_ties
        self.margin = USUAL_MARGIN if self.has_ties else 0.0
        self.prior_means = data.prior.initial_means()
        self.means = self.prior_means.copy()
        self.variances = np.full(data.size, scale**2)
        self.site_precisions = np.zeros(count)
        self.site_shifts = np.zeros(count)
        self._of_first, self._of_second = (np.zeros((2, count)) for _ in range(2))
        self._workers_are_uniform = False

    def copy(self) -> "ExpectationPropagation":
        """Return a fit that can be continued independently."""
        copied = copy.copy(self)
        copied.workers = copy.copy(self.workers)
        return copied

    def propagate(self) -> None:
        """Run the first sweeps, at first as if all workers were alike."""
        self._workers_are_uniform = True
        self.sweep(UNIFORM_WORKER_SWEEPS)
        self._workers_are_uniform = False
        self.sweep(SWEEPS - UNIFORM_WORKER_SWEEPS)

    def sweep(self, times: int) -> None:
        """Update all factorised sites, some times over."""
        for _ in range(times):
            self._update_sites()
        self._combine_sites()

    def _update_sites(self) -> None:
        self._combine_sites()
        first, second = self.cavities()
        mean, variance = first[0] - second[0], first[1] + second[1]
        slope, curvature = self.update_from_cavities(mean, variance)
        curvature = np.minimum(curvature, MAX_CURVATURE / variance)
        self.site_precisions, self.site_shifts = gaussian_site(mean, variance, slope, curvature)
        if not self._workers_are_uniform:
            self.update_prior_means()
        self._of_first = _damped(self._of_first, gaussian_site(*first, slope, curvature))
        self._of_second = _damped(self._of_second, gaussian_site(*second, -slope, curvature))

    def _combine_sites(self) -> None:
        of_first, of_second = self._of_first, self._of_second
        prior_precision = 1 / self.scale**2
        precision = prior_precision + self.data.sum_by_document(of_first[0], of_second[0])
        shift = prior_precision * self.prior_means
        shift = shift + self.data.sum_by_document(of_first[1], of_second[1])
        self.means, self.variances = shift / precision, 1 / precision

    @property
    def document_sites(self) -> tuple[Array, Array]:
        """The factorised sites: precisions and shifts for first, and for second documents."""
        return self._of_first, self._of_second

    def cavities(self) -> tuple[Moments, Moments]:
        """Return the moments of both documents' scores without the site of each answer."""
        comparisons = self.data.comparisons
        return (
            self._cavity(comparisons.first, self._of_first),
            self._cavity(comparisons.second, self._of_second),
        )

    def _cavity(self, documents: Indices, sites: Array) -> Moments:
        precision = 1 / self.variances[documents]
        remaining = np.maximum(precision - sites[0], MIN_PRECISION)
        return (self.means[documents] * precision - sites[1]) / remaining, 1 / remaining

    def update_from_cavities(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Update workers and tie margin; return the derivatives of each answer's log evidence.

        The derivatives are the first by the cavity mean, and the second times -1.

        Parameters
        ----------
        mean, variance
            The cavity moments of the difference.
        """
        outcomes, random_probability = self.data.comparisons.outcome, self.data.random_probability
        weights = self.workers.cavity_weights()
        of_all = outcome_likelihood(mean, variance, self.margin)
        likelihood, reversed_ = of_all.of(outcomes), of_all.of(WORSE - outcomes)
        if not self._workers_are_uniform:
            self.workers.update(likelihood, reversed_, random_probability)
        if self.has_ties:
            self.margin = self._best_neighbouring_margin(mean, variance, weights)
        mixture = likelihood.mixture(reversed_, weights, random_probability)
        slope, curvature = mixture.log_derivatives()
        return slope, np.maximum(curvature, 1e-6)

    def _best_neighbouring_margin(self, mean: Array, variance: Array, weights: Array) -> float:
        """Return the tie margin with the highest posterior among those near the current one."""
        outcomes, random_probability = self.data.comparisons.outcome, self.data.random_probability
        current = int(np.abs(MARGINS - self.margin).argmin())
        neighbours = MARGINS[max(current - 2, 0) : current + 3]
        columns = np.arange(len(outcomes))

        def log_posterior(margin: float) -> float:
            of_all = outcome_probabilities(mean, variance, margin)
            by_model, reversed_ = of_all[outcomes, columns], of_all[WORSE - outcomes, columns]
            likelihood = (
                weights[0] * by_model + weights[1] * reversed_ + weights[2] * random_probability
            )
            deviations = np.log(margin / USUAL_MARGIN) / LOG_MARGIN_DEVIATION
            return float(np.log(likelihood).sum() - deviations**2 / 2)

        return float(max(neighbours.tolist(), key=log_posterior))

    def update_prior_means(self) -> None:
        """Fit the prior means to the current scores."""
        if self.data.prior.is_informative:
            certainty = 1 - np.minimum(self.variances / self.scale**2, 1.0)
            self.prior_means = self.data.prior.means_given(self.means, certainty)


def _damped(old: Array, new: tuple[Array, Array]) -> Array:
    return DAMPING * old + (1 - DAMPING) * np.stack(new)


def gaussian_site(
    mean: Array, variance: Array, slope: Array, curvature: Array
) -> tuple[Array, Array]:
    """Return the Gaussian site, as precision and shift, that matches an answer's moments.

    Parameters
    ----------
    mean, variance
        The moments of the cavity.
    slope, curvature
        The derivatives of the answer's log evidence by the cavity mean.
    """
    remaining = 1 - variance * curvature
    precision = curvature / remaining
    shift: Array = (mean + variance * slope) / (variance * remaining) - mean / variance
    return precision, shift
