"""Placement: find every document's place among the classes, with no more answers than that takes.

Ours, after what Merge-Tie-Judge asks of its successors: to need fewer judgments, and to bear
answers that contradict each other. Every answer is weighed by how its worker answers, all of them
together say how likely each document is of which class, and the next question is the one whose
answer is expected to tell most. Nothing is asked a fixed number of times: what is certain is left
alone, and what is doubtful is asked about again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from nextpair.selectors.base import Choice, Idle, Selector, Worker
from nextpair.selectors.errors import BadOption
from nextpair.selectors.inference.exact_classes.exact_placement import Proof
from nextpair.selectors.inference.ordinal_classes.acquisition import (
    Mask,
    Question,
    Situation,
    documents_of,
    draw_opponents,
)
from nextpair.selectors.inference.ordinal_classes.anchored_components import Mainland
from nextpair.selectors.inference.ordinal_classes.credible_intervals import spans
from nextpair.selectors.inference.ordinal_classes.disambiguation import confirm
from nextpair.selectors.inference.ordinal_classes.eligibility import askable
from nextpair.selectors.inference.ordinal_classes.forecast import forecast
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.ordinal_classes.schedule import Fitting
from nextpair.selectors.inference.ordinal_classes.snapshot import View
from nextpair.selectors.inference.ordinal_classes.stopping import Goal, Reach
from nextpair.selectors.inference.workers.crowd import USUAL_ERROR
from nextpair.selectors.state.bayesian_selector import Believer, Reliability
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Outcome, Pair, unordered
from nextpair.selectors.state.layout import settled_documents
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.settings import Forecast, Judges

ANSWERS = {Outcome.BETTER: 0, Outcome.TIE: 1, Outcome.WORSE: 2}
FIRM = 0.9
"""How certain a document's place must be to measure others by it."""
CALM = 0.15
"""No new document is begun while more of those begun than this are expected to be misplaced."""
PATIENCE = 3.0
"""But that ends with so many judgments per document begun: some doubts stay, whatever is asked."""
EAGER = 3.0
"""How much less a question about a document begun may teach then, as a factor."""
LEAST_TIES = 0.6
"""If fewer answers to ties are ties, classes are no more than a way to ask."""
CAREFUL = 0.05
"""The share of wrong answers to be expected of careful people."""
LITTLE = 1e-6
"""Chance that only decides between equals."""


@dataclass(frozen=True, slots=True)
class Options:
    """How placement is done.

    Parameters
    ----------
    risk
        How many documents may be misplaced, as a share of those outside the largest class. With 0
        workers are believed to be always right and the whole order is proven, whatever else is
        said here.
    top
        Only the best so many need to be settled; 0 for all.
    budget
        Judgments per document after which nothing more is asked; 0 for no limit. Answers that say
        nothing, or documents that cannot be told apart nor tied, would go on for ever.
    stay
        How much information may be given up, as a share, to keep a document on the worker's screen.
    hurry
        How many pairs may be open for every document that is expected to be misplaced. With more a
        crowd is done sooner, and needs more answers: what some say would have spared others.
    error
        The share of wrong answers to be expected of a worker who has not answered yet. What their
        answers say of them counts for more with each.
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


class Placement(Believer):
    """Believes something of every document's place, and asks what would teach it most."""

    name = "placement"
    Options = Options

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        size = len(documents)
        founder = int(np.random.default_rng(seed).integers(max(size, 1)))
        self._fitting = Fitting(documents, founder, options.error)
        self._mainland = Mainland(size, founder)
        self._goal = Goal(options.risk, options.top)
        self._heard = 0
        self._answered: Counter[Pair] = Counter()
        self._settled: Order | None = None

    def hear(self, first: int, second: int, outcome: Outcome, worker: str) -> None:
        """Take in one judgment."""
        self._fitting.add(first, second, ANSWERS[outcome], worker)
        self._mainland.compare(first, second)
        self._heard += 1
        self._answered[unordered(first, second)] += 1
        self._settled = None

    def hear_known(self, truth: Outcome, said: Outcome, worker: str) -> None:
        """Learn of a worker from an answer to a question whose answer was known."""
        self._fitting.add_known(ANSWERS[truth], ANSWERS[said], worker)
        self._settled = None

    # -- asking ---------------------------------------------------------------------------------

    def ask(self, worker: Worker, open_pairs: Counter[Pair], rng: np.random.Generator) -> Choice:
        """Choose the pair that teaches most among those this worker may have."""
        if self.spent or len(self.documents) < 2:
            return Idle.DONE
        beliefs = self._fitting.look()
        reach = self._goal.look(beliefs)
        if reach.enough:
            beliefs = self._fitting.final()
            reach = self._goal.look(beliefs)
            if reach.enough:
                if self._spent_with(open_pairs):
                    return Idle.WAIT
                firm = self._firm(beliefs)
                answered = self._answered
                return confirm(beliefs, firm, reach.told_apart, worker, open_pairs, answered, rng)
        wanted = askable(open_pairs, reach, self._mainland, self._heard, self.options.hurry)
        if self._spent_with(open_pairs) or not wanted.any():
            return Idle.WAIT
        situation = self._situation(beliefs, reach, worker, open_pairs, rng)
        best = self._best(beliefs, reach, situation, wanted)
        if best is None:
            # Nothing is firm, or this worker has seen it all: any comparison is better than none.
            every = np.ones_like(situation.firm)
            situation = replace(situation, firm=every, opponents=np.flatnonzero(every))
            best = self._best(beliefs, reach, situation, wanted)
        if best is None:
            best = situation.best(situation.least_certain(wanted, len(wanted)))
        if best is None:
            return Idle.WAIT
        return self._stay(best, situation, worker)

    @property
    def spent(self) -> bool:
        """Whether as many judgments have been given as the budget allows."""
        return self._spent_with(Counter())

    @property
    def reached(self) -> bool:
        """Whether no more documents are expected to be misplaced than may be."""
        return len(self.documents) < 2 or self._goal.look(self._fitting.final()).enough

    def _spent_with(self, open_pairs: Counter[Pair]) -> bool:
        limit = float(self.options.budget) * len(self.documents)
        return 0 < limit <= self._heard + open_pairs.total()

    def _situation(
        self,
        beliefs: View,
        reach: Reach,
        worker: Worker,
        open_pairs: Counter[Pair],
        rng: np.random.Generator,
    ) -> Situation:
        def allowed(first: int, second: int) -> bool:
            pair = unordered(first, second)
            return pair not in open_pairs and not worker.has_seen(pair)

        firm, fresh = self._firm(beliefs), ~beliefs.judged
        fresh[documents_of(open_pairs)] = False
        return Situation(
            beliefs.beliefs,
            beliefs.lessons(worker.id),
            firm,
            fresh,
            draw_opponents(firm, fresh, beliefs.likeliest, rng),
            reach.entropies,
            reach.told_apart,
            allowed,
            LITTLE * rng.random(len(self.documents)),
        )

    def _firm(self, beliefs: View) -> Mask:
        """Say which documents others can be measured by: the certain ones, and one per class."""
        mainland = self._mainland.joined
        firm: Mask = mainland & (beliefs.certainty >= FIRM)
        of_classes = firm & (beliefs.of_likeliest >= FIRM)
        members = np.bincount(beliefs.likeliest[of_classes], minlength=beliefs.classes)
        # A class with a firm member has its surest one among them.
        for number in (members == 0).nonzero()[0].tolist():
            firm[(beliefs.beliefs[:, 2 * number + 1] * mainland).argmax()] = True
        return firm

    def _best(
        self, beliefs: View, reach: Reach, situation: Situation, wanted: Mask
    ) -> Question | None:
        """Choose the best question; rather one about a document begun, if many are in doubt."""
        best = situation.best(situation.least_certain(wanted))
        begun = beliefs.judged
        count = np.count_nonzero(begun)
        doubtful = reach.errors[begun].sum() > max(0.5, CALM * count)
        if not doubtful or self._heard >= PATIENCE * count:
            return best
        of_begun = situation.best(situation.least_certain(wanted & begun))
        if best is None or of_begun is None:
            return best or of_begun
        return of_begun if of_begun.information * EAGER >= best.information else best

    def _stay(self, best: Question, situation: Situation, worker: Worker) -> Pair:
        """Keep one of the documents the worker has just seen, if that costs little."""
        last = worker.last
        if last is None or not self.options.stay or set(last) & set(best.pair):
            return best.pair
        gains = situation.gains(best.pair, np.array(last, dtype=np.intp))
        for place in np.argsort(-gains, axis=None).tolist():
            document, seen = best.pair[place // 2], last[place % 2]
            if gains.flat[place] < (1 - self.options.stay) * best.information:
                break
            if situation.allowed(document, seen):
                return document, seen
        return best.pair

    # -- telling --------------------------------------------------------------------------------

    def settled(self) -> Order:
        """Return the relations of the documents that are taken for settled."""
        if self._settled is None:
            sure, likeliest = self.settled_documents(), self._fitting.final().likeliest
            if self.has_classes:
                members = [
                    np.flatnonzero(sure & (likeliest == one))
                    for one in range(int(likeliest.max(initial=0)) + 1)
                ]
                classes = [one.tolist() for one in members if len(one)]
                self._settled = Order.of_classes(len(sure), classes)
            else:
                # Of one class or not: who is in the same one is not said to be tied.
                lows = np.where(sure, -likeliest, -np.inf)
                self._settled = Order.of_intervals(lows, np.where(sure, -likeliest, np.inf))
        return self._settled

    def settled_documents(self) -> NDArray[np.bool_]:
        """Say which documents are certain enough, or all once that is so of enough of them."""
        reach = self._goal.look(self._fitting.final())
        sure: NDArray[np.bool_] = reach.errors <= self.options.risk
        if reach.enough:
            return np.ones_like(sure)
        # Places are relative: one document alone, the founder of the first class, has none.
        return sure if np.count_nonzero(sure) > 1 else np.zeros_like(sure)

    @property
    def has_classes(self) -> bool:
        """Whether those of a class are called equal often enough for classes to mean something."""
        return bool(self._fitting.final().crowd.sees_ties >= LEAST_TIES)

    def spans(self) -> NDArray[np.int64]:
        """Return the places that hold most of what is believed of each document."""
        return spans(self._fitting.final(), settled_documents(self.settled()))

    def guesses(self) -> Array:
        """Return a number for each document, larger is better: its likeliest class.

        Where those of a class are seldom called equal there are no classes to speak of, and all
        answers together say more about single documents (Bradley-Terry).
        """
        if not self.has_classes:
            return self._fitting.strengths()
        return -self._fitting.final().likeliest.astype(np.float64)

    def chance(self, first: int, second: int) -> float:
        """Return how likely the first of two documents is the better one, a tie counting half."""
        if not self.has_classes:
            strengths = self._fitting.strengths()
            return float(expit(strengths[first] - strengths[second]))
        one, other = self._fitting.final().beliefs[[first, second]]
        return float(one @ (1 - other.cumsum() + other / 2))

    def certainty(self) -> Array:
        """Return how likely each document is of the class it is said to be of."""
        return self._fitting.final().of_likeliest

    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered."""
        return self._fitting.final().reliabilities()

    def forecast(self) -> Forecast:
        """Say how many more judgments will be needed."""
        beliefs, size = self._fitting.final(), len(self.documents)
        left = self.options.budget * size - self._heard if self.options.budget else np.inf
        reach = self._goal.look(beliefs)
        if size < 2 or left <= 0 or reach.enough:
            return Forecast(0, 0, 0)
        each = min(reach.most / size, 0.5)
        return forecast(reach.doubts, each, beliefs.crowd.ordinary, left)

    @classmethod
    def expectations(cls, judges: Judges, given: Mapping[str, object]) -> Mapping[str, object]:
        """Take one judge's answers for true, and expect a few to err seldom."""
        if judges is Judges.ONE and not given.get("top"):
            return {"risk": 0.0}
        return {} if judges is Judges.CROWD else {"error": CAREFUL}

    @classmethod
    def variant(cls, options: Any) -> type[Selector]:
        """Prove the order if workers are always right."""
        return cls if options.risk else Proof
