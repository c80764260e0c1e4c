"""What is believed of every document of a topic, as of the last answer.

A view starts from beliefs fitted to all answers up to then. An answer after that moves only its own
two documents, which takes so little that plain numbers are faster than arrays.
"""

from collections.abc import Sequence
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes import factor_messages
from nextpair.selectors.inference.ordinal_classes.acquisition import entropy, lessons
from nextpair.selectors.inference.ordinal_classes.comparisons import Disputed
from nextpair.selectors.inference.ordinal_classes.factor_messages import APART, LEAST
from nextpair.selectors.inference.ordinal_classes.places import SAME, Array
from nextpair.selectors.inference.ordinal_classes.posterior import FOUNDER, Beliefs
from nextpair.selectors.state.bayesian_selector import Reliability

MANY = 100
"""From so many answers on it takes less to move documents together."""
Said = tuple[int, int, int, str]
"""An answer: its documents by their positions, what was said, and who said it."""


class View:
    """Beliefs over the places of all documents, judged or not, one document per row.

    Parameters
    ----------
    documents
        The position of each document there are beliefs about.
    founder
        The document whose class is the first one, until something is known.
    hints
        What features say of every document: the log of how much likelier they make each class.
    """

    def __init__(
        self,
        fitted: Beliefs,
        size: int,
        documents: Sequence[int],
        founder: int,
        hints: Array | None,
    ) -> None:
        self.answers, self.crowd = fitted.answers, fitted.crowd
        self.classes = fitted.classes
        self.disputed = _at(documents, fitted.disputed) if fitted.disputed else None
        """Documents of two classes which another explanation that is nearly as good has as one."""
        self._logs = np.tile(np.log(fitted.newcomer), (size, 1))
        if hints is not None and fitted.hinted:
            self._logs[:, 1::2] += hints
        if documents:
            self.founders = [documents[number] for number in fitted.founders]
            self._logs[documents] = fitted.logs.T
        elif size:
            self.founders = [founder]
            self._logs[founder, 1] += log(1 + FOUNDER)
        else:
            self.founders = []
        self.judged = np.zeros(size, dtype=np.bool_)
        self.judged[documents] = True
        self.counts = fitted.counts
        """How many judged documents each class is expected to have."""
        self._habits: dict[str, Array] = {}
        self._lessons: dict[str, Array] = {}
        self._summarise()

    def _summarise(self) -> None:
        chances = np.exp(self._logs - self._logs.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        self.beliefs: Array = chances
        of_classes = chances[:, 1::2]
        self.likeliest: NDArray[np.intp] = of_classes.argmax(axis=1)
        """The class each document is most likely of, by number, the best class being 0."""
        self.of_likeliest: Array = of_classes.max(axis=1)
        """How likely it is of that class."""
        self.certainty: Array = chances.max(axis=1)
        """How likely each document is at its likeliest place."""
        self.entropies: Array = entropy(chances)
        """How uncertain each document's place is, in nats."""

    def habits(self, worker: str) -> Array:
        """Say how a worker answers: P(answer | relation), relation by row."""
        known = self._habits.get(worker)
        if known is None:
            known = self._habits[worker] = self.crowd.of(worker)
        return known

    def lessons(self, worker: str) -> Array:
        """Say what a worker's answers teach, at each two places."""
        known = self._lessons.get(worker)
        if known is None:
            known = self._lessons[worker] = lessons(self.habits(worker), self._logs.shape[1])
        return known

    def take_in(self, said: Sequence[Said]) -> None:
        """Let each answer move the beliefs of its two documents, one after the other."""
        if len(said) >= MANY:
            self._take_in_many(said)
            return
        for first, second, answer, worker in said:
            better, tie, worse = self.habits(worker)[:, answer].tolist()
            one, other = self.beliefs[first].tolist(), self.beliefs[second].tolist()
            self._move(first, tell(other, better, tie, worse), one)
            self._move(second, tell(one, worse, tie, better), other)

    def _take_in_many(self, said: Sequence[Said]) -> None:
        """Take in answers in rounds: those about other documents can as well count at once."""
        firsts, seconds = (np.array([each[side] for each in said]) for side in (0, 1))
        chances = np.array([self.habits(worker)[:, answer] for _, _, answer, worker in said])
        left = np.arange(len(said))
        while len(left):
            in_turn = _first_of_each(firsts[left], seconds[left])
            now, left = left[in_turn], left[~in_turn]
            sides = np.concatenate([firsts[now], seconds[now]])
            others = factor_messages.swapped(factor_messages.in_columns(self.beliefs[sides]))
            likelihood = factor_messages.both_ways(factor_messages.in_columns(chances[now]))
            self._logs[sides] += np.log(factor_messages.tell(likelihood, others)).T
            self.beliefs[sides] = factor_messages.shares(self._logs[sides].T).T
            self.judged[sides] = True
        self._summarise()
        self.counts = self.beliefs[self.judged, 1::2].sum(axis=0)

    def _move(self, document: int, told: Sequence[float], before: Sequence[float]) -> None:
        """Let a message move the belief about one document."""
        logs = [
            old + log(new) for old, new in zip(self._logs[document].tolist(), told, strict=True)
        ]
        most = max(logs)
        weights = [exp(each - most) for each in logs]
        total = sum(weights)
        chances = [weight / total for weight in weights]
        self._logs[document], self.beliefs[document] = logs, chances
        of_classes = chances[1::2]
        self.of_likeliest[document] = highest = max(of_classes)
        self.likeliest[document] = of_classes.index(highest)
        self.certainty[document] = max(chances)
        self.entropies[document] = -sum(each * log(each) for each in chances if each > 0)
        if self.judged[document]:
            self.counts = self.counts + np.subtract(of_classes, before[1::2])
        else:
            self.judged[document] = True
            self.counts = self.counts + of_classes

    def reliabilities(self) -> list[Reliability]:
        """Describe the workers who have answered."""
        return self.crowd.reliabilities(self.answers.worker)


def _at(documents: Sequence[int], disputed: Disputed) -> Disputed:
    """Return the positions of documents of two classes."""
    one, other = disputed
    positions = np.array(documents, dtype=np.intp)
    return positions[one], positions[other]


def tell(others: Sequence[float], better: float, tie: float, worse: float) -> list[float]:
    """Return the chance of an answer at each place of its document.

    Parameters
    ----------
    others
        What is believed of the other document.
    better, tie, worse
        The chance of the answer, were the document better than, tied with and worse than the other.
    """
    in_gap = SAME * tie + APART * (better + worse)
    above, below, told = 0.0, sum(others), []
    for place, chance in enumerate(others):
        below -= chance
        same = tie if place % 2 else in_gap
        told.append(max(better * below + same * chance + worse * above, LEAST))
        above += chance
    return told


def _first_of_each(firsts: NDArray[np.intp], seconds: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say which pairs have no document of a pair before them."""
    order = np.arange(len(firsts))
    earliest = np.full(max(firsts.max(), seconds.max()) + 1, len(firsts))
    np.minimum.at(earliest, firsts, order)
    np.minimum.at(earliest, seconds, order)
    first: NDArray[np.bool_] = (earliest[firsts] == order) & (earliest[seconds] == order)
    return first
