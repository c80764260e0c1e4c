"""Selectors that believe: they weigh every judgment by itself, and doubt all of them.

Others rest on an order in which what was found once is true. A believer has no votes to wait for
and nothing to re-open: it says what it takes for settled, and may change its mind.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.base import Choice, Selector, Worker
from nextpair.selectors.state.evidence import Evidence
from nextpair.selectors.state.judgments import Finding, Outcome, Pair
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order
from nextpair.selectors.state.settings import Conflict


@dataclass(frozen=True, slots=True)
class Reliability:
    """What is known of one worker.

    Parameters
    ----------
    answers
        How many they gave.
    right
        The share of right answers to be expected, were a better, an equal and a worse document
        equally likely.
    information
        How much an answer of theirs tells, from 0 to 1, where 1 is what one without errors would.
    """

    worker: str
    answers: int
    right: float
    information: float


class Believer(Selector):
    """A selector that keeps beliefs instead of an order."""

    infers = False

    @abstractmethod
    def hear(self, first: int, second: int, outcome: Outcome, worker: str) -> None:
        """Take in one judgment."""

    @abstractmethod
    def ask(self, worker: Worker, open_pairs: Counter[Pair], rng: np.random.Generator) -> Choice:
        """Choose the next pair for a worker.

        Parameters
        ----------
        open_pairs
            The pairs in workers' hands, smaller position first.
        """

    @abstractmethod
    def settled(self) -> Order:
        """Return the relations that are taken as known."""

    @abstractmethod
    def settled_documents(self) -> NDArray[np.bool_]:
        """Say which documents nothing more needs to be asked about."""

    @property
    def has_classes(self) -> bool:
        """Whether documents with equal guesses are believed to be tied."""
        return False

    @abstractmethod
    def guesses(self) -> NDArray[np.float64]:
        """Return a number for each document, settled or not, larger is better."""

    @abstractmethod
    def certainty(self) -> NDArray[np.float64]:
        """Return how likely each document is where it is said to be."""

    @abstractmethod
    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered."""

    def errors(self) -> NDArray[np.float64]:
        """Return the standard error of each guess, NaN where guesses are no scores."""
        return np.full(len(self.documents), np.nan)

    @abstractmethod
    def chance(self, first: int, second: int) -> float:
        """Return how likely the first of two documents is the better one, a tie counting half."""

    def spans(self) -> NDArray[np.int64] | None:
        """Return, for each document, the first and the last place it may well stand at.

        Places are told as in `picture`: a class of `settled()` at every odd one, gaps at the
        others. None, unless a believer can tell more than whether a document is settled.
        """
        return None

    def absorb(self, finding: Finding, merge: Merge | None) -> None:
        """Do nothing: a believer hears judgments, not findings."""

    def choose(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Refuse: a believer is asked by `ask`."""
        # Of a topic's two ways to choose it only has the other, and Topic knows that.
        raise NotImplementedError


def agreeing(order: Order, findings: Iterable[Finding]) -> Evidence:
    """Collect the findings that say what an order says."""
    evidence = Evidence()
    for finding in findings:
        if order.relation(finding.first, finding.second) is finding.outcome:
            evidence.add(finding)
    return evidence


def contradictions(order: Order, findings: Sequence[Finding]) -> list[Conflict]:
    """List the findings that say something else than an order."""
    evidence = agreeing(order, findings)

    def conflict(finding: Finding, known: Outcome) -> Conflict:
        def explain() -> tuple[Finding, ...]:
            return evidence.chain(finding.first, finding.second, known)

        return Conflict(finding, known, None, explain)

    compared = ((one, order.relation(one.first, one.second)) for one in findings)
    return [
        conflict(finding, known)
        for finding, known in compared
        if known is not None and known is not finding.outcome
    ]
