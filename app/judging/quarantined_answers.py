"""Answers of sessions that their platform has not confirmed: stored, and in no log yet."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nextpair.app.errors import AnswerConflict, SpentToken, TooLateToUndo
from nextpair.app.judging.acknowledgement import Judged, judged_of
from nextpair.app.judging.assignment_context import Held
from nextpair.app.quality.batch_evaluation import Checking
from nextpair.app.runtime.projection import Change
from nextpair.app.runtime.quarantine import HELD_SECONDS, held_judgment
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.security.tokens import AssignmentRef
from nextpair.storage import quarantine
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, JudgmentRow, Purpose, State


def hold(connection: Connection, held: Held, judgment: JudgmentRow) -> Step[Judged]:
    """Store an answer with its question until the session is confirmed."""
    kept = {
        "answer": judgment.answer,
        "outcome": judgment.outcome,
        "correct": judgment.correct,
        "seconds": judgment.seconds,
        "at": judgment.created_at,
    }
    head = held.live.moved()
    row = replace(
        held.row,
        state=State.HELD,
        held=kept,
        version=head.version,
        expires_at=judgment.created_at + HELD_SECONDS,
    )
    told = judged_of(held, replace(judgment, number=0), repeated=False)
    if row.purpose == Purpose.QUIZ:
        checking = Checking(connection, held.live, held.study, row.worker_id, row.quarantine)
        told = replace(told, verdict=checking.held_quiz(judgment.created_at, judgment))
    return Step(told, Change(head, [row]), changed=[row])


def held_before(
    held: Held, ref: AssignmentRef, content: Mapping[str, Any], *, turned: bool
) -> Judged:
    """Say again what was said of an answer that is held, if this one says the same."""
    row = held.row
    if ref.attempt not in (None, row.attempt):
        raise SpentToken()
    judgment = held_judgment(row)
    if turned or judgment.answer != content:
        raise AnswerConflict()
    return replace(judged_of(held, judgment, repeated=True), late=False)


def check_last(connection: Connection, row: AssignmentRow, now: float, window: float) -> None:
    """Raise unless a held answer is its session's last one, and not too old to be taken back."""
    assert row.quarantine is not None and row.held is not None
    rows = [one for one in quarantine.of_session(connection, row.quarantine) if one.held]
    if (rows[-1].topic_id, rows[-1].number) != (row.topic_id, row.number):
        raise TooLateToUndo("only the worker's last answer can be taken back, and this is not it")
    if now - row.held["at"] > window:
        raise TooLateToUndo(f"an answer can be taken back for {window:g} seconds, not later")
