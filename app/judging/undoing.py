"""Giving a question back, and taking the last answer back."""

from dataclasses import replace

from nextpair.app.errors import AnswerConflict, TooLateToUndo
from nextpair.app.judging.held import Held, change, check_attempt, check_open, take
from nextpair.app.judging.holding import check_last
from nextpair.app.judging.live import Change, LiveTopic
from nextpair.app.judging.service import Service
from nextpair.app.judging.steps import Step
from nextpair.app.judging.tokens import AssignmentRef
from nextpair.storage import judgments
from nextpair.storage.database import Connection
from nextpair.storage.rows import (
    AssignmentRow,
    JudgmentRow,
    RetractionRow,
    State,
    TopicRow,
)

UNDO = "undo"
"""The reason of a retraction that a worker asked for."""


def skip(
    service: Service, ref: AssignmentRef, worker: str | None, reason: str | None = None
) -> AssignmentRow:
    """Give a question back: it goes to someone else, and never again to this worker."""

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[AssignmentRow]:
        held = take(service, connection, live, ref, worker)
        if held.row.state == State.SKIPPED:
            return Step(held.row)
        if held.row.state != State.OPEN:
            raise AnswerConflict("the assignment has been answered, so it cannot be skipped")
        check_open(held)
        check_attempt(held.row, ref)
        head = live.moved()
        row = replace(held.row, state=State.SKIPPED, version=head.version, reason=reason)
        return Step(row, Change(head, [row]), changed=[row])

    return change(service, ref, act)


def undo(
    service: Service, ref: AssignmentRef, worker: str | None, now: float
) -> tuple[AssignmentRow, TopicRow]:
    """Take a worker's last answer back, and open the same question to them again."""

    def act(
        connection: Connection, live: LiveTopic, locked: bool
    ) -> Step[tuple[AssignmentRow, TopicRow]]:
        held = take(service, connection, live, ref, worker)
        if _undone_before(held.row, ref):
            return Step((held.row, live.row))
        check_open(held)
        if held.row.state == State.HELD:
            return _undo_held(connection, held, now)
        last = _last_answer(connection, held, now)
        head = live.moved(entries=1)
        row = replace(
            held.row,
            state=State.OPEN,
            attempt=held.row.attempt + 1,
            version=head.version,
            expires_at=now + held.study.settings.lease_seconds,
        )
        taken = RetractionRow(live.row.id, last.number, head.position, UNDO, "worker", now)
        counted = frozenset([last.number]) if row.purpose in live.hears else frozenset[int]()
        change = Change(head, [row], retracted=counted)
        return Step((row, live.row), change, changed=[row], retractions=[taken])

    return change(service, ref, act)


def _undo_held(
    connection: Connection, held: Held, now: float
) -> Step[tuple[AssignmentRow, TopicRow]]:
    """Take back an answer that is in no log yet."""
    settings, live = held.study.settings, held.live
    check_last(connection, held.row, now, settings.undo_seconds)
    head = live.moved()
    row = replace(
        held.row,
        state=State.OPEN,
        held=None,
        attempt=held.row.attempt + 1,
        version=head.version,
        expires_at=now + settings.lease_seconds,
    )
    return Step((row, live.row), Change(head, [row]), changed=[row])


def _undone_before(row: AssignmentRow, ref: AssignmentRef) -> bool:
    """Say whether this was taken back already: one call sent twice must not undo two answers."""
    if ref.attempt is not None and ref.attempt < row.attempt:
        return True
    return row.state == State.OPEN and row.attempt > 1


def _last_answer(connection: Connection, held: Held, now: float) -> JudgmentRow:
    last = judgments.latest_of(connection, held.row.worker_id)
    if last is None or (last.topic_id, last.assignment) != (held.row.topic_id, held.row.number):
        raise TooLateToUndo("only the worker's last answer can be taken back, and this is not it")
    window = held.study.settings.undo_seconds
    if now - last.created_at > window:
        raise TooLateToUndo(f"an answer can be taken back for {window:g} seconds, not later")
    return last
