"""Questions for workers who are checked: gates first, then batches with checks among the work."""

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
    """Say whether workers on a topic are checked in any way."""
    quality = study.settings.quality
    return quality.checks or quality.quiz > 0 or projection.topic.understanding is not None


class WorkerGate:
    """One call of one worker for questions of a topic, under the topic's lock."""

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
        self._checking = BatchEvaluation(
            connection, projection, study, worker_id, request.quarantine
        )

    def unit_of_work(self, room: int, otherwise: Reason | None) -> UnitOfWork[IssuedAssignments]:
        """Hand out what the worker may have now, up to some number of questions."""
        quality, projection = self._study.settings.quality, self._projection
        if projection.topic.understanding is not None and not self._checking.settled(
            Check.UNDERSTANDING
        ):
            topic = {projection.topic.id: projection.topic}
            if self._checking.failed(Check.UNDERSTANDING):
                return UnitOfWork(IssuedAssignments(reason=Reason.STOPPED))
            return UnitOfWork(IssuedAssignments(topics=topic, reason=Reason.UNDERSTANDING))
        quiz = draw_quiz(projection, self._worker_id, quality.quiz)
        if quiz and not self._checking.settled(Check.QUIZ):
            held = self._checking.held_quiz(self._now)
            if held is None:
                return self._quiz([gold.pair for gold in quiz], room, otherwise)
            if not held.passed:
                # A verdict is only given, and another try, once the session is confirmed.
                return UnitOfWork(IssuedAssignments(reason=Reason.STOPPED))
        if not quality.checks:
            issuer = self._choosing()
            issuer.issue_next(room)
            return issuer.unit_of_work(otherwise)
        return self._batch(room, otherwise)

    def _choosing(self, *, batches: bool = False) -> AssignmentIssuer:
        quality = self._study.settings.quality
        known, ended = self._checking, self._checking.ended
        turn = batch_progress(quality, known.rows, ended, known.highest) if batches else None
        return AssignmentIssuer(
            self._projection, self._study, self._worker_id, self._next_request, self._now, turn
        )

    def _quiz(
        self, quiz: list[tuple[int, int]], room: int, otherwise: Reason | None
    ) -> UnitOfWork[IssuedAssignments]:
        issuer = self._choosing()
        handed = {row.pair: row for row in self._checking.quiz_rows()}
        for pair in quiz:
            if len(issuer.issued) == room:
                break
            row = handed.get(pair)
            if row is None and pair in self._checking.taken:
                continue
            if row is None:
                issuer.issue(ChosenQuestion(pair, purpose=Purpose.QUIZ), swapped=issuer.draw_swap())
            elif row.state == State.OPEN:
                issuer.renew(row)
        if not issuer.issued and room > 0:
            ended = self._checking.end_quiz(self._now)
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
        # Nobody gets out of a check by letting its lease run out, and nobody without a bonus
        # because the work was over before a check came.
        for row in self._ran_out()[:room]:
            issuer.renew(row)
        if room > 0 and not issuer.issued and self._checking.lacks_trap:
            issuer.issue_trap()
        if issuer.issued:
            issuer.idle = None
            return issuer.unit_of_work(Reason.HELD)
        # What an unconfirmed session has answered has no verdict yet.
        if idle is not Idle.WAIT and self._next_request.quarantine is None:
            ended = self._checking.end(self._now)
            if ended is not None:
                return self._end(ended, Reason(idle.value))
        return issuer.unit_of_work(otherwise)

    def _end(self, ended: VerdictConsequences, reason: Reason) -> UnitOfWork[IssuedAssignments]:
        """Conclude a quiz or a batch that is not completed by an answer."""
        projection = self._projection
        head = projection.next_head(entries=1 if ended.judgments else 0)
        expiry = self._now + self._study.settings.lease_seconds
        taken = retract_answers(ended, head, expiry, projection.folded_purposes)
        if ended.verdict.effect == VerdictEffect.ASK_AGAIN:
            reason = Reason.HELD
        elif ended.verdict.effect in (VerdictEffect.STOP, VerdictEffect.STOP_AND_IGNORE):
            reason = Reason.STOPPED
        return UnitOfWork(
            IssuedAssignments(reason=reason, version=projection.head.version),
            TopicDelta(head, taken.assignments, retracted=taken.counted),
            changed_assignments=taken.assignments,
            retractions=taken.retractions,
            verdict=ended.verdict,
        )

    def _unfinished(self) -> list[AssignmentRow]:
        """Return what the worker still holds of a batch that has no more questions."""
        quality, newest = self._study.settings.quality, self._checking.newest
        held = self._checking.batch_rows(newest) if newest else []
        if newest in self._checking.ended:
            return []
        if len(held) < quality.batch and not any(row.attempt > 1 for row in held):
            return []
        return [row for row in held if row.state == State.OPEN]

    def _ran_out(self) -> list[AssignmentRow]:
        """Return what the worker was asked in a batch that goes on, and let the lease run out."""
        newest = self._checking.newest
        if newest == 0 or newest in self._checking.ended:
            return []
        return [
            row
            for row in self._checking.batch_rows(newest)
            if row.state == State.OPEN and row.expires_at <= self._now
        ]
