"""The state of a topic whose documents are judged one at a time.

If answers are reviewed, each answer becomes a question to a worker who has not judged its document.
Answers are aggregated elsewhere, all together.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.base import End, Idle
from nextpair.selectors.errors import OutOfSequence, UnknownJudgment
from nextpair.selectors.state.documents import Document, Documents
from nextpair.selectors.state.judgments import Pair
from nextpair.selectors.state.settings import Forecast, Lease, Settings


@dataclass(frozen=True, slots=True)
class SingleJudgment:
    """A worker's answer about a document or, with a subject, their review of an answer."""

    number: int
    document: int
    worker: str
    subject: int | None = None


class SingleQuestion(NamedTuple):
    """What to ask: a judgment of a document, or the review of an answer about it."""

    document: int
    subject: int | None = None


class SingleDocumentState:
    """A fold over answers: which documents have been judged and by whom, and what to ask next.

    Parameters
    ----------
    stages
        2 if every answer is reviewed by another worker.
    """

    def __init__(
        self, documents: Sequence[Document], settings: Settings, *, stages: int = 1
    ) -> None:
        self.settings = settings
        self.documents = Documents(documents)
        self.stages = stages
        self._pool = tuple(documents)
        self._log: dict[int, SingleJudgment] = {}
        self._answers: Counter[int] = Counter()
        self._reviews: Counter[int] = Counter()
        self._seen: defaultdict[str, set[int]] = defaultdict(set)
        self._last_number = -1

    def __len__(self) -> int:
        return len(self._log)

    def absorb(self, answer: SingleJudgment) -> None:
        """Absorb the next answer of the log."""
        if answer.number <= self._last_number:
            raise OutOfSequence(f"judgment {answer.number} came after judgment {self._last_number}")
        self._last_number = answer.number
        self._log[answer.number] = answer
        self._seen[answer.worker].add(answer.document)
        if answer.subject is None:
            self._answers[answer.document] += 1
        else:
            self._reviews[answer.subject] += 1

    def retract(self, *numbers: int) -> "SingleDocumentState":
        """Return the state as it would be if these answers had never been given."""
        unknown = sorted(set(numbers) - self._log.keys())
        if unknown:
            raise UnknownJudgment(f"the topic has no judgment {', '.join(map(str, unknown))}")
        remaining = SingleDocumentState(self._pool, self.settings, stages=self.stages)
        for number, answer in self._log.items():
            if number not in numbers:
                remaining.absorb(answer)
        return remaining

    def answered_by(self, worker: str) -> Mapping[Pair, int]:
        """Return the documents a worker has judged, as pairs with themselves."""
        return {
            (answer.document, answer.document): answer.number
            for answer in self._log.values()
            if answer.worker == worker and answer.subject is None
        }

    def select(
        self,
        worker: str,
        leases: Sequence[Lease],
        rng: np.random.Generator,
        barred: Iterable[Pair] = (),
    ) -> SingleQuestion | Idle:
        """Choose what to ask a worker now; reviews go first, so that both stages end together."""
        unseen = self._unseen(worker, leases, barred)
        review = self._next_review(leases, unseen)
        if review is not None:
            return review
        asked = self._answers.copy()
        asked.update(lease.pair[0] for lease in leases if lease.subject is None)
        fewest = min((asked[document] for document in unseen), default=self.settings.votes)
        if fewest >= self.settings.votes:
            return self._idle_reason(worker, leases, anything_unseen=bool(unseen))
        candidates = [document for document in sorted(unseen) if asked[document] == fewest]
        return SingleQuestion(candidates[rng.integers(len(candidates))])

    def _idle_reason(self, worker: str, leases: Sequence[Lease], *, anything_unseen: bool) -> Idle:
        if self.finished:
            return Idle.DONE
        # Another worker's question may be given back, or its answer become one to review.
        if anything_unseen and any(lease.worker != worker for lease in leases):
            return Idle.WAIT
        return Idle.HELD if any(lease.worker == worker for lease in leases) else Idle.SEEN

    def _unseen(self, worker: str, leases: Iterable[Lease], barred: Iterable[Pair]) -> set[int]:
        seen = self._seen.get(worker, set()) | {document for document, _ in barred}
        seen |= {lease.pair[0] for lease in leases if lease.worker == worker}
        return set(range(len(self.documents))) - seen

    def _next_review(self, leases: Iterable[Lease], unseen: set[int]) -> SingleQuestion | None:
        if self.stages < 2:
            return None
        held = {lease.subject for lease in leases}
        for number in self._unreviewed():
            if number not in held and self._log[number].document in unseen:
                return SingleQuestion(self._log[number].document, number)
        return None

    def _unreviewed(self) -> Iterable[int]:
        return (
            number
            for number, answer in self._log.items()
            if answer.subject is None and not self._reviews[number]
        )

    def count_missing(self) -> int:
        """Count the answers and reviews that are still needed."""
        votes = self.settings.votes
        first = sum(
            max(0, votes - self._answers[document]) for document in range(len(self.documents))
        )
        return first * self.stages + (sum(1 for _ in self._unreviewed()) if self.stages > 1 else 0)

    def count_judged(self) -> int:
        """Count the documents with an answer."""
        return sum(count > 0 for count in self._answers.values())

    def settled_documents(self) -> NDArray[np.bool_]:
        """Return which documents have all their answers and reviews."""
        unreviewed = {self._log[number].document for number in self._unreviewed()}
        incomplete = unreviewed if self.stages > 1 else set()
        return np.array(
            [
                self._answers[document] >= self.settings.votes and document not in incomplete
                for document in range(len(self.documents))
            ],
            dtype=np.bool_,
        )

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask of anybody."""
        return self.count_missing() == 0

    @property
    def ended(self) -> End | None:
        """Why nothing is left to ask of anybody; None while something is."""
        return End.PLAN if self.finished else None

    def forecast(self) -> Forecast:
        """Return how many more answers are needed; this is exact."""
        missing = self.count_missing()
        return Forecast(missing, missing, missing)
