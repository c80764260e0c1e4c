"""Commits a new assignment or a judgment as one single statement, for PostgreSQL.

There each statement is a network round trip, and a transaction costs two more. So the two most
frequent writes also exist as one statement, which is a transaction by itself: a compare-and-swap of
the topic's version, and inserts that depend on it. If the compare-and-swap fails, the same round
trip returns the delta of the other processes' commits, so that processes that write to a topic in
turn need no lock. All other writes go through `nextpair.app.runtime.unit_of_work`.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import JSON, bindparam, case, cast, func, insert, select, update
from sqlalchemy.dialects.postgresql import aggregate_order_by

from nextpair.storage import assignments, judgments, topics
from nextpair.storage.assignments import CHANGES, changed_values
from nextpair.storage.database import Connection
from nextpair.storage.judgments import JudgmentRecord
from nextpair.storage.rows import AssignmentRow, JudgmentRow, TopicHead, values_of
from nextpair.storage.tables import (
    AssignmentTable,
    Base,
    JudgmentTable,
    RetractionTable,
    StudyTable,
    TopicTable,
)
from nextpair.storage.topics import COMPARE_AND_SWAP, swap_parameters

_MOVED = COMPARE_AND_SWAP.returning(TopicTable.id).cte("moved")
_CHANGED = (
    update(AssignmentTable)
    .where(AssignmentTable.topic_id == _MOVED.c.id, AssignmentTable.number == bindparam("which"))
    .values(CHANGES)
    .returning(AssignmentTable.number)
    .cte("changed")
)


def _array(*columns: Any) -> Any:
    return func.json_build_array(*columns, type_=JSON)


def _list(rows: Any, *order: Any) -> Any:
    return func.json_agg(aggregate_order_by(rows, *order) if order else rows, type_=JSON)


_TOPIC: Any = bindparam("topic")
_HEAD = (
    select(_array(*topics.HEAD))
    .join(StudyTable, StudyTable.id == TopicTable.study_id)
    .where(TopicTable.id == _TOPIC)
    .scalar_subquery()
)
_CHANGED_SINCE = (
    select(_list(_array(*assignments.COLUMNS)))
    .where(AssignmentTable.topic_id == _TOPIC, AssignmentTable.version > bindparam("seen"))
    .scalar_subquery()
)
_RECORDS = (
    select(_list(_array(*judgments.RECORD), JudgmentTable.number))
    .outerjoin(RetractionTable, judgments.RETRACTED)
    .where(
        JudgmentTable.topic_id == _TOPIC,
        JudgmentTable.number > bindparam("heard"),
        RetractionTable.number.is_(None),
    )
    .scalar_subquery()
)
_RETRACTED = (
    select(_list(_array(RetractionTable.judgment, JudgmentTable.purpose)))
    .join(JudgmentTable, judgments.RETRACTED)
    .where(RetractionTable.topic_id == _TOPIC, RetractionTable.number > bindparam("heard"))
    .scalar_subquery()
)
_DELTA = _array(_HEAD, _CHANGED_SINCE, _RECORDS, _RETRACTED)


def _insert_if_moved(table: type[Base], *others: Any) -> Any:
    columns = list(table.__table__.columns)
    # A bare parameter in a select would have no type.
    values = [
        cast(bindparam(f"row_{column.name}", type_=column.type), column.type) for column in columns
    ]
    added = insert(table).from_select(columns, select(*values).select_from(_MOVED))
    written = added.returning(table.__table__.c.number).cte("added")
    count = select(func.count()).select_from(written).scalar_subquery()
    # The delta is only computed if the compare-and-swap has failed.
    return select(case((count == 0, _DELTA))).add_cte(written, *others)


_ASK = _insert_if_moved(AssignmentTable)
_ANSWER = _insert_if_moved(JudgmentTable, _CHANGED)


@dataclass(frozen=True, slots=True)
class ConcurrentDelta:
    """What other processes have committed to a topic since the expected version.

    Parameters
    ----------
    retracted
        The numbers of judgments that no longer count, with their purposes.
    """

    head: TopicHead
    changed: list[AssignmentRow]
    records: list[JudgmentRecord]
    retracted: list[tuple[int, str]]


def insert_assignment(
    connection: Connection, expected: TopicHead, updated: TopicHead, row: AssignmentRow
) -> ConcurrentDelta | None:
    """Insert an assignment if its topic is at the expected version; else return the delta."""
    values = _expected(row.topic_id, expected, updated) | _prefixed(row)
    return _delta_of(connection.execute(_ASK, values).scalar_one(), expected)


def insert_judgment(
    connection: Connection,
    expected: TopicHead,
    updated: TopicHead,
    judgment: JudgmentRow,
    row: AssignmentRow,
) -> ConcurrentDelta | None:
    """Append an assignment's judgment if its topic is at the expected version; else as above."""
    values = _expected(row.topic_id, expected, updated) | changed_values(row) | _prefixed(judgment)
    return _delta_of(connection.execute(_ANSWER, values).scalar_one(), expected)


def _expected(topic_id: int, expected: TopicHead, updated: TopicHead) -> dict[str, Any]:
    return {**swap_parameters(topic_id, expected, updated), "heard": expected.position}


def _delta_of(reply: Any, expected: TopicHead) -> ConcurrentDelta | None:
    if reply is None:
        return None
    head, changed, records, retracted = reply
    if head is None:
        # There is no such topic.
        return ConcurrentDelta(expected, [], [], [])
    return ConcurrentDelta(
        TopicHead(*head),
        [AssignmentRow(*row) for row in changed or ()],
        [tuple(record) for record in records or ()],
        [(number, purpose) for number, purpose in retracted or ()],
    )


def _prefixed(row: AssignmentRow | JudgmentRow) -> dict[str, Any]:
    return {f"row_{name}": value for name, value in values_of(row).items()}
