"""The desk a simulated crowd comes to: it hands out pairs and takes answers.

A session knows its topic only through a desk, and makes the same calls whichever desk that is: two
desks that know the same topic give the same run.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nextpair.app.simulation.truths import Answer, Question
from nextpair.selectors.base import End, Idle
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Pair, unordered
from nextpair.selectors.state.settings import Lease, Settings
from nextpair.selectors.state.topic_state import Topic


class Desk(Protocol):
    """Where one topic is judged."""

    def ask(self, worker: str) -> Question | Idle:
        """Hand a pair of positions to a worker, who holds it from now on, or say why not.

        The pair is unordered, as a selector may have a liking for what it names first; which of
        the two is on the left is for a coin to say, and the same one at every desk.
        """

    def answer(self, pair: Pair, worker: str, answer: Answer) -> None:
        """Take a pair back from the worker who holds it, and absorb its answer.

        The answer may be another's: one that was recorded bears the name of whoever gave it.
        """

    def scores(self) -> NDArray[np.float64]:
        """Return a number for each document, larger is better; NaN where nobody has judged it."""

    def conflicts(self) -> int:
        """Count the findings that contradicted the order."""

    def ended(self) -> End | None:
        """Say why nothing is left to ask, where that is so."""


OpenDesk = Callable[[Sequence[Document], Settings], Desk]
"""Opens a desk for a new topic."""


class Desks(Protocol):
    """Where many topics are judged, several at once."""

    def at(self, place: int, seed: int, topic: str) -> OpenDesk:
        """Say where a topic is judged in the repeat of this seed of the plan at this place."""

    def stop(self) -> None:
        """Close all desks, and send away who comes."""


class LocalDesk:
    """A topic in this process, with its leases in memory, the oldest first."""

    def __init__(self, documents: Sequence[Document], settings: Settings) -> None:
        self._topic = Topic(documents, settings)
        self._leases: list[Lease] = []
        self._asked = 0
        self._judged = 0

    def ask(self, worker: str) -> Question | Idle:
        """Hand out a pair; only pairs count as questions, so being told to wait costs no chance."""
        rng = self._topic.settings.question_rng(self._asked)
        choice = self._topic.select(worker, self._leases, rng)
        if isinstance(choice, Idle):
            return choice
        pair = unordered(*choice)
        self._leases.append(Lease(pair, worker))
        self._asked += 1
        # The service's coin, tossed where the service does: once the question's pair is chosen.
        return Question(pair, swapped=bool(rng.integers(2)))

    def answer(self, pair: Pair, worker: str, answer: Answer) -> None:
        """Take a pair back, and absorb its answer as the next judgment."""
        self._leases.remove(Lease(pair, worker))
        first, second = (self._topic.documents.ids[place] for place in pair)
        judgment = Judgment(self._judged, first, second, answer.outcome, answer.worker)
        self._topic.absorb(judgment)
        self._judged += 1

    def scores(self) -> NDArray[np.float64]:
        """Return the scores of the reported order, NaN for documents nobody has judged."""
        return self._topic.reported().scores

    def conflicts(self) -> int:
        """Count the topic's conflicts."""
        return len(self._topic.conflicts)

    def ended(self) -> End | None:
        """Say why nothing is left to ask, where that is so."""
        return self._topic.ended
