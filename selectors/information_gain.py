"""Information gain: the pair whose answer tells most about scores on a continuous scale.

Ours, for essays, images, answers of language models: what falls into no classes. Every document has
a score that is believed to be somewhere, with a covariance; answers, ties among them, move it as
far as their worker can be relied on; and the next pair is the one whose answer has the most mutual
information with the scores, where an order has most to lose. A table prices all pairs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.base import Choice, Idle, Worker
from nextpair.selectors.errors import BadOption
from nextpair.selectors.inference.gaussian_scores import summaries
from nextpair.selectors.inference.gaussian_scores.acquisition import Situation, expect
from nextpair.selectors.inference.gaussian_scores.information_table import Prices
from nextpair.selectors.inference.gaussian_scores.schedule import Learning, View
from nextpair.selectors.inference.gaussian_scores.stopping import Goal, Reach
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state.bayesian_selector import Believer, Reliability
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Outcome, Pair
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.settings import Forecast, Judges

ANSWERS = {Outcome.BETTER: 0, Outcome.TIE: 1, Outcome.WORSE: 2}
OUT = 0.02
"""Who is so unlikely to be the best has lost, where the best one is looked for."""


@dataclass(frozen=True, slots=True)
class Options:
    """How scores are found.

    Parameters
    ----------
    risk
        When it is enough: how many of all pairs may be expected in the wrong order, as a share; of
        the best so many, the chance that they are not the right ones.
    top
        Only the best so many are looked for; 0 for the whole order. With 1, documents that have
        lost are left alone and the others meet each other.
    width
        In place of the risk: how wide the 90 % intervals of scores may be on average; 0 for none.
    budget
        Judgments per document after which nothing more is asked; 0 for no limit.
    ease
        How often a judge is expected to find the better of two, at least: from 0.5 for any pair to
        below 1. Untrained judges are put off by pairs that are too close.
    dismiss
        How surely somebody must be answering at random to be asked nothing more; 1 for never.
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


class InformationGain(Believer):
    """Believes something of every document's score, and asks what would teach it most."""

    name = "information-gain"
    Options = Options

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        self._learning = Learning(documents)
        self._goal = Goal(options.risk, options.top, options.width)
        self._prices: dict[float, Prices] = {}
        self._settled: Order | None = None

    def hear(self, first: int, second: int, outcome: Outcome, worker: str) -> None:
        """Take in one judgment."""
        self._learning.add(first, second, ANSWERS[outcome], worker)
        self._settled = None

    def hear_known(self, truth: Outcome, said: Outcome, worker: str) -> None:
        """Learn of a worker from an answer to a question whose answer was known."""
        self._learning.add_known(ANSWERS[truth], ANSWERS[said], worker)
        self._settled = None

    @classmethod
    def expectations(cls, judges: Judges, given: Mapping[str, object]) -> Mapping[str, object]:
        """Turn nobody away where judges are few: nobody would be left."""
        return {} if judges is Judges.CROWD else {"dismiss": 1.0}

    # -- asking ---------------------------------------------------------------------------------

    def ask(self, worker: Worker, open_pairs: Counter[Pair], rng: np.random.Generator) -> Choice:
        """Choose the pair that teaches most among those this worker may have."""
        if len(self.documents) < 2 or self.spent:
            return Idle.DONE
        view = self._learning.look()
        reach = self._goal.look(view.beliefs, view.margin)
        if reach.enough:
            return Idle.DONE
        if self._spent_with(open_pairs):
            return Idle.WAIT
        if view.guesses(worker.id) > self.options.dismiss:
            return Idle.SEEN
        best = self._situation(view, reach, worker, open_pairs, rng).best()
        return Idle.WAIT if best is None else best

    @property
    def spent(self) -> bool:
        """Whether as many judgments have been given as the budget allows."""
        return self._spent_with(Counter())

    @property
    def reached(self) -> bool:
        """Whether no more pairs are expected in the wrong order than may be."""
        view = self._learning.final()
        return len(self.documents) < 2 or self._goal.look(view.beliefs, view.margin).enough

    def _spent_with(self, open_pairs: Counter[Pair]) -> bool:
        limit = float(self.options.budget) * len(self.documents)
        return 0 < limit <= self._learning.heard + open_pairs.total()

    def _situation(
        self,
        view: View,
        reach: Reach,
        worker: Worker,
        open_pairs: Counter[Pair],
        rng: np.random.Generator,
    ) -> Situation:
        beliefs = view.beliefs
        if open_pairs:
            beliefs = expect(beliefs, open_pairs, view.margin)
            reach = self._goal.look(beliefs, view.margin)
        weights, only_best = reach.weights, self.options.top == 1
        if only_best:
            weights = np.where(weights < 2 * OUT, 0.0, weights)
        return Situation(
            beliefs,
            self._prices_at(view),
            weights,
            frozenset((*open_pairs, *worker.answered, *worker.held)),
            rng.random(len(self.documents)),
            near=not view.whole,
            together=only_best,
        )

    def _prices_at(self, view: View) -> Prices:
        """Return the prices of answers; the margin of ties has only so many values."""
        key = view.margin if view.ties else -1.0
        if key not in self._prices:
            self._prices[key] = Prices(view.margin, view.ties, self.options.ease)
        return self._prices[key]

    # -- telling --------------------------------------------------------------------------------

    def settled(self) -> Order:
        """Return the order of the documents whose intervals lie apart."""
        if self._settled is None:
            self._settled = summaries.order_of(self._learning.final().beliefs)
        return self._settled

    def settled_documents(self) -> NDArray[np.bool_]:
        """Say which documents are expected on the right side of as many others as is enough."""
        if self.reached:
            return np.ones(len(self.documents), dtype=np.bool_)
        sure: NDArray[np.bool_] = self.certainty() >= 1 - self.options.risk
        return sure

    def guesses(self) -> Array:
        """Return the score of each document, larger is better."""
        return self._learning.final().beliefs.means.copy()

    def errors(self) -> Array:
        """Return the standard error of each score."""
        found: Array = np.sqrt(self._learning.final().beliefs.variances)
        return found

    def spreads(self) -> Array:
        """Return the variance of the difference of every two scores."""
        return self._learning.final().beliefs.spreads(np.arange(len(self.documents)))

    def certainty(self) -> Array:
        """Return how likely each document is on the right side of any other."""
        return summaries.certainty(self._learning.final().beliefs)

    def chance(self, first: int, second: int) -> float:
        """Return how likely the first of two documents is the better one."""
        return summaries.chance(self._learning.final().beliefs, first, second)

    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered."""
        return self._learning.final().reliabilities()

    def forecast(self) -> Forecast | None:
        """Say how many more judgments will be needed."""
        view = self._learning.final()
        reach = self._goal.look(view.beliefs, view.margin)
        return summaries.forecast(reach, self._goal, self._learning.heard, self._left())

    def _left(self) -> float:
        limit = self.options.budget * len(self.documents)
        return max(limit - self._learning.heard, 0.0) if limit else np.inf
