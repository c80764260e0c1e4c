"""Skip: give an assignment back. Undo: retract one's last answer, and open it again."""

from dataclasses import dataclass, replace

from nextpair.app.errors import AnswerConflict, TooLateToUndo, UndoneTooOften
from nextpair.app.judging.assignment_context import (
    AssignmentContext,
    check_attempt,
    check_not_blocked,
    check_open,
    load_context,
    transact,
)
from nextpair.app.judging.quarantined_answers import check_is_last_answer
from nextpair.app.quality.batch_evaluation import BatchEvaluation
from nextpair.app.quality.verdicts import VerdictConsequences, retract_answers
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.app.security.tokens import AssignmentRef
from nextpair.storage import checks, judgments
from nextpair.storage.database import Connection
from nextpair.storage.rows import (
    BY_WORKER,
    UNDO,
    AssignmentRow,
    Check,
    JudgmentRow,
    Purpose,
    RetractionRow,
    State,
    TopicRow,
    VerdictEffect,
    VerdictRow,
)


@dataclass(frozen=True, slots=True)
class SkippedAssignment:
    """A skipped assignment, and the verdict on the quiz that this has completed, if any."""

    assignment: AssignmentRow
    topic: str
    verdict: VerdictRow | None = None


def skip(
    service: ServiceContext,
    ref: AssignmentRef,
    worker: str | None,
    now: float,
    reason: str | None = None,
) -> SkippedAssignment:
    """Give an assignment back: its pair is asked of others, and never again of this worker.

    A worker cannot find out by this whether it was a check question: a skipped check question
    counts as wrong, and comes again only where the whole quiz or batch does.
    """

    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[SkippedAssignment] | None:
        context = load_context(service, connection, projection, ref, worker)
        name = projection.topic.name
        if context.assignment.state == State.SKIPPED or _was_skipped(
            connection, context.assignment, ref
        ):
            return UnitOfWork(
                SkippedAssignment(replace(context.assignment, state=State.SKIPPED), name)
            )
        if context.assignment.state != State.OPEN:
            raise AnswerConflict("the assignment has been answered, so it cannot be skipped")
        check_open(context)
        check_attempt(context.assignment, ref)
        row = replace(context.assignment, state=State.SKIPPED, reason=reason)
        if row.purpose != Purpose.QUIZ or row.quarantine is not None:
            return _skipped(projection, row, None, now)
        if not locked:
            return None
        evaluation = BatchEvaluation(connection, projection, context.study, row.worker_id)
        lease = context.study.settings.lease_seconds
        return _skipped(projection, row, evaluation.after(row, None, now), now + lease)

    return transact(service, ref, decide)


def _skipped(
    projection: TopicProjection,
    row: AssignmentRow,
    consequences: VerdictConsequences | None,
    expiry: float,
) -> UnitOfWork[SkippedAssignment]:
    """Return the unit of work of a skip, with the consequences of a quiz that it completes."""
    head = projection.next_head(entries=1 if consequences and consequences.judgments else 0)
    row = replace(row, version=head.version)
    verdict = None if consequences is None else consequences.verdict
    skipped = SkippedAssignment(row, projection.topic.name, verdict)
    if consequences is None:
        return UnitOfWork(skipped, TopicDelta(head, [row]), changed_assignments=[row])
    retracted = retract_answers(consequences, head, expiry, projection.folded_purposes)
    changed = list({one.number: one for one in (row, *retracted.assignments)}.values())
    return UnitOfWork(
        skipped,
        TopicDelta(head, changed, retracted=retracted.counted),
        changed_assignments=changed,
        retractions=retracted.retractions,
        verdict=consequences.verdict,
    )


def _was_skipped(connection: Connection, row: AssignmentRow, ref: AssignmentRef) -> bool:
    """Say whether the referenced attempt was skipped, of a quiz that was asked again since."""
    if ref.attempt is None or ref.attempt >= row.attempt:
        return False
    answered = judgments.answers_to(connection, row.topic_id, row.number)
    return all(one.attempt != ref.attempt for one in answered)


def undo(
    service: ServiceContext, ref: AssignmentRef, worker: str | None, now: float
) -> tuple[AssignmentRow, TopicRow]:
    """Retract a worker's last answer, and open the same assignment to them again."""

    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[tuple[AssignmentRow, TopicRow]]:
        context = load_context(service, connection, projection, ref, worker)
        check_not_blocked(context)
        if _undone_before(context.assignment, ref):
            return UnitOfWork((context.assignment, projection.topic))
        check_open(context)
        if context.assignment.state == State.HELD:
            return _undo_held(connection, context, now)
        last = _last_answer(connection, context, now)
        _check_verdict(connection, context)
        undone = judgments.count_undone(
            connection, context.assignment.topic_id, context.assignment.number
        )
        _check_undos(context, undone)
        head = projection.next_head(entries=1)
        row = replace(
            context.assignment,
            state=State.OPEN,
            attempt=context.assignment.attempt + 1,
            version=head.version,
            expires_at=now + context.study.settings.lease_seconds,
        )
        retraction = RetractionRow(
            projection.topic.id, last.number, head.position, UNDO, BY_WORKER, now
        )
        counted = (
            frozenset([last.number])
            if row.purpose in projection.folded_purposes
            else frozenset[int]()
        )
        delta = TopicDelta(head, [row], retracted=counted)
        return UnitOfWork(
            (row, projection.topic), delta, changed_assignments=[row], retractions=[retraction]
        )

    return transact(service, ref, decide)


def _undo_held(
    connection: Connection, context: AssignmentContext, now: float
) -> UnitOfWork[tuple[AssignmentRow, TopicRow]]:
    """Undo an answer that is in quarantine, and so not in the log."""
    settings, projection = context.study.settings, context.projection
    check_is_last_answer(connection, context.assignment, now, settings.undo_seconds)
    evaluation = BatchEvaluation(
        connection,
        projection,
        context.study,
        context.assignment.worker_id,
        context.assignment.quarantine,
    )
    if context.assignment.purpose == Purpose.QUIZ and evaluation.held_quiz(now) is not None:
        raise TooLateToUndo("the answer cannot be taken back: it has been checked with others")
    _check_undos(context, context.assignment.attempt - 1)
    head = projection.next_head()
    row = replace(
        context.assignment,
        state=State.OPEN,
        held=None,
        attempt=context.assignment.attempt + 1,
        version=head.version,
        expires_at=now + settings.lease_seconds,
    )
    return UnitOfWork((row, projection.topic), TopicDelta(head, [row]), changed_assignments=[row])


def _undone_before(row: AssignmentRow, ref: AssignmentRef) -> bool:
    """Say whether this was undone already: one call sent twice must not undo two answers."""
    if ref.attempt is not None and ref.attempt < row.attempt:
        return True
    return row.state == State.OPEN and row.attempt > 1


def _last_answer(connection: Connection, context: AssignmentContext, now: float) -> JudgmentRow:
    last = judgments.latest_of(connection, context.assignment.worker_id)
    if last is None or (last.topic_id, last.assignment) != (
        context.assignment.topic_id,
        context.assignment.number,
    ):
        raise TooLateToUndo("only the worker's last answer can be taken back, and this is not it")
    window = context.study.settings.undo_seconds
    if now - last.created_at > window:
        raise TooLateToUndo(f"an answer can be taken back for {window:g} seconds, not later")
    return last


def _check_verdict(connection: Connection, context: AssignmentContext) -> None:
    """Raise if the answer is part of a verdict: nobody may change it after having passed."""
    row = context.assignment
    quiz = row.purpose == Purpose.QUIZ
    if not quiz and row.batch is None:
        return
    check = (Check.QUIZ, 0) if quiz else (Check.BATCH, row.batch)
    for one in checks.verdicts_of(connection, row.worker_id, row.topic_id):
        if (one.check, one.number) == check and one.effect != VerdictEffect.ASK_AGAIN:
            raise TooLateToUndo("the answer cannot be taken back: it has been checked with others")


def _check_undos(context: AssignmentContext, undone: int) -> None:
    """Raise if this was undone too often: each retraction folds the topic's whole log again."""
    most = context.study.settings.undos
    if undone >= most:
        times = "once" if most == 1 else f"{most} times"
        detail = f"the answer to a question can be taken back {times}, not more often"
        raise UndoneTooOften(detail if most else "answers cannot be taken back in this study")
