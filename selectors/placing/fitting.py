"""When beliefs are fitted anew: rarely enough to be cheap, often enough to be right.

Between two fits an answer moves only the beliefs of its two documents. A fit starts from the last
one and takes in all answers since: what single answers moved meanwhile leaves no trace, so whoever
reads a long log does not have to move them.
"""

import numpy as np

from nextpair.selectors.placing import classes
from nextpair.selectors.placing.beliefs import Beliefs
from nextpair.selectors.placing.features import FeatureModel
from nextpair.selectors.topic.documents import Documents

SWEEPS = 3
"""Rounds of messages in a fit."""
LAST_SWEEPS = 8
"""Rounds in the fit that a report rests on."""
GROWTH, FEW, GROWTH_OF_MANY = 10, 1_000, 2
"""A fit is due when the answers have grown by one in so many, of few and of many answers."""
THOROUGH, THOROUGH_OF_MANY = 1.5, 2.0
"""Classes are joined and split, which takes trying, when the answers have grown by this factor."""
TRIES, LAST_TRIES = 2, 6
"""How many times then, and in the fit that a report rests on."""


class Fitting:
    """Beliefs over a topic's documents, fitted to its answers from time to time."""

    def __init__(self, documents: Documents, founder: int) -> None:
        self._beliefs = Beliefs(len(documents), founder)
        self._features = FeatureModel(documents)
        self._due = self._revised = 1
        self._taken_in = 0
        self._evidence = self._beliefs.evidence.copy()
        self._final: Beliefs | None = None

    def add(self, first: int, second: int, answer: int, worker: str) -> None:
        """Take in one more answer."""
        beliefs = self._beliefs
        beliefs.answers.add(first, second, answer, beliefs.crowd.number(worker))
        self._final = None
        if len(beliefs.answers) >= self._due:
            self._beliefs = self._fit(beliefs, SWEEPS, self._tries())
            self._evidence = self._beliefs.evidence.copy()
            self._taken_in = len(beliefs.answers)
            growth = GROWTH if self._taken_in < FEW else GROWTH_OF_MANY
            self._due = self._taken_in + max(1, self._taken_in // growth)

    def _tries(self) -> int:
        """Say how many times classes are to be joined or split in the fit that is due."""
        count = len(self._beliefs.answers)
        if count < (THOROUGH if count < FEW else THOROUGH_OF_MANY) * self._revised:
            return 0
        self._revised = count
        return TRIES

    def look(self) -> Beliefs:
        """Return beliefs as of the last answer, good enough to choose the next question from."""
        self._beliefs.take_in(self._taken_in)
        self._taken_in = len(self._beliefs.answers)
        return self._beliefs

    def final(self) -> Beliefs:
        """Return beliefs fitted to all answers, to be reported."""
        if self._final is None:
            beliefs = self._beliefs.twin()
            if len(beliefs.answers):
                beliefs = self._fit(beliefs, LAST_SWEEPS, LAST_TRIES)
            self._final = beliefs
        return self._final

    def _fit(self, beliefs: Beliefs, sweeps: int, tries: int) -> Beliefs:
        beliefs.restart_from(self._evidence)
        beliefs.extend()
        self._take_hints(beliefs)
        for _ in range(sweeps):
            beliefs.set_prior()
            beliefs.pass_messages()
        revised = classes.revise(beliefs, tries)
        if not revised.hinted:
            self._take_hints(revised)
        return revised

    def _take_hints(self, beliefs: Beliefs) -> None:
        settled = np.where(beliefs.judged[:, None], beliefs.beliefs[:, 1::2], 0)
        beliefs.hint(self._features.log_likelihood(settled))
