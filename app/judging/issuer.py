"""Issues assignments to a worker: select a pair, take its lease, store, and only then tell."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nextpair.app.enums import Reason
from nextpair.app.judging.next_request import NextRequest
from nextpair.app.quality.batches import BatchProgress, CheckQuestionSampler, ChosenQuestion
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.quarantine import reassigned
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.app.studies.study import Study
from nextpair.selectors.base import Idle
from nextpair.selectors.state.judgments import Pair, unordered
from nextpair.selectors.state.settings import Lease
from nextpair.selectors.state.single_documents import SingleQuestion
from nextpair.storage.rows import AssignmentRow, Purpose, State, TopicRow


@dataclass(slots=True)
class IssuedAssignments:
    """The assignments that a worker was given, and the reason why there are not more.

    Parameters
    ----------
    topics, ids
        The topics of the assignments, and the ids of their documents where they are at hand.
    version
        The topic's version before they were issued.
    idle
        What the selector returned in place of a pair, if it was asked and had none.
    """

    assignments: list[AssignmentRow] = field(default_factory=list)
    topics: dict[int, TopicRow] = field(default_factory=dict)
    ids: dict[int, tuple[str, ...]] = field(default_factory=dict)
    reason: Reason | None = None
    repeated: bool = False
    version: int = -1
    idle: Idle | None = None


class AssignmentIssuer:
    """Issues the assignments of one topic to one worker, for one call.

    Each selection sees the leases of those before it.

    Parameters
    ----------
    batch
        How far the worker's batch is, where work comes in batches with check questions.
    """

    def __init__(
        self,
        projection: TopicProjection,
        study: Study,
        worker_id: int,
        request: NextRequest,
        now: float,
        batch: BatchProgress | None = None,
    ) -> None:
        self._projection = projection
        self._worker_id = worker_id
        self._request_id, self._quarantine = request.request_id, request.quarantine
        self._now = now
        self._expiry = now + study.settings.lease_seconds
        self._leases = projection.leases(now, study.unserved, study.settings.lease_seconds)
        self._leases += projection.quarantine.own_leases(request.quarantine, now)
        self._advisory = projection.quarantine.advisory_leases(
            request.quarantine, now, study.unserved
        )
        self._asked = projection.head.asked
        self._version = projection.head.version + 1
        self._batch = batch
        self._sampler = (
            None
            if batch is None
            else CheckQuestionSampler(projection, worker_id, request.quarantine)
        )
        self.new: list[AssignmentRow] = []
        self.issued: list[AssignmentRow] = []
        self.idle: Idle | None = None

    def issue_next(self, count: int) -> None:
        """Issue up to `count` assignments."""
        for _ in range(count if self._batch is None else min(count, self._batch.left)):
            self._issue_one()
            if self.idle is not None:
                return

    def _issue_one(self) -> None:
        choice, rng = self._select([*self._leases, *self._advisory])
        if isinstance(choice, Idle) and self._advisory:
            # Leases of unconfirmed sessions are only advisory: their pairs are asked once more.
            choice, rng = self._select(self._leases)
        if isinstance(choice, Idle):
            self.idle = choice
            return
        check = self._check(rng)
        if check is None and self._waits_for_answers():
            self.idle = Idle.HELD
            return
        question = check or _question(choice)
        if question.purpose is Purpose.WORK:
            worker = str(self._worker_id)
            self._leases.append(Lease(question.pair, worker, question.subject))
        unanswered = self._projection.unanswered_assignment(self._worker_id, question.pair)
        if unanswered is None or question.purpose is not Purpose.WORK:
            self.issue(question, swapped=bool(rng.integers(2)))
        else:
            self.renew(unanswered)

    def _select(
        self, leases: Sequence[Lease]
    ) -> tuple[Pair | SingleQuestion | Idle, np.random.Generator]:
        state, worker = self._projection.state, str(self._worker_id)
        rng = state.settings.question_rng(self._asked)
        barred = self._projection.excluded_pairs(self._worker_id, self._quarantine)
        return state.select(worker, leases, rng, barred), rng

    def _check(self, rng: np.random.Generator) -> ChosenQuestion | None:
        """Draw a check question in place of work, if the batch has one due now."""
        if self._batch is None or self._sampler is None:
            return None
        purpose = self._batch.draw(rng)
        return None if purpose is Purpose.WORK else self._sampler.find(purpose, rng)

    def _waits_for_answers(self) -> bool:
        """Say whether only repeats are left, of questions that the worker has not answered yet."""
        if self._batch is None or not self._batch.repeats or not self._batch.only_checks_left:
            return False
        return bool(self.issued) or any(
            row.worker_id == self._worker_id and row.expires_at > self._now
            for row in self._projection.open_assignments.values()
        )

    def issue_trap(self) -> None:
        """Issue a trap, if there is one that this worker has not had."""
        rng = self._projection.state.settings.question_rng(self._asked)
        trap = None if self._sampler is None else self._sampler.find(Purpose.TRAP, rng)
        if trap is not None:
            self.issue(trap, swapped=bool(rng.integers(2)))

    def draw_swap(self) -> bool:
        """Draw which document of the next question is shown on which side."""
        return bool(self._projection.state.settings.question_rng(self._asked).integers(2))

    def issue(self, question: ChosenQuestion, *, swapped: bool) -> None:
        """Issue a question; one that another session holds in quarantine is reassigned."""
        existing = self._projection.quarantine.find(
            self._worker_id, question.pair, question.purpose
        )
        self._asked += existing is None
        in_batch = self._batch is not None and question.purpose is not Purpose.QUIZ
        row = AssignmentRow(
            self._projection.topic.id,
            self._asked,
            self._worker_id,
            *question.pair,
            swapped and question.pair[0] != question.pair[1],
            State.OPEN,
            1,
            self._version,
            self._expiry,
            self._request_id,
            self._now,
            question.purpose,
            question.subject,
            self._batch.number if self._batch is not None and in_batch else None,
            submission_id=self._quarantine,
            quarantine=self._quarantine,
        )
        if self._batch is not None and in_batch:
            self._batch.count(question.purpose)
        if existing is None:
            self.new.append(row)
            self.issued.append(row)
        elif existing.quarantine == self._quarantine is not None:
            self.renew(existing)
        else:
            self.renew(replace(reassigned(existing, self._quarantine), batch=row.batch))

    def renew(self, row: AssignmentRow) -> None:
        """Renew the lease of an assignment that the worker was given, and has not answered."""
        self.issued.append(
            replace(row, version=self._version, expires_at=self._expiry, request=self._request_id)
        )

    def unit_of_work(self, otherwise: Reason | None) -> UnitOfWork[IssuedAssignments]:
        """Return the unit of work that stores these assignments."""
        projection = self._projection
        reason = otherwise if self.idle is None else Reason(self.idle.value)
        ids = {projection.topic.id: projection.state.documents.ids}
        topic = {projection.topic.id: projection.topic}
        issued = IssuedAssignments(
            self.issued, topic, ids, reason, version=projection.head.version, idle=self.idle
        )
        if not self.issued:
            return UnitOfWork(issued)
        fresh = {row.number for row in self.new}
        renewed = [row for row in self.issued if row.number not in fresh]
        change = TopicDelta(projection.next_head(issued=len(self.new)), self.issued)
        return UnitOfWork(issued, change, self.new, renewed)


def _question(choice: Pair | SingleQuestion) -> ChosenQuestion:
    if isinstance(choice, SingleQuestion):
        return ChosenQuestion((choice.document, choice.document), choice.subject)
    return ChosenQuestion(unordered(*choice))
