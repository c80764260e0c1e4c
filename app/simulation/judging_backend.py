"""The judging backend of a simulation: it issues pairs and absorbs answers.

The judging loop knows its topic only through a backend, and makes the same calls whichever it is:
two backends with the same topic give the same run.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nextpair.app.simulation.ground_truth import ShownPair, WorkerAnswer
from nextpair.selectors.base import End, Idle
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Pair, unordered
from nextpair.selectors.state.settings import Lease, Settings
from nextpair.selectors.state.topic_state import Topic


class JudgingBackend(Protocol):
    """Judges one topic."""

    def ask(self, worker: str) -> ShownPair | Idle:
        """Lease a pair of positions to a worker, or return why there is none.

        The pair is unordered, since the order in which a selector names its documents may be
        biased; a coin decides which of them is on the left, the same coin in every backend.
        """

    def answer(self, pair: Pair, worker: str, answer: WorkerAnswer) -> None:
        """Release the lease of a pair, and absorb its answer.

        The answer may name another worker: a recorded one names whoever gave it.
        """

    def scores(self) -> NDArray[np.float64]:
        """Return the score of each document, larger is better; NaN for an unjudged one."""

    def conflicts(self) -> int:
        """Count the findings that contradicted the order."""

    def ended(self) -> End | None:
        """Return why nothing is left to ask; None while there are questions."""


OpenBackend = Callable[[Sequence[Document], Settings], JudgingBackend]
"""Opens a backend for a new topic."""


class JudgingBackends(Protocol):
    """Opens the backends of many topics, which may be judged concurrently."""

    def opener(self, place: int, seed: int, topic: str) -> OpenBackend:
        """Return the opener of a topic's backend, for one plan and the seed of one repeat."""

    def stop(self) -> None:
        """Make all further calls of the backends fail."""


class LocalBackend:
    """Judges a topic in this process, with leases in memory, oldest first."""

    def __init__(self, documents: Sequence[Document], settings: Settings) -> None:
        self._topic = Topic(documents, settings)
        self._leases: list[Lease] = []
        self._asked = 0
        self._judged = 0

    def ask(self, worker: str) -> ShownPair | Idle:
        """Lease a pair; only leased pairs advance the random numbers, waiting does not."""
        rng = self._topic.settings.question_rng(self._asked)
        choice = self._topic.select(worker, self._leases, rng)
        if isinstance(choice, Idle):
            return choice
        pair = unordered(*choice)
        self._leases.append(Lease(pair, worker))
        self._asked += 1
        # The coin is drawn after the selection, from the same generator, as the service does.
        return ShownPair(pair, swapped=bool(rng.integers(2)))

    def answer(self, pair: Pair, worker: str, answer: WorkerAnswer) -> None:
        """Release the lease, and absorb the answer as the next judgment."""
        self._leases.remove(Lease(pair, worker))
        first, second = (self._topic.documents.ids[place] for place in pair)
        judgment = Judgment(self._judged, first, second, answer.outcome, answer.worker)
        self._topic.absorb(judgment)
        self._judged += 1

    def scores(self) -> NDArray[np.float64]:
        """Return the scores of the reported order, NaN for unjudged documents."""
        return self._topic.reported().scores

    def conflicts(self) -> int:
        """Count the topic's conflicts."""
        return len(self._topic.conflicts)

    def ended(self) -> End | None:
        """Return why nothing is left to ask; None while there are questions."""
        return self._topic.ended
