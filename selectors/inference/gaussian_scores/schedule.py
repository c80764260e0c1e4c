"""When scores are fitted anew: as answers grow, and by whoever looks first.

A fit is a function of the first so many answers. Between two fits every answer moves beliefs by a
step, in the order in which they came. So the same log gives the same beliefs, whoever looked
meanwhile, and reading a long log takes one fit.
"""

import numpy as np

from nextpair.selectors.inference.gaussian_scores.expectation_propagation import Data
from nextpair.selectors.inference.gaussian_scores.model_averaging import Explanation, explain
from nextpair.selectors.inference.gaussian_scores.posterior import Beliefs
from nextpair.selectors.inference.gaussian_scores.score_prior import Expecting
from nextpair.selectors.inference.gaussian_scores.thurstone import TIE, WORSE, chances
from nextpair.selectors.inference.ordinal_classes.comparisons import Answers
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.workers.response_mixture import Workers
from nextpair.selectors.state.bayesian_selector import Reliability
from nextpair.selectors.state.documents import Documents

GROWTH, MOST_STEPS = 7, 256
"""A fit is due when the answers have grown by one in so many, or by so many."""
CHOOSING, REPORTING = (3, 2), (6, 6)
"""How often the spread of scores is moved in a fit, and the sweeps after each move."""
Said = tuple[int, int, int, str]
"""An answer: its documents by their positions, what was said, and who said it."""


class View:
    """What is believed of documents and workers."""

    def __init__(self, found: Explanation, data: Data, workers: Workers) -> None:
        scores = found.scores
        self.beliefs = Beliefs(scores.means, scores.variances, scores.covariance)
        self.whole = scores.covariance is not None
        self.margin, self.ties = found.margin, data.ties
        self._guess = data.guess
        self._believed = found.believed
        self._workers = workers

    def take_in(self, said: list[Said]) -> None:
        """Let each answer move beliefs by a step, one after the other."""
        for first, second, answer, worker in said:
            mean, variance = self.beliefs.difference(first, second)
            every = chances(np.array([mean]), np.array([variance]), self.margin)
            ways = self._believed.ways(self._workers.find(worker))[:, None]
            heard = every.of(np.array([answer]))
            opposite = every.of(np.array([WORSE - answer]))
            slope, curve = heard.mixed(opposite, ways, self._guess).steps()
            # Someone new to a tie says it before any fit knows that there are ties.
            if answer == TIE and not self.ties:
                slope, curve = np.zeros(1), np.zeros(1)
            kept = min(max(float(curve[0]), 0.0), 0.95 / variance)
            self.beliefs.take(first, second, float(slope[0]), kept)

    def guesses(self, worker: str) -> float:
        """Return how likely a worker answers at random."""
        return self._believed.guesses(self._workers.find(worker))

    def reliabilities(self) -> list[Reliability]:
        """Describe the workers who have answered."""
        return self._believed.reliabilities(self._workers.names)


class Learning:
    """Beliefs over a topic's scores, fitted to its answers from time to time."""

    def __init__(self, documents: Documents) -> None:
        self._size = len(documents)
        self._expecting = Expecting(documents)
        self._answers = Answers()
        self._workers = Workers()
        self._known = self._workers.known()
        self._due, self._fitted = 1, 0
        self._since: list[Said] = []
        self._view: View | None = None
        self._final: View | None = None

    @property
    def heard(self) -> int:
        """How many answers there are."""
        return len(self._answers)

    def add(self, first: int, second: int, answer: int, worker: str) -> None:
        """Take in one more answer."""
        self._answers.add(first, second, answer, self._workers.number(worker))
        self._since.append((first, second, answer, worker))
        self._final = None
        count = len(self._answers)
        if count >= self._due:
            self._due = count + max(1, min(count // GROWTH, MOST_STEPS))
            self._fitted, self._known = count, self._workers.known()
            self._view = None
            self._since.clear()

    def add_known(self, truth: int, answer: int, worker: str) -> None:
        """Take in what someone answered whose answer was known; it counts from the next fit on."""
        self._workers.anchor(worker, truth, answer)
        self._final = None

    def look(self) -> View:
        """Return beliefs as of the last answer, good enough to choose the next question from."""
        if self._view is None:
            self._view = self._fit(self._fitted, self._known, CHOOSING)
        self._view.take_in(self._since)
        self._since.clear()
        return self._view

    def final(self) -> View:
        """Return beliefs fitted to all answers, to be reported."""
        if self._final is None:
            self._final = self._fit(len(self._answers), self._workers.known(), REPORTING)
        return self._final

    def _fit(self, count: int, known: Array, effort: tuple[int, int]) -> View:
        """Fit everything to the first so many answers."""
        answers = self._answers
        data = Data(
            self._size,
            answers.first[:count],
            answers.second[:count],
            answers.answer[:count],
            self._expecting,
        )
        found = explain(data, answers.worker[:count], known, effort)
        return View(found, data, self._workers)
