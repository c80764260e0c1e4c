"""Quarantine: assignments of sessions that their platform has not confirmed, and verdicts there."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import select

from nextpair.storage.assignments import COLUMNS
from nextpair.storage.database import Connection
from nextpair.storage.hiring_tables import SubmissionTable
from nextpair.storage.offers import change_submission, find_submission
from nextpair.storage.rows import AssignmentRow, State, VerdictRow
from nextpair.storage.tables import AssignmentTable


def confirmed_assignments(connection: Connection, study_id: int) -> list[tuple[AssignmentRow, str]]:
    """List quarantined assignments of sessions that are now confirmed, with the session's state."""
    found = (
        select(*COLUMNS, SubmissionTable.state)
        .join(SubmissionTable, SubmissionTable.id == AssignmentTable.quarantine)
        .where(
            SubmissionTable.study_id == study_id, SubmissionTable.confirmed_at.is_not(None), _KEPT
        )
        .order_by(AssignmentTable.created_at, AssignmentTable.topic_id, AssignmentTable.number)
    )
    rows = [(AssignmentRow(*row[:-1]), row[-1]) for row in connection.execute(found)]
    return sorted(rows, key=lambda row: answered_at(row[0]))


def of_session(connection: Connection, submission_id: int) -> list[AssignmentRow]:
    """List a session's quarantined assignments, in the order in which they were answered."""
    found = select(*COLUMNS).where(AssignmentTable.quarantine == submission_id, _KEPT)
    rows = [AssignmentRow(*row) for row in connection.execute(found)]
    return sorted(rows, key=answered_at)


def quarantined_sessions(connection: Connection, study_id: int) -> set[int]:
    """Return the sessions that have quarantined assignments."""
    found = (
        select(AssignmentTable.quarantine)
        .join(SubmissionTable, SubmissionTable.id == AssignmentTable.quarantine)
        .where(SubmissionTable.study_id == study_id, _KEPT)
        .distinct()
    )
    return {session for session in connection.execute(found).scalars() if session is not None}


def answered_at(row: AssignmentRow) -> float:
    """Return when an assignment was answered; when it was issued if it was not."""
    return float(row.held["at"]) if row.held is not None else row.created_at


def store_verdict(connection: Connection, submission_id: int, verdict: VerdictRow) -> None:
    """Store a verdict with an unconfirmed session."""
    row = find_submission(connection, submission_id)
    if row is not None:
        extra = {**row.extra, VERDICTS: [*row.extra.get(VERDICTS, ()), asdict(verdict)]}
        change_submission(connection, submission_id, extra=extra)


def verdicts_of(
    connection: Connection, submission_id: int, topic_id: int | None = None
) -> list[VerdictRow]:
    """List the verdicts stored with a session, of one topic or of all."""
    row = find_submission(connection, submission_id)
    kept = [] if row is None else [VerdictRow(**stored) for stored in row.extra.get(VERDICTS, ())]
    return [verdict for verdict in kept if topic_id in (None, verdict.topic_id)]


def delete_verdicts(connection: Connection, submission_id: int) -> None:
    """Delete the verdicts stored with a session: they have become the worker's own."""
    row = find_submission(connection, submission_id)
    if row is not None:
        extra = {name: value for name, value in row.extra.items() if name != VERDICTS}
        change_submission(connection, submission_id, extra=extra)


VERDICTS = "verdicts"
_KEPT: Any = AssignmentTable.state != State.LAPSED.value
