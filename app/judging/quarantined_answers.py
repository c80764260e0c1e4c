"""Answers of unconfirmed sessions: stored with their assignments, and not in the log yet."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nextpair.app.errors import AnswerConflict, SpentToken, TooLateToUndo
from nextpair.app.judging.acknowledgement import Acknowledgement, acknowledge
from nextpair.app.judging.assignment_context import AssignmentContext
from nextpair.app.quality.batch_evaluation import BatchEvaluation
from nextpair.app.runtime.projection import TopicDelta
from nextpair.app.runtime.quarantine import HELD_SECONDS, quarantined_judgment
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.app.security.tokens import AssignmentRef
from nextpair.storage import quarantine
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, JudgmentRow, Purpose, State


def quarantine_answer(
    connection: Connection, context: AssignmentContext, judgment: JudgmentRow
) -> UnitOfWork[Acknowledgement]:
    """Store an answer with its assignment, until the session is confirmed."""
    kept = {
        "answer": judgment.answer,
        "outcome": judgment.outcome,
        "correct": judgment.correct,
        "seconds": judgment.seconds,
        "at": judgment.created_at,
    }
    head = context.projection.next_head()
    row = replace(
        context.assignment,
        state=State.HELD,
        held=kept,
        version=head.version,
        expires_at=judgment.created_at + HELD_SECONDS,
    )
    acknowledgement = acknowledge(context, replace(judgment, number=0), repeated=False)
    if row.purpose == Purpose.QUIZ:
        evaluation = BatchEvaluation(
            connection, context.projection, context.study, row.worker_id, row.quarantine
        )
        acknowledgement = replace(
            acknowledgement, verdict=evaluation.held_quiz(judgment.created_at, judgment)
        )
    return UnitOfWork(acknowledgement, TopicDelta(head, [row]), changed_assignments=[row])


def repeat_acknowledgement(
    context: AssignmentContext, ref: AssignmentRef, content: Mapping[str, Any], *, turned: bool
) -> Acknowledgement:
    """Acknowledge a quarantined answer again, if this answer is the same."""
    row = context.assignment
    if ref.attempt not in (None, row.attempt):
        raise SpentToken()
    judgment = quarantined_judgment(row)
    if turned or judgment.answer != content:
        raise AnswerConflict()
    return replace(acknowledge(context, judgment, repeated=True), late=False)


def check_is_last_answer(
    connection: Connection, row: AssignmentRow, now: float, window: float
) -> None:
    """Raise unless a quarantined answer is its session's last, and not too old to be undone."""
    assert row.quarantine is not None and row.held is not None
    session = quarantine.of_session(connection, row.quarantine)
    rows = [answered for answered in session if answered.held]
    if (rows[-1].topic_id, rows[-1].number) != (row.topic_id, row.number):
        raise TooLateToUndo("only the worker's last answer can be taken back, and this is not it")
    if now - row.held["at"] > window:
        raise TooLateToUndo(f"an answer can be taken back for {window:g} seconds, not later")
