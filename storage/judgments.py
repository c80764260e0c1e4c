"""The log of a topic: judgments and retractions, append-only."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import Any, cast

from sqlalchemy import and_, bindparam, func, insert, select

from nextpair.storage.database import Connection
from nextpair.storage.rows import BY_WORKER, UNDO, JudgmentRow, RetractionRow, values_of
from nextpair.storage.tables import Judgment, Retraction, Worker

_COLUMNS: tuple[Any, ...] = (
    Judgment.topic_id,
    Judgment.number,
    Judgment.assignment,
    Judgment.attempt,
    Judgment.worker_id,
    Judgment.first,
    Judgment.second,
    Judgment.outcome,
    Judgment.answer,
    Judgment.seconds,
    Judgment.created_at,
    Judgment.purpose,
    Judgment.subject,
    Judgment.correct,
)
JudgmentRecord = tuple[int, int, int, str | None, int, int | None, str]
"""A judgment as it is folded into a projection: number, two positions, outcome, worker, the number
of the judgment that it reviews, purpose."""

RECORD: tuple[Any, ...] = (
    Judgment.number,
    Judgment.first,
    Judgment.second,
    Judgment.outcome,
    Judgment.worker_id,
    Judgment.subject,
    Judgment.purpose,
)
_ADD = insert(Judgment)
RETRACTED = and_(Retraction.topic_id == Judgment.topic_id, Retraction.judgment == Judgment.number)
BY_UNDO = and_(Retraction.reason == UNDO, Retraction.by == BY_WORKER)
"""The condition that a retraction is an undo by the worker."""
_OF_ASSIGNMENT = (
    select(*_COLUMNS)
    .where(
        Judgment.topic_id == bindparam("topic"),
        Judgment.assignment == bindparam("assignment"),
    )
    .order_by(Judgment.attempt)
)
_RECORDS = (
    select(*RECORD)
    .outerjoin(Retraction, RETRACTED)
    .where(
        Judgment.topic_id == bindparam("topic"),
        Judgment.number > bindparam("after"),
        Judgment.purpose.in_(bindparam("purposes", expanding=True)),
        Retraction.number.is_(None),
    )
    .order_by(Judgment.number)
)
_RETRACTED_SINCE = (
    select(Retraction.judgment)
    .join(Judgment, RETRACTED)
    .where(
        Retraction.topic_id == bindparam("topic"),
        Retraction.number > bindparam("after"),
        Judgment.purpose.in_(bindparam("purposes", expanding=True)),
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
        connection.execute(insert(Retraction), [asdict(row) for row in rows])


def counting(
    connection: Connection, topic_id: int, numbers: Sequence[int] | None = None
) -> list[JudgmentRow]:
    """List the judgments of a topic that are not retracted, or those of them with some numbers."""
    found = (
        select(*_COLUMNS)
        .outerjoin(Retraction, RETRACTED)
        .where(Judgment.topic_id == topic_id, Retraction.number.is_(None))
        .order_by(Judgment.number)
    )
    if numbers is not None:
        found = found.where(Judgment.number.in_(numbers))
    return [JudgmentRow(*row) for row in connection.execute(found)]


def whole_log(connection: Connection, topic_id: int) -> list[tuple[JudgmentRow, str | None]]:
    """List all judgments of a topic, oldest first, with who retracted them if someone did."""
    found = (
        select(*_COLUMNS, Retraction.by)
        .outerjoin(Retraction, RETRACTED)
        .where(Judgment.topic_id == topic_id)
        .order_by(Judgment.number)
    )
    return [(JudgmentRow(*row[:-1]), row[-1]) for row in connection.execute(found)]


def of_worker(connection: Connection, topic_id: int, worker_id: int) -> list[JudgmentRow]:
    """List a worker's judgments of a topic that are not retracted, oldest first."""
    found = (
        select(*_COLUMNS)
        .outerjoin(Retraction, RETRACTED)
        .where(
            Judgment.topic_id == topic_id,
            Judgment.worker_id == worker_id,
            Retraction.number.is_(None),
        )
        .order_by(Judgment.number)
    )
    return [JudgmentRow(*row) for row in connection.execute(found)]


def count_undone(connection: Connection, topic_id: int, assignment: int) -> int:
    """Count how often the worker of an assignment has undone an answer to it."""
    found = (
        select(func.count())
        .select_from(Judgment)
        .join(Retraction, and_(RETRACTED, BY_UNDO))
        .where(Judgment.topic_id == topic_id, Judgment.assignment == assignment)
    )
    return connection.execute(found).scalar_one()


def numbered(connection: Connection, topic_id: int, numbers: Sequence[int]) -> list[JudgmentRow]:
    """List the judgments of a topic with some numbers, retracted or not."""
    found = select(*_COLUMNS).where(Judgment.topic_id == topic_id, Judgment.number.in_(numbers))
    return [JudgmentRow(*row) for row in connection.execute(found.order_by(Judgment.number))]


def existing(connection: Connection, topic_id: int, numbers: Sequence[int]) -> set[int]:
    """Return which of some numbers are judgments of a topic, retracted or not."""
    found = select(Judgment.number).where(
        Judgment.topic_id == topic_id, Judgment.number.in_(numbers)
    )
    return set(connection.execute(found).scalars())


def counting_by_worker(connection: Connection, worker_id: int) -> dict[int, list[int]]:
    """List, by topic, the numbers of a worker's judgments that are not retracted."""
    found = (
        select(Judgment.topic_id, Judgment.number)
        .outerjoin(Retraction, RETRACTED)
        .where(Judgment.worker_id == worker_id, Retraction.number.is_(None))
        .order_by(Judgment.topic_id, Judgment.number)
    )
    numbers: dict[int, list[int]] = {}
    for topic_id, number in connection.execute(found):
        numbers.setdefault(topic_id, []).append(number)
    return numbers


def latest_of(connection: Connection, worker_id: int) -> JudgmentRow | None:
    """Return a worker's latest judgment that counts."""
    found = (
        select(*_COLUMNS)
        .outerjoin(Retraction, RETRACTED)
        .where(Judgment.worker_id == worker_id, Retraction.number.is_(None))
        .order_by(Judgment.created_at.desc(), Judgment.topic_id.desc(), Judgment.number.desc())
        .limit(1)
    )
    row = connection.execute(found).one_or_none()
    return JudgmentRow(*row) if row else None


def list_log(
    connection: Connection, topic_id: int, after: int, limit: int
) -> list[tuple[JudgmentRow, str, str | None]]:
    """List judgments with their worker's name, and why they were retracted if they were."""
    found = _full_log().where(Judgment.topic_id == topic_id, Judgment.number > after).limit(limit)
    return [_entry(row) for row in connection.execute(found)]


def entries_between(
    connection: Connection, topic_id: int, after: int, upto: int
) -> list[tuple[int, dict[str, Any]]]:
    """List the log's entries between two positions, judgments and retractions, by their numbers."""
    made = select(
        Judgment.number,
        Worker.name,
        Judgment.first,
        Judgment.second,
        Judgment.outcome,
    ).join(Worker, Worker.id == Judgment.worker_id)
    made = made.where(
        Judgment.topic_id == topic_id, Judgment.number > after, Judgment.number <= upto
    )
    taken = select(Retraction.number, Retraction.judgment, Retraction.reason).where(
        Retraction.topic_id == topic_id, Retraction.number > after, Retraction.number <= upto
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
        select(*_COLUMNS, Worker.name, Retraction.reason)
        .join(Worker, Worker.id == Judgment.worker_id)
        .outerjoin(Retraction, RETRACTED)
        .order_by(Judgment.number)
    )


def _entry(row: Sequence[Any]) -> tuple[JudgmentRow, str, str | None]:
    return JudgmentRow(*row[:-2]), row[-2], row[-1]
