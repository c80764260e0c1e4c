"""Assignments: which worker was issued which question, and until when the lease runs."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, bindparam, func, insert, or_, select, update

from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, Purpose, State, values_of
from nextpair.storage.tables import AssignmentTable, JudgmentTable

COLUMNS: tuple[Any, ...] = (
    AssignmentTable.topic_id,
    AssignmentTable.number,
    AssignmentTable.worker_id,
    AssignmentTable.first,
    AssignmentTable.second,
    AssignmentTable.swapped,
    AssignmentTable.state,
    AssignmentTable.attempt,
    AssignmentTable.version,
    AssignmentTable.expires_at,
    AssignmentTable.request,
    AssignmentTable.created_at,
    AssignmentTable.purpose,
    AssignmentTable.subject,
    AssignmentTable.batch,
    AssignmentTable.reason,
    AssignmentTable.submission_id,
    AssignmentTable.quarantine,
    AssignmentTable.held,
)
"""The columns of an `AssignmentRow`."""
_ADD = insert(AssignmentTable)
_FIND = select(*COLUMNS).where(
    AssignmentTable.topic_id == bindparam("topic"), AssignmentTable.number == bindparam("number")
)
_UNANSWERED = select(*COLUMNS).where(
    AssignmentTable.topic_id == bindparam("topic"), AssignmentTable.state != State.ANSWERED.value
)
_ASIDE = select(*COLUMNS).where(
    AssignmentTable.topic_id == bindparam("topic"), AssignmentTable.purpose != Purpose.WORK.value
)
_CHANGED = select(*COLUMNS).where(
    AssignmentTable.topic_id == bindparam("topic"), AssignmentTable.version > bindparam("since")
)
_OF_REQUEST = (
    select(*COLUMNS)
    .where(
        AssignmentTable.worker_id == bindparam("worker"),
        AssignmentTable.request == bindparam("request"),
    )
    .order_by(AssignmentTable.topic_id, AssignmentTable.number)
)
CHANGES: dict[str, Any] = {
    "swapped": bindparam("new_swapped"),
    "state": bindparam("new_state"),
    "attempt": bindparam("new_attempt"),
    "version": bindparam("new_version"),
    "expires_at": bindparam("new_expiry"),
    "request": bindparam("new_request"),
    "reason": bindparam("new_reason"),
    "batch": bindparam("new_batch"),
    "submission_id": bindparam("new_submission"),
    "quarantine": bindparam("new_quarantine"),
    "held": bindparam("new_held", type_=AssignmentTable.held.type),
}
"""The columns of an assignment that may change."""
_CHANGE = (
    update(AssignmentTable)
    .where(
        AssignmentTable.topic_id == bindparam("topic"), AssignmentTable.number == bindparam("which")
    )
    .values(CHANGES)
)


def add_assignments(connection: Connection, rows: Sequence[AssignmentRow]) -> None:
    """Add new assignments."""
    if rows:
        connection.execute(_ADD, [values_of(row) for row in rows])


def change_assignment(connection: Connection, row: AssignmentRow) -> None:
    """Update an assignment."""
    connection.execute(_CHANGE, {"topic": row.topic_id, **changed_values(row)})


def changed_values(row: AssignmentRow) -> dict[str, Any]:
    """Return the parameters of the update of an assignment."""
    return {
        "which": row.number,
        "new_swapped": row.swapped,
        "new_state": row.state,
        "new_attempt": row.attempt,
        "new_version": row.version,
        "new_expiry": row.expires_at,
        "new_request": row.request,
        "new_reason": row.reason,
        "new_batch": row.batch,
        "new_submission": row.submission_id,
        "new_quarantine": row.quarantine,
        "new_held": row.held,
    }


def find_assignment(connection: Connection, topic_id: int, number: int) -> AssignmentRow | None:
    """Return an assignment."""
    row = connection.execute(_FIND, {"topic": topic_id, "number": number}).one_or_none()
    return AssignmentRow(*row) if row else None


def of_pair(
    connection: Connection, topic_id: int, worker_id: int, pair: tuple[int, int]
) -> AssignmentRow | None:
    """Return a worker's assignment of a pair as work, if they ever had it."""
    found = select(*COLUMNS).where(
        AssignmentTable.topic_id == topic_id,
        AssignmentTable.worker_id == worker_id,
        AssignmentTable.first == pair[0],
        AssignmentTable.second == pair[1],
        AssignmentTable.purpose == Purpose.WORK.value,
    )
    row = connection.execute(found).one_or_none()
    return AssignmentRow(*row) if row else None


def unanswered(connection: Connection, topic_id: int) -> list[AssignmentRow]:
    """List the assignments of a topic that no counting judgment answers."""
    found = connection.execute(_UNANSWERED, {"topic": topic_id})
    return [AssignmentRow(*row) for row in found]


def check_assignments(connection: Connection, topic_id: int) -> list[AssignmentRow]:
    """List the check questions of a topic that were issued, answered or not."""
    return [AssignmentRow(*row) for row in connection.execute(_ASIDE, {"topic": topic_id})]


def evaluated_of_worker(
    connection: Connection, topic_id: int, worker_id: int
) -> list[AssignmentRow]:
    """List a worker's assignments of a topic that belong to a batch or the quiz, oldest first."""
    found = (
        select(*COLUMNS)
        .where(
            AssignmentTable.topic_id == topic_id,
            AssignmentTable.worker_id == worker_id,
            or_(AssignmentTable.batch.is_not(None), AssignmentTable.purpose == Purpose.QUIZ.value),
        )
        .order_by(AssignmentTable.number)
    )
    return [AssignmentRow(*row) for row in connection.execute(found)]


def topics_with_batches(connection: Connection, worker_id: int) -> list[int]:
    """List the topics on which a worker has had batches."""
    found = (
        select(AssignmentTable.topic_id)
        .where(AssignmentTable.worker_id == worker_id, AssignmentTable.batch.is_not(None))
        .distinct()
        .order_by(AssignmentTable.topic_id)
    )
    return list(connection.execute(found).scalars())


def changed_since(connection: Connection, topic_id: int, version: int) -> list[AssignmentRow]:
    """List the assignments of a topic that are new or were changed after a version."""
    found = connection.execute(_CHANGED, {"topic": topic_id, "since": version})
    return [AssignmentRow(*row) for row in found]


def of_request(connection: Connection, worker_id: int, request: str) -> list[AssignmentRow]:
    """List the assignments that one request of a worker was given."""
    given = {"worker": worker_id, "request": request}
    return [AssignmentRow(*row) for row in connection.execute(_OF_REQUEST, given)]


def leased_by(connection: Connection, worker_id: int, now: float) -> list[AssignmentRow]:
    """List a worker's leases that have not expired, oldest first."""
    found = (
        select(*COLUMNS)
        .where(
            AssignmentTable.worker_id == worker_id,
            AssignmentTable.state == State.OPEN.value,
            AssignmentTable.expires_at > now,
        )
        .order_by(AssignmentTable.created_at, AssignmentTable.topic_id, AssignmentTable.number)
    )
    return [AssignmentRow(*row) for row in connection.execute(found)]


def count_answered(
    connection: Connection, worker_id: int, since: float, submission_id: int | None = None
) -> int:
    """Count the questions that a worker has answered since a moment, and not undone.

    Parameters
    ----------
    submission_id
        The submission that is counted for, if it is for one: assignments that were issued in
        another session before its confirmation are left out, those of this one always count.
    """
    answered = select(JudgmentTable.number).where(
        JudgmentTable.topic_id == AssignmentTable.topic_id,
        JudgmentTable.assignment == AssignmentTable.number,
        JudgmentTable.created_at >= since,
    )
    counted = (State.ANSWERED.value, State.RETRACTED.value)
    meant = and_(AssignmentTable.state.in_(counted), answered.exists())
    if submission_id is not None:
        here = AssignmentTable.submission_id == submission_id
        in_it = and_(here, AssignmentTable.state.in_((*counted, State.HELD.value)))
        meant = or_(and_(meant, AssignmentTable.submission_id.is_(None)), in_it)
    found = select(func.count()).where(AssignmentTable.worker_id == worker_id, meant)
    return connection.execute(found).scalar_one()


def count_taken(
    connection: Connection, worker_id: int, now: float, quarantine: int | None = None
) -> int:
    """Count what a worker has answered or leased; what was skipped or has expired is left out.

    Parameters
    ----------
    quarantine
        The unconfirmed session that is counted for, if it is for one; others are left out.
    """
    counted = or_(
        AssignmentTable.state.in_((State.ANSWERED.value, State.RETRACTED.value, State.HELD.value)),
        and_(AssignmentTable.state == State.OPEN.value, AssignmentTable.expires_at > now),
    )
    seen: Any = AssignmentTable.quarantine.is_(None)
    if quarantine is not None:
        seen = or_(seen, AssignmentTable.quarantine == quarantine)
    found = select(func.count()).where(AssignmentTable.worker_id == worker_id, counted, seen)
    return connection.execute(found).scalar_one()
