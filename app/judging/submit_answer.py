"""Submit answer: an answer becomes a judgment of the log, once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from nextpair.app.errors import (
    AlreadySkipped,
    AnswerConflict,
    BadAnswer,
    SpentToken,
)
from nextpair.app.judging.acknowledgement import Acknowledgement, acknowledge
from nextpair.app.judging.assignment_context import (
    AssignmentContext,
    check_open,
    load_context,
    transact,
)
from nextpair.app.judging.judgment_builder import JudgmentBuilder
from nextpair.app.judging.quarantined_answers import quarantine_answer, repeat_acknowledgement
from nextpair.app.quality.batch_evaluation import BatchEvaluation
from nextpair.app.quality.verdicts import VerdictConsequences, retract_answers
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.app.security.tokens import AssignmentRef
from nextpair.storage import judgments
from nextpair.storage.database import Connection
from nextpair.storage.rows import (
    JudgmentRow,
    Purpose,
    State,
)


@dataclass(frozen=True, slots=True)
class SubmittedAnswer:
    """The answer to an assignment, as it was submitted.

    Parameters
    ----------
    worker
        Who submits it; None where an assignment's token proves that.
    seconds
        How long the worker looked at the question, if that was measured.
    left
        Which document was shown on the left, if the page chose the sides.
    """

    content: Mapping[str, Any]
    worker: str | None = None
    seconds: float | None = None
    left: str | None = None


def submit_answer(
    service: ServiceContext, ref: AssignmentRef, answer: SubmittedAnswer, clock: Callable[[], float]
) -> Acknowledgement:
    """Append an answer to the log; idempotent: the same answer again changes nothing.

    Parameters
    ----------
    clock
        Read when the answer is appended, not when it arrived: an answer that had to wait until its
        lease was over is late.
    """

    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[Acknowledgement] | None:
        loaded = load_context(service, connection, projection, ref, answer.worker)
        context = _as_shown(service, loaded, answer.left)
        content = context.study.design.read(
            answer.content, review=context.assignment.subject is not None
        )
        kept = content.model_dump(mode="json")
        if context.assignment.state == State.HELD:
            return UnitOfWork(
                repeat_acknowledgement(
                    context,
                    ref,
                    kept,
                    turned=context.assignment.swapped != loaded.assignment.swapped,
                )
            )
        earlier = _answered_before(connection, context, ref, kept)
        if earlier is not None:
            if context.assignment.swapped != loaded.assignment.swapped:
                raise AnswerConflict()
            return UnitOfWork(acknowledge(context, earlier, repeated=True))
        check_open(context)
        checked = context.assignment.batch is not None or context.assignment.purpose == Purpose.QUIZ
        if checked and not locked:
            return None
        now = clock()
        builder = JudgmentBuilder(
            service, connection, context.projection, context.study, context.assignment
        )
        judgment = replace(builder.build(content, kept, now), seconds=answer.seconds)
        if context.assignment.quarantine is not None:
            return quarantine_answer(connection, context, judgment)
        consequences = None
        if checked:
            evaluation = BatchEvaluation(
                connection, projection, context.study, context.assignment.worker_id
            )
            answered = replace(context.assignment, state=State.ANSWERED)
            consequences = evaluation.after(answered, judgment, now)
        return accept_answer(context, judgment, consequences, now)

    return transact(service, ref, decide)


def _as_shown(
    service: ServiceContext, context: AssignmentContext, left: str | None
) -> AssignmentContext:
    """Put the documents on the sides where they were shown: the log records what was seen.

    A page names them as the service has named them to it: by their ids, or by pseudonyms.
    """
    row = context.assignment
    if left is None or row.first == row.second:
        return context
    first, second = (
        (name, service.pseudonyms.of_document(row.topic_id, name))
        for name in map(context.projection.document_name, row.pair)
    )
    if left not in (*first, *second):
        raise BadAnswer("left: must be the id of one of the two documents of the assignment")
    return context._replace(assignment=replace(row, swapped=left in second))


def accept_answer(
    context: AssignmentContext,
    judgment: JudgmentRow,
    consequences: VerdictConsequences | None,
    now: float,
) -> UnitOfWork[Acknowledgement]:
    """Return the unit of work of an answer, with the consequences of a batch that it completes."""
    projection = context.projection
    has_retractions = consequences is not None and bool(consequences.judgments)
    head = projection.next_head(entries=2 if has_retractions else 1)
    row = replace(context.assignment, state=State.ANSWERED, version=head.version)
    counts = judgment.purpose in projection.folded_purposes and not has_retractions
    records = [judgments.record_of(judgment)] if counts else []
    acknowledgement = acknowledge(context, judgment, repeated=False)
    if consequences is None:
        return UnitOfWork(
            acknowledgement,
            TopicDelta(head, [row], records),
            changed_assignments=[row],
            judgment=judgment,
        )
    acknowledgement = replace(acknowledgement, verdict=consequences.verdict)
    if not has_retractions:
        delta = TopicDelta(head, [row], records)
        return UnitOfWork(
            acknowledgement,
            delta,
            changed_assignments=[row],
            judgment=judgment,
            verdict=consequences.verdict,
        )
    retracted = retract_answers(
        consequences, head, now + context.study.settings.lease_seconds, projection.folded_purposes
    )
    delta = TopicDelta(head, retracted.assignments, retracted=retracted.counted)
    return UnitOfWork(
        acknowledgement,
        delta,
        changed_assignments=retracted.assignments,
        judgment=judgment,
        retractions=retracted.retractions,
        verdict=consequences.verdict,
    )


def _answered_before(
    connection: Connection,
    context: AssignmentContext,
    ref: AssignmentRef,
    content: Mapping[str, Any],
) -> JudgmentRow | None:
    """Return the judgment of the same answer, if it was submitted before."""
    row = context.assignment
    attempt = row.attempt if ref.attempt is None else ref.attempt
    if row.state == State.OPEN and attempt == row.attempt:
        return None
    if row.state == State.SKIPPED and attempt == row.attempt:
        raise AlreadySkipped()
    for earlier in judgments.answers_to(connection, row.topic_id, row.number):
        if earlier.attempt == attempt:
            if earlier.answer == content:
                return earlier
            raise AnswerConflict() if attempt == row.attempt else SpentToken()
    raise SpentToken()
