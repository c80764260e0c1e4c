"""The inference schedule of scores: fits as comparisons grow, made by whoever reads first.

A fit is a function of the first comparisons up to some number. Between two fits every comparison
updates the posterior by one step, in the order in which they came. So the same log gives the same
posterior, whoever read it meanwhile, and a fold over a long log takes one fit.
"""

from collections.abc import Sequence

import numpy as np

from nextpair.selectors.inference.comparisons import TIE, WORSE, Comparisons, Observation
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import ScoreData
from nextpair.selectors.inference.gaussian_scores.model_averaging import (
    AveragedFit,
    average_over_crowds,
)
from nextpair.selectors.inference.gaussian_scores.posterior import ScorePosterior
from nextpair.selectors.inference.gaussian_scores.score_prior import ScorePrior
from nextpair.selectors.inference.gaussian_scores.thurstone import outcome_likelihood
from nextpair.selectors.inference.numerics import Array
from nextpair.selectors.inference.schedule import InferenceSchedule
from nextpair.selectors.inference.workers.response_mixture import WorkerRegistry
from nextpair.selectors.state.bayesian_selector import Reliability
from nextpair.selectors.state.documents import Documents

REFIT_DIVISOR, MAX_STEPS = 7, 256
"""A fit is due when the comparisons have grown by one in this many, or by this many."""
CURRENT_EFFORT, CONVERGED_EFFORT = (3, 2), (6, 6)
"""The steps of the scale in a fit, and the sweeps after each: to choose pairs, and to report."""
MAX_CURVATURE = 0.95
"""The largest curvature of a step, over the precision of the difference."""


class ScoreSnapshot:
    """The posterior over scores and workers as of some comparison."""

    def __init__(self, fit: AveragedFit, data: ScoreData, workers: WorkerRegistry) -> None:
        scores = fit.scores
        self.posterior = ScorePosterior(scores.means, scores.variances, scores.covariance)
        self.margin, self.has_ties = fit.margin, data.has_ties
        self._random_probability = data.random_probability
        self._kinds = fit.kinds
        self._workers = workers

    def observe(self, observations: Sequence[Observation]) -> None:
        """Update the posterior by one step for each comparison (assumed density filtering)."""
        for first, second, outcome, worker in observations:
            mean, variance = self.posterior.difference(first, second)
            of_all = outcome_likelihood(np.array([mean]), np.array([variance]), self.margin)
            weights = self._kinds.weights(self._workers.find(worker))[:, None]
            likelihood = of_all.of(np.array([outcome]))
            reversed_ = of_all.of(np.array([WORSE - outcome]))
            mixture = likelihood.mixture(reversed_, weights, self._random_probability)
            slope, curvature = mixture.log_derivatives()
            # The first ties come before any fit has a tie margin.
            if outcome == TIE and not self.has_ties:
                slope, curvature = np.zeros(1), np.zeros(1)
            bounded = min(max(float(curvature[0]), 0.0), MAX_CURVATURE / variance)
            self.posterior.update(first, second, float(slope[0]), bounded)

    def random_kind_probability(self, worker: str) -> float:
        """Return the probability that a worker always answers at random."""
        return self._kinds.random_kind_probability(self._workers.find(worker))

    def reliabilities(self) -> list[Reliability]:
        """Describe the workers who have answered."""
        return self._kinds.reliabilities(self._workers.names)


class ScoreSchedule(InferenceSchedule[ScoreSnapshot]):
    """The posterior over a topic's scores, fitted from time to time."""

    def __init__(self, documents: Documents) -> None:
        self._size = len(documents)
        self._prior = ScorePrior(documents)
        self._comparisons = Comparisons()
        self._workers = WorkerRegistry()
        self._gold = self._workers.gold_log_likelihood()
        self._fit_due, self._fit_count = 1, 0
        self._recent: list[Observation] = []
        self._current: ScoreSnapshot | None = None
        self._converged: ScoreSnapshot | None = None

    @property
    def count(self) -> int:
        """How many comparisons there are."""
        return len(self._comparisons)

    def observe(self, first: int, second: int, outcome: int, worker: str) -> None:
        """Add one comparison."""
        self._comparisons.append(first, second, outcome, self._workers.number(worker))
        self._recent.append((first, second, outcome, worker))
        self._converged = None
        count = len(self._comparisons)
        if count >= self._fit_due:
            self._fit_due = count + max(1, min(count // REFIT_DIVISOR, MAX_STEPS))
            self._fit_count, self._gold = count, self._workers.gold_log_likelihood()
            self._current = None
            self._recent.clear()

    def observe_gold(self, worker: str, truth: int, outcome: int) -> None:
        """Add the response to a gold question; it counts from the next fit on."""
        self._workers.observe_gold(worker, truth, outcome)
        self._converged = None

    def current(self) -> ScoreSnapshot:
        """Return a posterior that is good enough to choose the next pair."""
        if self._current is None:
            self._current = self._fit(self._fit_count, self._gold, CURRENT_EFFORT)
        self._current.observe(self._recent)
        self._recent.clear()
        return self._current

    def converged(self) -> ScoreSnapshot:
        """Return a posterior that is fitted to all comparisons, to be reported."""
        if self._converged is None:
            gold = self._workers.gold_log_likelihood()
            self._converged = self._fit(len(self._comparisons), gold, CONVERGED_EFFORT)
        return self._converged

    def _fit(self, count: int, gold: Array, effort: tuple[int, int]) -> ScoreSnapshot:
        """Fit everything to the first comparisons."""
        data = ScoreData(self._size, self._comparisons.prefix(count), self._prior)
        return ScoreSnapshot(average_over_crowds(data, gold, effort), data, self._workers)
