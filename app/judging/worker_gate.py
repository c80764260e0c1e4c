"""The gate of workers who are checked: comprehension, then quiz, then batches with checks."""

from nextpair.app.enums import Reason
from nextpair.app.judging.issuer import AssignmentIssuer, IssuedAssignments
from nextpair.app.judging.next_request import NextRequest
from nextpair.app.quality.batch_evaluation import BatchEvaluation
from nextpair.app.quality.batches import ChosenQuestion, batch_progress, draw_quiz
from nextpair.app.quality.verdicts import VerdictConsequences, retract_answers
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.app.studies.study import Study
from nextpair.selectors.base import Idle
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, Check, Purpose, State, VerdictEffect


def checks_workers(study: Study, projection: TopicProjection) -> bool:
    """Say whether a topic's workers have gates or batches."""
    quality = study.settings.quality
    return quality.checks or quality.quiz > 0 or projection.topic.understanding is not None


class WorkerGate:
    """Decides, under the topic's lock, what a worker is given next: a gate, a quiz, or a batch."""

    def __init__(
        self,
        connection: Connection,
        projection: TopicProjection,
        study: Study,
        worker_id: int,
        request: NextRequest,
        now: float,
    ) -> None:
        self._projection, self._study, self._worker_id = projection, study, worker_id
        self._next_request, self._now = request, now
        self._evaluation = BatchEvaluation(
            connection, projection, study, worker_id, request.quarantine
        )

    def unit_of_work(self, room: int, otherwise: Reason | None) -> UnitOfWork[IssuedAssignments]:
        """Return the unit of work that issues what the worker may have now, up to `room`."""
        quality, projection = self._study.settings.quality, self._projection
        if projection.topic.understanding is not None and not self._evaluation.settled(
            Check.UNDERSTANDING
        ):
            topic = {projection.topic.id: projection.topic}
            if self._evaluation.failed(Check.UNDERSTANDING):
                return UnitOfWork(IssuedAssignments(reason=Reason.STOPPED))
            return UnitOfWork(IssuedAssignments(topics=topic, reason=Reason.UNDERSTANDING))
        quiz = draw_quiz(projection, self._worker_id, quality.quiz)
        if quiz and not self._evaluation.settled(Check.QUIZ):
            held = self._evaluation.held_quiz(self._now)
            if held is None:
                return self._quiz([gold.pair for gold in quiz], room, otherwise)
            if not held.passed:
                # The verdict, and another attempt, wait until the session is confirmed.
                return UnitOfWork(IssuedAssignments(reason=Reason.STOPPED))
        if not quality.checks:
            issuer = self._choosing()
            issuer.issue_next(room)
            return issuer.unit_of_work(otherwise)
        return self._batch(room, otherwise)

    def _choosing(self, *, batches: bool = False) -> AssignmentIssuer:
        quality = self._study.settings.quality
        evaluation, ended = self._evaluation, self._evaluation.ended
        progress = (
            batch_progress(quality, evaluation.rows, ended, evaluation.highest) if batches else None
        )
        return AssignmentIssuer(
            self._projection, self._study, self._worker_id, self._next_request, self._now, progress
        )

    def _quiz(
        self, quiz: list[tuple[int, int]], room: int, otherwise: Reason | None
    ) -> UnitOfWork[IssuedAssignments]:
        issuer = self._choosing()
        handed = {row.pair: row for row in self._evaluation.quiz_rows()}
        for pair in quiz:
            if len(issuer.issued) == room:
                break
            row = handed.get(pair)
            if row is None and pair in self._evaluation.taken:
                continue
            if row is None:
                issuer.issue(ChosenQuestion(pair, purpose=Purpose.QUIZ), swapped=issuer.draw_swap())
            elif row.state == State.OPEN:
                issuer.renew(row)
        if not issuer.issued and room > 0:
            ended = self._evaluation.end_quiz(self._now)
            if ended is not None:
                return self._end(ended, Reason.QUIZ)
        return issuer.unit_of_work(Reason.QUIZ if room > 0 else otherwise)

    def _batch(self, room: int, otherwise: Reason | None) -> UnitOfWork[IssuedAssignments]:
        unfinished = self._unfinished()
        issuer = self._choosing(batches=True)
        if unfinished:
            for row in unfinished[:room]:
                issuer.renew(row)
            return issuer.unit_of_work(otherwise if len(unfinished) >= room else Reason.HELD)
        issuer.issue_next(room)
        idle = issuer.idle
        if issuer.issued or idle is None or idle is Idle.HELD:
            return issuer.unit_of_work(otherwise)
        # A check question cannot be avoided by letting its lease expire; and nobody loses a bonus
        # because the work ended before a check question came.
        for row in self._expired()[:room]:
            issuer.renew(row)
        if room > 0 and not issuer.issued and self._evaluation.lacks_trap:
            issuer.issue_trap()
        if issuer.issued:
            issuer.idle = None
            return issuer.unit_of_work(Reason.HELD)
        # Answers of an unconfirmed session get no verdict yet.
        if idle is not Idle.WAIT and self._next_request.quarantine is None:
            ended = self._evaluation.end(self._now)
            if ended is not None:
                return self._end(ended, Reason(idle.value))
        return issuer.unit_of_work(otherwise)

    def _end(
        self, consequences: VerdictConsequences, reason: Reason
    ) -> UnitOfWork[IssuedAssignments]:
        """Return the unit of work of a quiz or batch that ends without a last answer."""
        projection = self._projection
        head = projection.next_head(entries=1 if consequences.judgments else 0)
        expiry = self._now + self._study.settings.lease_seconds
        retracted = retract_answers(consequences, head, expiry, projection.folded_purposes)
        if consequences.verdict.effect == VerdictEffect.ASK_AGAIN:
            reason = Reason.HELD
        elif consequences.verdict.effect in (VerdictEffect.STOP, VerdictEffect.STOP_AND_IGNORE):
            reason = Reason.STOPPED
        return UnitOfWork(
            IssuedAssignments(reason=reason, version=projection.head.version),
            TopicDelta(head, retracted.assignments, retracted=retracted.counted),
            changed_assignments=retracted.assignments,
            retractions=retracted.retractions,
            verdict=consequences.verdict,
        )

    def _unfinished(self) -> list[AssignmentRow]:
        """Return the open questions of a batch that has no more to issue."""
        quality, newest = self._study.settings.quality, self._evaluation.newest
        held = self._evaluation.batch_rows(newest) if newest else []
        if newest in self._evaluation.ended:
            return []
        if len(held) < quality.batch and not any(row.attempt > 1 for row in held):
            return []
        return [row for row in held if row.state == State.OPEN]

    def _expired(self) -> list[AssignmentRow]:
        """Return the questions of an unfinished batch whose leases have expired."""
        newest = self._evaluation.newest
        if newest == 0 or newest in self._evaluation.ended:
            return []
        return [
            row
            for row in self._evaluation.batch_rows(newest)
            if row.state == State.OPEN and row.expires_at <= self._now
        ]
