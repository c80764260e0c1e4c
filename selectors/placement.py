"""Placement: find the class of every document, with no more answers than that takes.

Ours, after what Merge-Tie-Judge asks of its successors: to need fewer judgments, and to tolerate
contradictory answers. Documents have latent places among ordered classes, and workers confusion
matrices; belief propagation over all answers gives the posterior
(`inference/ordinal_classes/posterior.py`). The next pair is the one with the highest expected
information gain. No pair is asked a fixed number of times: certain documents are left alone, and
uncertain ones are asked about again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from nextpair.selectors.base import Choice, Idle, Selector, WorkerHistory
from nextpair.selectors.errors import BadOption
from nextpair.selectors.inference.exact_classes.exact_placement import ExactPlacement
from nextpair.selectors.inference.numerics import Array, Mask
from nextpair.selectors.inference.ordinal_classes.acquisition import (
    ClassAcquisition,
    InformativePair,
    documents_of,
    draw_opponents,
)
from nextpair.selectors.inference.ordinal_classes.anchored_components import AnchoredComponents
from nextpair.selectors.inference.ordinal_classes.credible_intervals import place_intervals
from nextpair.selectors.inference.ordinal_classes.disambiguation import disambiguating_choice
from nextpair.selectors.inference.ordinal_classes.eligibility import eligible_documents
from nextpair.selectors.inference.ordinal_classes.forecast import forecast
from nextpair.selectors.inference.ordinal_classes.schedule import ClassSchedule
from nextpair.selectors.inference.ordinal_classes.snapshot import ClassSnapshot
from nextpair.selectors.inference.ordinal_classes.stopping import (
    ClassStoppingRule,
    ClassStoppingStatus,
)
from nextpair.selectors.inference.stopping import JudgmentBudget
from nextpair.selectors.inference.workers.crowd import USUAL_ERROR
from nextpair.selectors.state.bayesian_selector import BayesianSelector, Reliability
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Outcome, Pair, unordered
from nextpair.selectors.state.layout import placed_documents
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.settings import Forecast, Judges

REFERENCE_CERTAINTY = 0.9
"""The probability of a document's place from which others are compared with it."""
MAX_UNFINISHED_SHARE = 0.15
"""No new document is judged while more than this share of the judged ones may be misplaced."""
MAX_UNFINISHED_JUDGMENTS = 3.0
"""But that ends after this many judgments per judged document: some uncertainty stays, whatever is
asked."""
UNFINISHED_PREFERENCE = 3.0
"""A pair with a judged document is preferred until a new one gives this many times its
information."""
MIN_TIE_ACCURACY = 0.6
"""If fewer answers to ties are ties, classes are no more than a way to choose pairs."""
CAREFUL_ERROR = 0.05
"""The share of wrong answers to be expected of careful people."""
JITTER = 1e-6
"""The size of the random numbers that break ties between equally informative pairs."""


@dataclass(frozen=True, slots=True)
class PlacementOptions:
    """The options of placement.

    Parameters
    ----------
    risk
        How many documents may be misplaced, as a share of those outside the largest class. With 0
        every answer is taken for true and the whole order is proven, whatever the other options.
    top
        Only this many of the best documents have to be settled; 0 for all.
    budget
        Judgments per document after which nothing more is asked; 0 for no limit. Uninformative
        answers, or documents that can neither be ordered nor tied, would never end.
    stay
        The share of the information that may be given up to keep a document on the worker's screen.
    hurry
        How many pairs may be open for every document that is expected to be misplaced. With more, a
        crowd is done sooner but needs more answers: some answers would have made others
        unnecessary.
    error
        The expected share of wrong answers of a new worker. It counts for less with each answer.
    """

    risk: float = 0.02
    top: int = 0
    budget: float = 10.0
    stay: float = 0.05
    hurry: float = 1.0
    error: float = USUAL_ERROR

    def __post_init__(self) -> None:
        for name in ("risk", "stay"):
            if not 0 <= getattr(self, name) < 1:
                raise BadOption(f"{name} must be from 0 to below 1, got {getattr(self, name)}")
        if self.top and not self.risk:
            raise BadOption("with risk 0 the whole order is proven: top must be 0")
        if not self.hurry > 0:
            raise BadOption(f"hurry must be more than 0, got {self.hurry}")
        if not 0 < self.error < 0.5:
            raise BadOption(f"error must be more than 0 and below 0.5, got {self.error}")
        for name in ("top", "budget"):
            if not 0 <= getattr(self, name) < np.inf:
                raise BadOption(f"{name} must not be negative, got {getattr(self, name)}")


class Placement(BayesianSelector):
    """Keeps a posterior over every document's place, and asks for the most informative pair."""

    name = "placement"
    Options = PlacementOptions

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        size = len(documents)
        founder = int(np.random.default_rng(seed).integers(max(size, 1)))
        self._schedule = ClassSchedule(documents, founder, options.error)
        self._components = AnchoredComponents(size, founder)
        self._stopping_rule = ClassStoppingRule(options.risk, options.top)
        self._budget = JudgmentBudget(options.budget, size)
        self._answered: Counter[Pair] = Counter()
        self._settled_order: Order | None = None

    def observe(self, first: int, second: int, outcome: Outcome, worker: str) -> None:
        """Update the posterior with one judgment."""
        self._schedule.observe(first, second, outcome.code, worker)
        self._components.connect(first, second)
        self._answered[unordered(first, second)] += 1
        self._settled_order = None

    def observe_gold(self, truth: Outcome, said: Outcome, worker: str) -> None:
        """Update the worker model with the response to a gold question."""
        self._schedule.observe_gold(worker, truth.code, said.code)
        self._settled_order = None

    # -- choosing a pair ------------------------------------------------------------------------

    def choose_pair(
        self, worker: WorkerHistory, open_pairs: Counter[Pair], rng: np.random.Generator
    ) -> Choice:
        """Choose the most informative pair among those this worker may have."""
        if self.budget_spent or len(self.documents) < 2:
            return Idle.DONE
        snapshot = self._schedule.current()
        status = self._stopping_rule.status(snapshot)
        if status.is_met:
            snapshot = self._schedule.converged()
            status = self._stopping_rule.status(snapshot)
            if status.is_met:
                if self._is_spent_with(open_pairs):
                    return Idle.WAIT
                return disambiguating_choice(
                    snapshot,
                    self._reference(snapshot),
                    status.relevant_places,
                    worker,
                    open_pairs,
                    self._answered,
                    rng,
                )
        eligible = eligible_documents(
            open_pairs, status, self._components, self._schedule.count, self.options.hurry
        )
        if self._is_spent_with(open_pairs) or not eligible.any():
            return Idle.WAIT
        acquisition = self._acquisition(snapshot, status, worker, open_pairs, rng)
        best = self._best_pair(snapshot, status, acquisition, eligible)
        if best is None:
            # There is no reference document, or this worker has seen all such pairs: any other
            # comparison is better than none.
            every = np.ones_like(acquisition.reference)
            acquisition = replace(acquisition, reference=every, opponents=np.flatnonzero(every))
            best = self._best_pair(snapshot, status, acquisition, eligible)
        if best is None:
            best = acquisition.best_pair(acquisition.most_uncertain(eligible, len(eligible)))
        if best is None:
            return Idle.WAIT
        return self._keep_document(best, acquisition, worker)

    @property
    def budget_spent(self) -> bool:
        """Whether as many judgments have been given as the budget allows."""
        return self._is_spent_with(Counter())

    @property
    def goal_reached(self) -> bool:
        """Whether no more documents are expected to be misplaced than may be."""
        return len(self.documents) < 2 or self._converged_status().is_met

    def _converged_status(self) -> ClassStoppingStatus:
        return self._stopping_rule.status(self._schedule.converged())

    def _is_spent_with(self, open_pairs: Counter[Pair]) -> bool:
        return self._budget.is_spent(self._schedule.count + open_pairs.total())

    def _acquisition(
        self,
        snapshot: ClassSnapshot,
        status: ClassStoppingStatus,
        worker: WorkerHistory,
        open_pairs: Counter[Pair],
        rng: np.random.Generator,
    ) -> ClassAcquisition:
        def is_allowed(first: int, second: int) -> bool:
            pair = unordered(first, second)
            return pair not in open_pairs and not worker.has_seen(pair)

        reference, unjudged = self._reference(snapshot), ~snapshot.judged
        unjudged[documents_of(open_pairs)] = False
        return ClassAcquisition(
            snapshot.probabilities,
            snapshot.outcome_likelihood(worker.id),
            reference,
            unjudged,
            draw_opponents(reference, unjudged, snapshot.map_class, rng),
            status.entropies,
            status.relevant_places,
            is_allowed,
            JITTER * rng.random(len(self.documents)),
        )

    def _reference(self, snapshot: ClassSnapshot) -> Mask:
        """Return the documents to compare others with: the certain ones, at least one per class."""
        anchored = self._components.anchored
        reference: Mask = anchored & (snapshot.map_place_probability >= REFERENCE_CERTAINTY)
        of_classes = reference & (snapshot.map_class_probability >= REFERENCE_CERTAINTY)
        members = np.bincount(snapshot.map_class[of_classes], minlength=snapshot.class_count)
        # In a class without a certain member the surest one is taken.
        for number in (members == 0).nonzero()[0].tolist():
            reference[(snapshot.probabilities[:, 2 * number + 1] * anchored).argmax()] = True
        return reference

    def _best_pair(
        self,
        snapshot: ClassSnapshot,
        status: ClassStoppingStatus,
        acquisition: ClassAcquisition,
        eligible: Mask,
    ) -> InformativePair | None:
        """Return the best pair; one with a judged document, if many of these are uncertain."""
        best = acquisition.best_pair(acquisition.most_uncertain(eligible))
        judged = snapshot.judged
        count = np.count_nonzero(judged)
        is_unfinished = status.errors[judged].sum() > max(0.5, MAX_UNFINISHED_SHARE * count)
        if not is_unfinished or self._schedule.count >= MAX_UNFINISHED_JUDGMENTS * count:
            return best
        of_judged = acquisition.best_pair(acquisition.most_uncertain(eligible & judged))
        if best is None or of_judged is None:
            return best or of_judged
        is_preferred = of_judged.information * UNFINISHED_PREFERENCE >= best.information
        return of_judged if is_preferred else best

    def _keep_document(
        self, best: InformativePair, acquisition: ClassAcquisition, worker: WorkerHistory
    ) -> Pair:
        """Keep one of the documents on the worker's screen, if that costs little information."""
        last = worker.last_pair
        if last is None or not self.options.stay or set(last) & set(best.pair):
            return best.pair
        gains = acquisition.gains(best.pair, np.array(last, dtype=np.intp))
        for cell in np.argsort(-gains, axis=None).tolist():
            document, kept = best.pair[cell // 2], last[cell % 2]
            if gains.flat[cell] < (1 - self.options.stay) * best.information:
                break
            if acquisition.is_allowed(document, kept):
                return document, kept
        return best.pair

    # -- reporting ------------------------------------------------------------------------------

    def settled_order(self) -> Order:
        """Return the relations of the settled documents."""
        if self._settled_order is None:
            settled, map_class = self.settled_documents(), self._schedule.converged().map_class
            if self.has_classes:
                members = [
                    np.flatnonzero(settled & (map_class == number))
                    for number in range(int(map_class.max(initial=0)) + 1)
                ]
                classes = [documents.tolist() for documents in members if len(documents)]
                self._settled_order = Order.of_classes(len(settled), classes)
            else:
                # Documents of one class are not reported as tied.
                lows = np.where(settled, -map_class, -np.inf)
                highs = np.where(settled, -map_class, np.inf)
                self._settled_order = Order.of_intervals(lows, highs)
        return self._settled_order

    def settled_documents(self) -> NDArray[np.bool_]:
        """Return the documents that are certain enough, or all once the stopping rule is met."""
        status = self._converged_status()
        settled: NDArray[np.bool_] = status.errors <= self.options.risk
        if status.is_met:
            return np.ones_like(settled)
        # Places are relative: the founder of the first class alone has none.
        return settled if np.count_nonzero(settled) > 1 else np.zeros_like(settled)

    @property
    def has_classes(self) -> bool:
        """Whether documents of a class are called tied often enough for classes to be reported."""
        return bool(self._schedule.converged().crowd.tie_accuracy >= MIN_TIE_ACCURACY)

    def place_intervals(self) -> NDArray[np.int64]:
        """Return the 90 % credible interval of each document's place."""
        return place_intervals(self._schedule.converged(), placed_documents(self.settled_order()))

    def point_estimates(self) -> Array:
        """Return a number for each document, larger is better: its most likely class.

        Where documents of a class are seldom called tied there are no classes to speak of, and
        Bradley-Terry scores say more about single documents.
        """
        if not self.has_classes:
            return self._schedule.bradley_terry_scores()
        return -self._schedule.converged().map_class.astype(np.float64)

    def win_probability(self, first: int, second: int) -> float:
        """Return the probability that the first document is better, a tie counting half."""
        if not self.has_classes:
            scores = self._schedule.bradley_terry_scores()
            return float(expit(scores[first] - scores[second]))
        of_first, of_second = self._schedule.converged().probabilities[[first, second]]
        return float(of_first @ (1 - of_second.cumsum() + of_second / 2))

    def certainty(self) -> Array:
        """Return the probability of each document's most likely class."""
        return self._schedule.converged().map_class_probability

    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered."""
        return self._schedule.converged().reliabilities()

    def forecast(self) -> Forecast:
        """Forecast how many more judgments are needed."""
        snapshot, size = self._schedule.converged(), len(self.documents)
        remaining = self._budget.remaining(self._schedule.count)
        status = self._stopping_rule.status(snapshot)
        if size < 2 or remaining <= 0 or status.is_met:
            return Forecast(0, 0, 0)
        goal = min(status.tolerance / size, 0.5)
        return forecast(status.posterior_errors, goal, snapshot.crowd.ordinary, remaining)

    @classmethod
    def defaults_for(cls, judges: Judges, given: Mapping[str, object]) -> Mapping[str, object]:
        """Take a single judge's answers for true, and expect few errors of few judges."""
        if judges is Judges.ONE and not given.get("top"):
            return {"risk": 0.0}
        return {} if judges is Judges.CROWD else {"error": CAREFUL_ERROR}

    @classmethod
    def implementation(cls, options: Any) -> type[Selector]:
        """Return the exact selector if workers are believed to be always right."""
        return cls if options.risk else ExactPlacement
