"""The log of a topic: judgments and retractions, append-only."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import Any, cast

from sqlalchemy import and_, bindparam, func, insert, select

from nextpair.storage.database import Connection
from nextpair.storage.rows import BY_WORKER, UNDO, JudgmentRow, RetractionRow, values_of
from nextpair.storage.tables import JudgmentTable, RetractionTable, WorkerTable

_COLUMNS: tuple[Any, ...] = (
    JudgmentTable.topic_id,
    JudgmentTable.number,
    JudgmentTable.assignment,
    JudgmentTable.attempt,
    JudgmentTable.worker_id,
    JudgmentTable.first,
    JudgmentTable.second,
    JudgmentTable.outcome,
    JudgmentTable.answer,
    JudgmentTable.seconds,
    JudgmentTable.created_at,
    JudgmentTable.purpose,
    JudgmentTable.subject,
    JudgmentTable.correct,
)
JudgmentRecord = tuple[int, int, int, str | None, int, int | None, str]
"""A judgment as it is folded into a projection: number, two positions, outcome, worker, the number
of the judgment that it reviews, purpose."""

RECORD: tuple[Any, ...] = (
    JudgmentTable.number,
    JudgmentTable.first,
    JudgmentTable.second,
    JudgmentTable.outcome,
    JudgmentTable.worker_id,
    JudgmentTable.subject,
    JudgmentTable.purpose,
)
_ADD = insert(JudgmentTable)
RETRACTED = and_(
    RetractionTable.topic_id == JudgmentTable.topic_id,
    RetractionTable.judgment == JudgmentTable.number,
)
BY_UNDO = and_(RetractionTable.reason == UNDO, RetractionTable.by == BY_WORKER)
"""The condition that a retraction is an undo by the worker."""
_OF_ASSIGNMENT = (
    select(*_COLUMNS)
    .where(
        JudgmentTable.topic_id == bindparam("topic"),
        JudgmentTable.assignment == bindparam("assignment"),
    )
    .order_by(JudgmentTable.attempt)
)
_RECORDS = (
    select(*RECORD)
    .outerjoin(RetractionTable, RETRACTED)
    .where(
        JudgmentTable.topic_id == bindparam("topic"),
        JudgmentTable.number > bindparam("after"),
        JudgmentTable.purpose.in_(bindparam("purposes", expanding=True)),
        RetractionTable.number.is_(None),
    )
    .order_by(JudgmentTable.number)
)
_RETRACTED_SINCE = (
    select(RetractionTable.judgment)
    .join(JudgmentTable, RETRACTED)
    .where(
        RetractionTable.topic_id == bindparam("topic"),
        RetractionTable.number > bindparam("after"),
        JudgmentTable.purpose.in_(bindparam("purposes", expanding=True)),
    )
)


def add_judgment(connection: Connection, row: JudgmentRow) -> None:
    """Append a judgment."""
    connection.execute(_ADD, values_of(row))


def record_of(row: JudgmentRow) -> JudgmentRecord:
    """Return the record of a judgment that is folded."""
    return (
        row.number,
        row.first,
        row.second,
        row.outcome,
        row.worker_id,
        row.subject,
        row.purpose,
    )


def answers_to(connection: Connection, topic_id: int, assignment: int) -> list[JudgmentRow]:
    """List the judgments that answer an assignment, oldest attempt first."""
    given = {"topic": topic_id, "assignment": assignment}
    return [JudgmentRow(*row) for row in connection.execute(_OF_ASSIGNMENT, given)]


def records_after(
    connection: Connection, topic_id: int, after: int, purposes: Collection[str]
) -> Iterable[JudgmentRecord]:
    """Yield the records of judgments that count, of some purposes, after a position of the log."""
    given = {"topic": topic_id, "after": after, "purposes": list(purposes)}
    return cast(Iterable[JudgmentRecord], connection.execute(_RECORDS, given))


def retracted_after(
    connection: Connection, topic_id: int, after: int, purposes: Collection[str]
) -> set[int]:
    """Return the judgments of some purposes that were retracted after a position of the log."""
    given = {"topic": topic_id, "after": after, "purposes": list(purposes)}
    return set(connection.execute(_RETRACTED_SINCE, given).scalars())


def add_retractions(connection: Connection, rows: Sequence[RetractionRow]) -> None:
    """Add retractions; those with the same number are one entry of the log."""
    if rows:
        connection.execute(insert(RetractionTable), [asdict(row) for row in rows])


def counting(
    connection: Connection, topic_id: int, numbers: Sequence[int] | None = None
) -> list[JudgmentRow]:
    """List the judgments of a topic that are not retracted, or those of them with some numbers."""
    found = (
        select(*_COLUMNS)
        .outerjoin(RetractionTable, RETRACTED)
        .where(JudgmentTable.topic_id == topic_id, RetractionTable.number.is_(None))
        .order_by(JudgmentTable.number)
    )
    if numbers is not None:
        found = found.where(JudgmentTable.number.in_(numbers))
    return [JudgmentRow(*row) for row in connection.execute(found)]


def whole_log(connection: Connection, topic_id: int) -> list[tuple[JudgmentRow, str | None]]:
    """List all judgments of a topic, oldest first, with who retracted them if someone did."""
    found = (
        select(*_COLUMNS, RetractionTable.by)
        .outerjoin(RetractionTable, RETRACTED)
        .where(JudgmentTable.topic_id == topic_id)
        .order_by(JudgmentTable.number)
    )
    return [(JudgmentRow(*row[:-1]), row[-1]) for row in connection.execute(found)]


def of_worker(connection: Connection, topic_id: int, worker_id: int) -> list[JudgmentRow]:
    """List a worker's judgments of a topic that are not retracted, oldest first."""
    found = (
        select(*_COLUMNS)
        .outerjoin(RetractionTable, RETRACTED)
        .where(
            JudgmentTable.topic_id == topic_id,
            JudgmentTable.worker_id == worker_id,
            RetractionTable.number.is_(None),
        )
        .order_by(JudgmentTable.number)
    )
    return [JudgmentRow(*row) for row in connection.execute(found)]


def count_undone(connection: Connection, topic_id: int, assignment: int) -> int:
    """Count how often the worker of an assignment has undone an answer to it."""
    found = (
        select(func.count())
        .select_from(JudgmentTable)
        .join(RetractionTable, and_(RETRACTED, BY_UNDO))
        .where(JudgmentTable.topic_id == topic_id, JudgmentTable.assignment == assignment)
    )
    return connection.execute(found).scalar_one()


def numbered(connection: Connection, topic_id: int, numbers: Sequence[int]) -> list[JudgmentRow]:
    """List the judgments of a topic with some numbers, retracted or not."""
    found = select(*_COLUMNS).where(
        JudgmentTable.topic_id == topic_id, JudgmentTable.number.in_(numbers)
    )
    return [JudgmentRow(*row) for row in connection.execute(found.order_by(JudgmentTable.number))]


def existing(connection: Connection, topic_id: int, numbers: Sequence[int]) -> set[int]:
    """Return which of some numbers are judgments of a topic, retracted or not."""
    found = select(JudgmentTable.number).where(
        JudgmentTable.topic_id == topic_id, JudgmentTable.number.in_(numbers)
    )
    return set(connection.execute(found).scalars())


def counting_by_worker(connection: Connection, worker_id: int) -> dict[int, list[int]]:
    """List, by topic, the numbers of a worker's judgments that are not retracted."""
    found = (
        select(JudgmentTable.topic_id, JudgmentTable.number)
        .outerjoin(RetractionTable, RETRACTED)
        .where(JudgmentTable.worker_id == worker_id, RetractionTable.number.is_(None))
        .order_by(JudgmentTable.topic_id, JudgmentTable.number)
    )
    numbers: dict[int, list[int]] = {}
    for topic_id, number in connection.execute(found):
        numbers.setdefault(topic_id, []).append(number)
    return numbers


def latest_of(connection: Connection, worker_id: int) -> JudgmentRow | None:
    """Return a worker's latest judgment that counts."""
    found = (
        select(*_COLUMNS)
        .outerjoin(RetractionTable, RETRACTED)
        .where(JudgmentTable.worker_id == worker_id, RetractionTable.number.is_(None))
        .order_by(
            JudgmentTable.created_at.desc(),
            JudgmentTable.topic_id.desc(),
            JudgmentTable.number.desc(),
        )
        .limit(1)
    )
    row = connection.execute(found).one_or_none()
    return JudgmentRow(*row) if row else None


def list_log(
    connection: Connection, topic_id: int, after: int, limit: int
) -> list[tuple[JudgmentRow, str, str | None]]:
    """List judgments with their worker's name, and why they were retracted if they were."""
    found = (
        _full_log()
        .where(JudgmentTable.topic_id == topic_id, JudgmentTable.number > after)
        .limit(limit)
    )
    return [_entry(row) for row in connection.execute(found)]


def entries_between(
    connection: Connection, topic_id: int, after: int, upto: int
) -> list[tuple[int, dict[str, Any]]]:
    """List the log's entries between two positions, judgments and retractions, by their numbers."""
    made = select(
        JudgmentTable.number,
        WorkerTable.name,
        JudgmentTable.first,
        JudgmentTable.second,
        JudgmentTable.outcome,
    ).join(WorkerTable, WorkerTable.id == JudgmentTable.worker_id)
    made = made.where(
        JudgmentTable.topic_id == topic_id,
        JudgmentTable.number > after,
        JudgmentTable.number <= upto,
    )
    taken = select(RetractionTable.number, RetractionTable.judgment, RetractionTable.reason).where(
        RetractionTable.topic_id == topic_id,
        RetractionTable.number > after,
        RetractionTable.number <= upto,
    )
    entries: dict[int, dict[str, Any]] = {}
    for number, worker, first, second, outcome in connection.execute(made):
        entries[number] = {
            "number": number,
            "worker": worker,
            "first": first,
            "second": second,
            "outcome": outcome,
        }
    for number, judgment, reason in connection.execute(taken):
        entry = entries.setdefault(number, {"reason": reason, "judgments": []})
        entry["judgments"].append(judgment)
    return sorted(entries.items())


def _full_log() -> Any:
    return (
        select(*_COLUMNS, WorkerTable.name, RetractionTable.reason)
        .join(WorkerTable, WorkerTable.id == JudgmentTable.worker_id)
        .outerjoin(RetractionTable, RETRACTED)
        .order_by(JudgmentTable.number)
    )


def _entry(row: Sequence[Any]) -> tuple[JudgmentRow, str, str | None]:
    return JudgmentRow(*row[:-2]), row[-2], row[-1]
