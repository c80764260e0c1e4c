"""When beliefs are fitted anew: rarely enough to be cheap, often enough to be right.

A fit starts from the last one and takes in all answers since. Whoever looks in between gets beliefs
that are fitted further, from there to nearly the last answer; the very last ones move only their
own two documents. What is looked at leaves no trace, so whoever reads a long log makes the few fits
that others start from, and at the end a single one to look at.
"""

import numpy as np

from nextpair.selectors.aggregation import bradley_terry
from nextpair.selectors.inference.ordinal_classes import structure_search
from nextpair.selectors.inference.ordinal_classes.comparisons import BETTER, TIED, WORSE
from nextpair.selectors.inference.ordinal_classes.feature_prior import FeatureModel
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.ordinal_classes.posterior import Beliefs
from nextpair.selectors.inference.ordinal_classes.snapshot import Said, View
from nextpair.selectors.inference.workers.crowd import USUAL_ERROR
from nextpair.selectors.state.documents import Documents

_OUTCOMES = np.array([bradley_terry.BETTER, bradley_terry.TIE, bradley_terry.WORSE])
SWEEPS = 2
"""Rounds of messages in a fit."""
LAST_SWEEPS = 6
"""Rounds in the fit that a report rests on."""
GROWTH, FEW, GROWTH_OF_MANY = 20, 1_000, 2
"""A fit is due when the answers have grown by one in so many, of few and of many answers."""
LOOKS, LOOK_SWEEPS = 100, 2
"""What is looked at is fitted anew when answers have grown by one in so many since the last fit,
with so many rounds: what one answer settles, nobody needs to be asked about."""
THOROUGH, THOROUGH_OF_MANY = 1.5, 2.0
"""Classes are joined and split, which takes trying, when the answers have grown by this factor."""
LESSON = 1.25
"""What features say is learnt anew when the answers have grown by this factor, or with classes."""
TRIES, LAST_TRIES = 2, 6
"""How many times then, and in the fit that a report rests on."""


class Fitting:
    """Beliefs over a topic's documents, fitted to its answers from time to time."""

    def __init__(self, documents: Documents, founder: int, error: float = USUAL_ERROR) -> None:
        self._size = len(documents)
        self._features = FeatureModel(documents)
        self._priors = documents.priors
        self._founder = founder
        # In the order in which answers came to them, which is how beliefs number documents.
        self._numbers: dict[int, int] = {}
        self._beliefs = Beliefs(error)
        # What features said when the last fit was made, and say of the classes that came of it.
        self._hints: Array | None = None
        self._new_hints: Array | None = None
        self._due = self._revised = self._taught = 1
        # Answers since the last fit; how many of them the view rests on, and has taken in.
        self._since: list[Said] = []
        self._view: View | None = None
        self._refined = self._taken = 0
        self._final: View | None = None

    def add(self, first: int, second: int, answer: int, worker: str) -> None:
        """Take in one more answer."""
        answers, numbers = self._beliefs.answers, self._numbers
        # Numbered as they come, the better one first, so that no position has a say in a fit;
        # of two that are tied the one with the higher prior score.
        if answer == WORSE or (answer == TIED and self._priors[second] > self._priors[first]):
            first, second, answer = second, first, TIED if answer == TIED else BETTER
        one, other = (numbers.setdefault(each, len(numbers)) for each in (first, second))
        answers.add(one, other, answer, self._beliefs.crowd.number(worker))
        self._since.append((first, second, answer, worker))
        self._final = None
        count = len(answers)
        if count >= self._due:
            if not self._beliefs.hinted or count >= LESSON * self._taught:
                self._taught = count
                self._hints = self._learn_hints(self._beliefs)
            self._beliefs = self._fit(self._beliefs, self._hints, SWEEPS, self._tries())
            self._view = self._new_hints = None
            self._since.clear()
            self._due = count + max(1, count // (GROWTH if count < FEW else GROWTH_OF_MANY))

    def add_known(self, truth: int, answer: int, worker: str) -> None:
        """Take in what someone answered whose answer was known; it counts from the next fit on."""
        self._beliefs.crowd.anchor(worker, truth, answer)
        self._view = self._final = None

    def _tries(self) -> int:
        """Say how many times classes are to be joined or split in the fit that is due."""
        count = len(self._beliefs.answers)
        if count < (THOROUGH if count < FEW else THOROUGH_OF_MANY) * self._revised:
            return 0
        self._revised = count
        return TRIES

    def look(self) -> View:
        """Return beliefs as of the last answer, good enough to choose the next question from."""
        since = len(self._since)
        step = max(1, (len(self._beliefs.answers) - since) // LOOKS)
        known = since - since % step
        if self._view is None or self._refined != known:
            self._view = self._refine(since - known)
            self._refined = self._taken = known
        self._view.take_in(self._since[self._taken :])
        self._taken = since
        return self._view

    def _refine(self, without: int) -> View:
        """Return beliefs fitted to all answers but the last so many, leaving the fold alone."""
        if without == len(self._since):
            return self._view_of(self._beliefs, self._hints)
        beliefs, hints = self._beliefs.twin(len(self._beliefs.answers) - without), self._hints
        if not self._beliefs.hinted:
            if self._new_hints is None:
                self._new_hints = self._learn_hints(self._beliefs)
            hints = self._new_hints
        return self._view_of(self._fit(beliefs, hints, LOOK_SWEEPS, 0), hints)

    def final(self) -> View:
        """Return beliefs fitted to all answers, to be reported."""
        if self._final is None:
            beliefs, hints = self._beliefs.twin(), self._learn_hints(self._beliefs)
            if len(beliefs.answers):
                beliefs = self._fit(beliefs, hints, LAST_SWEEPS, LAST_TRIES)
            self._final = self._view_of(beliefs, hints)
        return self._final

    def strengths(self) -> Array:
        """Score every document by how it fared, whatever the classes; 0 if nobody judged it."""
        answers = self._beliefs.answers
        found = bradley_terry.rank(
            bradley_terry.compare(
                len(self._numbers),
                answers.first,
                answers.second,
                _OUTCOMES[answers.answer],
                answers.worker,
            )
        )
        scores = np.zeros(self._size)
        scores[list(self._numbers)] = found.scores
        return scores

    def _fit(self, beliefs: Beliefs, hints: Array | None, sweeps: int, tries: int) -> Beliefs:
        """Fit beliefs to all answers, given what features say of every document."""
        documents = list(self._numbers)[: beliefs.answers.documents]
        beliefs.extend(len(documents), None if hints is None else hints[documents])
        for _ in range(sweeps):
            beliefs.set_prior()
            beliefs.pass_messages()
            beliefs.turn_over()
        return structure_search.revise(beliefs, tries)

    def _learn_hints(self, beliefs: Beliefs) -> Array | None:
        """Learn what features say of every document: how much likelier each class, as a log."""
        if not self._features.informed:
            return None
        memberships = np.zeros((self._size, beliefs.classes))
        memberships[list(self._numbers)[: beliefs.size]] = beliefs.beliefs[:, 1::2]
        return self._features.log_likelihood(memberships)

    def _view_of(self, beliefs: Beliefs, hints: Array | None) -> View:
        documents = list(self._numbers)[: beliefs.size]
        return View(beliefs, self._size, documents, self._founder, hints)
