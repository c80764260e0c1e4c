"""One topic whose documents are judged one at a time: who has judged what, and what is next.

Where every answer is reviewed, each becomes a question to someone who has not judged its document.
What answers come to is decided elsewhere, from all of them together.
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
class Single:
    """One worker's answer about one document; or, with a subject, about another's answer."""

    number: int
    document: int
    worker: str
    subject: int | None = None


class Ask(NamedTuple):
    """What to ask: about a document, or about an answer to it."""

    document: int
    subject: int | None = None


class Singles:
    """Which documents have been judged, by whom, and what to ask next.

    Parameters
    ----------
    stages
        2 where every answer is reviewed by someone else.
    """

    def __init__(
        self, documents: Sequence[Document], settings: Settings, *, stages: int = 1
    ) -> None:
        self.settings = settings
        self.documents = Documents(documents)
        self.stages = stages
        self._given = tuple(documents)
        self._log: dict[int, Single] = {}
        self._answers: Counter[int] = Counter()
        self._reviews: Counter[int] = Counter()
        self._seen: defaultdict[str, set[int]] = defaultdict(set)
        self._last = -1

    def __len__(self) -> int:
        return len(self._log)

    def absorb(self, answer: Single) -> None:
        """Take in the next answer of the log."""
        if answer.number <= self._last:
            raise OutOfSequence(f"judgment {answer.number} came after judgment {self._last}")
        self._last = answer.number
        self._log[answer.number] = answer
        self._seen[answer.worker].add(answer.document)
        if answer.subject is None:
            self._answers[answer.document] += 1
        else:
            self._reviews[answer.subject] += 1

    def retract(self, *numbers: int) -> "Singles":
        """Return the state as it would be had these answers never been given."""
        unknown = sorted(set(numbers) - self._log.keys())
        if unknown:
            raise UnknownJudgment(f"the topic has no judgment {', '.join(map(str, unknown))}")
        left = Singles(self._given, self.settings, stages=self.stages)
        for number, answer in self._log.items():
            if number not in numbers:
                left.absorb(answer)
        return left

    def answered_by(self, worker: str) -> Mapping[Pair, int]:
        """Return the documents a worker has judged, as pairs with themselves."""
        return {
            (one.document, one.document): one.number
            for one in self._log.values()
            if one.worker == worker and one.subject is None
        }

    def select(
        self,
        worker: str,
        leases: Sequence[Lease],
        rng: np.random.Generator,
        barred: Iterable[Pair] = (),
    ) -> Ask | Idle:
        """Choose what to ask a worker now; reviews go first, so that both stages end together."""
        unseen = self._unseen(worker, leases, barred)
        review = self._review(leases, unseen)
        if review is not None:
            return review
        asked = self._answers.copy()
        asked.update(one.pair[0] for one in leases if one.subject is None)
        fewest = min((asked[one] for one in unseen), default=self.settings.votes)
        if fewest >= self.settings.votes:
            return self._idle(worker, leases, anything_unseen=bool(unseen))
        least = [document for document in sorted(unseen) if asked[document] == fewest]
        return Ask(least[rng.integers(len(least))])

    def _idle(self, worker: str, leases: Sequence[Lease], *, anything_unseen: bool) -> Idle:
        if self.finished:
            return Idle.DONE
        # A question that someone else holds may come back, and theirs may be reviewed.
        if anything_unseen and any(one.worker != worker for one in leases):
            return Idle.WAIT
        return Idle.HELD if any(one.worker == worker for one in leases) else Idle.SEEN

    def _unseen(self, worker: str, leases: Iterable[Lease], barred: Iterable[Pair]) -> set[int]:
        seen = self._seen.get(worker, set()) | {document for document, _ in barred}
        seen |= {one.pair[0] for one in leases if one.worker == worker}
        return set(range(len(self.documents))) - seen

    def _review(self, leases: Iterable[Lease], unseen: set[int]) -> Ask | None:
        if self.stages < 2:
            return None
        held = {one.subject for one in leases}
        for number in self._unreviewed():
            if number not in held and self._log[number].document in unseen:
                return Ask(self._log[number].document, number)
        return None

    def _unreviewed(self) -> Iterable[int]:
        return (
            number
            for number, answer in self._log.items()
            if answer.subject is None and not self._reviews[number]
        )

    def missing(self) -> int:
        """Count the answers that are still wanted."""
        votes = self.settings.votes
        first = sum(
            max(0, votes - self._answers[document]) for document in range(len(self.documents))
        )
        return first * self.stages + (sum(1 for _ in self._unreviewed()) if self.stages > 1 else 0)

    def judged(self) -> int:
        """Count the documents that have an answer."""
        return sum(count > 0 for count in self._answers.values())

    def settled_documents(self) -> NDArray[np.bool_]:
        """Say which documents have all their answers."""
        waiting = {self._log[number].document for number in self._unreviewed()}
        held_up = waiting if self.stages > 1 else set()
        return np.array(
            [
                self._answers[one] >= self.settings.votes and one not in held_up
                for one in range(len(self.documents))
            ],
            dtype=np.bool_,
        )

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask, whoever comes."""
        return self.missing() == 0

    @property
    def ended(self) -> End | None:
        """Why nothing is left to ask, where that is so: everything that was planned is answered."""
        return End.PLAN if self.finished else None

    def forecast(self) -> Forecast:
        """Say how many more answers are needed."""
        missing = self.missing()
        return Forecast(missing, missing, missing)
