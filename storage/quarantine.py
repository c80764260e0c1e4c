"""What was handed out in sessions that their platform had not confirmed."""

from typing import Any

from sqlalchemy import select

from nextpair.storage.assignments import COLUMNS
from nextpair.storage.database import Connection
from nextpair.storage.hiring_tables import Submission
from nextpair.storage.rows import AssignmentRow, State
from nextpair.storage.tables import Assignment


def admissible(connection: Connection, study_id: int) -> list[tuple[AssignmentRow, str]]:
    """List what is to leave quarantine, as its session is confirmed; with how that stands."""
    found = (
        select(*COLUMNS, Submission.state)
        .join(Submission, Submission.id == Assignment.quarantine)
        .where(Submission.study_id == study_id, Submission.confirmed_at.is_not(None), _KEPT)
        .order_by(Assignment.created_at, Assignment.topic_id, Assignment.number)
    )
    rows = [(AssignmentRow(*row[:-1]), row[-1]) for row in connection.execute(found)]
    return sorted(rows, key=lambda row: answered_at(row[0]))


def of_session(connection: Connection, submission_id: int) -> list[AssignmentRow]:
    """List what a session has in quarantine, in the order in which it was answered."""
    found = select(*COLUMNS).where(Assignment.quarantine == submission_id, _KEPT)
    rows = [AssignmentRow(*row) for row in connection.execute(found)]
    return sorted(rows, key=answered_at)


def answered_at(row: AssignmentRow) -> float:
    """Say when an assignment was answered, or was given where it was not."""
    return float(row.held["at"]) if row.held is not None else row.created_at


_KEPT: Any = Assignment.state != State.LAPSED.value
