"""Information gain: the pair whose answer tells most about scores on a continuous scale.

Ours, for essays, images, answers of language models: documents that fall into no classes. Scores
have a Gaussian posterior with a covariance, fitted by expectation propagation
(`inference/gaussian_scores/expectation_propagation.py`); answers, ties among them, are weighted by
the reliability of their worker. The next pair is the one whose answer has the most mutual
information with the scores, weighted by the importance of its documents for the stopping rule.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.base import Choice, Idle, WorkerHistory
from nextpair.selectors.errors import BadOption
from nextpair.selectors.inference.gaussian_scores import summaries
from nextpair.selectors.inference.gaussian_scores.acquisition import ScoreAcquisition, anticipate
from nextpair.selectors.inference.gaussian_scores.information_table import InformationTable
from nextpair.selectors.inference.gaussian_scores.posterior import ScorePosterior
from nextpair.selectors.inference.gaussian_scores.schedule import ScoreSchedule, ScoreSnapshot
from nextpair.selectors.inference.gaussian_scores.stopping import (
    ScoreStoppingRule,
    ScoreStoppingStatus,
)
from nextpair.selectors.inference.numerics import Array
from nextpair.selectors.inference.stopping import JudgmentBudget
from nextpair.selectors.state.bayesian_selector import BayesianSelector, Reliability
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Outcome, Pair
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.settings import Forecast, Judges

MIN_BEST_PROBABILITY = 0.02
"""Where the best document is looked for, one that is less likely to be it is not asked about."""


@dataclass(frozen=True, slots=True)
class InformationGainOptions:
    """The options of information gain.

    Parameters
    ----------
    risk
        The stopping rule: the expected share of pairs in the wrong order; with `top`, the
        probability that these are not the best documents.
    top
        Only this many of the best documents are looked for; 0 for the whole order. With 1,
        documents that are unlikely to be the best are not asked about any more.
    width
        In place of the risk: the mean width of the 90 % intervals of scores; 0 for none.
    budget
        Judgments per document after which nothing more is asked; 0 for no limit.
    ease
        The smallest probability with which a judge is to find the better of two documents: from 0.5
        for any pair to below 1. Pairs that are too close discourage untrained judges.
    dismiss
        The probability of answering at random from which a worker is asked nothing more; 1 for
        never.
    """

    risk: float = 0.02
    top: int = 0
    width: float = 0.0
    budget: float = 10.0
    ease: float = 0.5
    dismiss: float = 0.9

    def __post_init__(self) -> None:
        for name, least, most in (("risk", 0, 0.5), ("ease", 0.5, 1), ("dismiss", 0.5, 1.001)):
            if not least <= getattr(self, name) < most:
                limit = "up to 1" if most > 1 else f"below {most}"
                raise BadOption(f"{name} must be from {least} to {limit}, got {self._get(name)}")
        for name in ("top", "width", "budget"):
            if not 0 <= getattr(self, name) < np.inf:
                raise BadOption(f"{name} must not be negative, got {self._get(name)}")

    def _get(self, name: str) -> object:
        return getattr(self, name)


class InformationGain(BayesianSelector):
    """Keeps a posterior over every document's score, and asks for the most informative pair."""

    name = "information-gain"
    Options = InformationGainOptions

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        self._schedule = ScoreSchedule(documents)
        self._stopping_rule = ScoreStoppingRule(options.risk, options.top, options.width)
        self._budget = JudgmentBudget(options.budget, len(documents))
        self._tables: dict[float, InformationTable] = {}
        self._settled_order: Order | None = None

    def observe(self, first: int, second: int, outcome: Outcome, worker: str) -> None:
        """Update the posterior with one judgment."""
        self._schedule.observe(first, second, outcome.code, worker)
        self._settled_order = None

    def observe_gold(self, truth: Outcome, said: Outcome, worker: str) -> None:
        """Update the worker model with the response to a gold question."""
        self._schedule.observe_gold(worker, truth.code, said.code)
        self._settled_order = None

    @classmethod
    def defaults_for(cls, judges: Judges, given: Mapping[str, object]) -> Mapping[str, object]:
        """Dismiss nobody where judges are few: nobody would be left."""
        return {} if judges is Judges.CROWD else {"dismiss": 1.0}

    # -- choosing a pair ------------------------------------------------------------------------

    def choose_pair(
        self, worker: WorkerHistory, open_pairs: Counter[Pair], rng: np.random.Generator
    ) -> Choice:
        """Choose the most informative pair among those this worker may have."""
        if len(self.documents) < 2 or self.budget_spent:
            return Idle.DONE
        snapshot = self._schedule.current()
        status = self._stopping_rule.status(snapshot.posterior, snapshot.margin)
        if status.is_met:
            return Idle.DONE
        if self._is_spent_with(open_pairs):
            return Idle.WAIT
        if snapshot.random_kind_probability(worker.id) > self.options.dismiss:
            return Idle.SEEN
        best = self._acquisition(snapshot, status, worker, open_pairs, rng).best_pair()
        return Idle.WAIT if best is None else best

    @property
    def budget_spent(self) -> bool:
        """Whether as many judgments have been given as the budget allows."""
        return self._is_spent_with(Counter())

    @property
    def goal_reached(self) -> bool:
        """Whether no more pairs are expected in the wrong order than may be."""
        return len(self.documents) < 2 or self._converged_status().is_met

    def _converged_status(self) -> ScoreStoppingStatus:
        snapshot = self._schedule.converged()
        return self._stopping_rule.status(snapshot.posterior, snapshot.margin)

    def _is_spent_with(self, open_pairs: Counter[Pair]) -> bool:
        return self._budget.is_spent(self._schedule.count + open_pairs.total())

    def _acquisition(
        self,
        snapshot: ScoreSnapshot,
        status: ScoreStoppingStatus,
        worker: WorkerHistory,
        open_pairs: Counter[Pair],
        rng: np.random.Generator,
    ) -> ScoreAcquisition:
        posterior = snapshot.posterior
        if open_pairs:
            posterior = anticipate(posterior, open_pairs, snapshot.margin)
            status = self._stopping_rule.status(posterior, snapshot.margin)
        importance, only_best = status.importance, self.options.top == 1
        if only_best:
            importance = np.where(importance < 2 * MIN_BEST_PROBABILITY, 0.0, importance)
        return ScoreAcquisition(
            posterior,
            self._information_table(snapshot),
            importance,
            frozenset((*open_pairs, *worker.answered, *worker.held)),
            rng.random(len(self.documents)),
            neighbours_only=not posterior.has_covariance,
            both_important=only_best,
        )

    def _information_table(self, snapshot: ScoreSnapshot) -> InformationTable:
        """Return the table for the tie margin, of which there are few values."""
        key = snapshot.margin if snapshot.has_ties else -1.0
        if key not in self._tables:
            self._tables[key] = InformationTable(
                snapshot.margin, snapshot.has_ties, self.options.ease
            )
        return self._tables[key]

    # -- reporting ------------------------------------------------------------------------------

    @property
    def _posterior(self) -> ScorePosterior:
        return self._schedule.converged().posterior

    def settled_order(self) -> Order:
        """Return the order of the documents whose intervals do not overlap."""
        if self._settled_order is None:
            self._settled_order = summaries.interval_order(self._posterior)
        return self._settled_order

    def settled_documents(self) -> NDArray[np.bool_]:
        """Return the documents whose certainty is high enough, or all once the goal is reached."""
        if self.goal_reached:
            return np.ones(len(self.documents), dtype=np.bool_)
        settled: NDArray[np.bool_] = self.certainty() >= 1 - self.options.risk
        return settled

    def point_estimates(self) -> Array:
        """Return the posterior mean of each score, larger is better."""
        return self._posterior.means.copy()

    def standard_errors(self) -> Array:
        """Return the posterior standard deviation of each score."""
        errors: Array = np.sqrt(self._posterior.variances)
        return errors

    def difference_variances(self) -> Array:
        """Return the posterior variance of the difference of every two scores."""
        return self._posterior.difference_variances(np.arange(len(self.documents)))

    def certainty(self) -> Array:
        """Return the mean probability that each document is on the right side of another one."""
        return summaries.certainty(self._posterior)

    def win_probability(self, first: int, second: int) -> float:
        """Return the probability that the first of two documents is the better one."""
        return summaries.win_probability(self._posterior, first, second)

    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered."""
        return self._schedule.converged().reliabilities()

    def forecast(self) -> Forecast | None:
        """Forecast how many more judgments are needed."""
        judgments = self._schedule.count
        remaining = self._budget.remaining(judgments)
        return summaries.forecast(
            self._converged_status(), self._stopping_rule, judgments, remaining
        )
