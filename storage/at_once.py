"""A question or an answer as one single statement, for PostgreSQL.

There every statement is a journey to the server and back, and a transaction has two more. The
commonest writes, one new assignment and one judgment, are therefore also put as one statement that
is a transaction by itself: the topic is moved on if it is still what was seen of it, and the rest
happens only with that. What can be said otherwise, `nextpair.app.judging.steps` says otherwise.
"""

from typing import Any

from sqlalchemy import bindparam, cast, insert, select, update

from nextpair.storage.assignments import CHANGES, changed_values
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, JudgmentRow, TopicHead, values_of
from nextpair.storage.tables import Assignment, Base, Judgment, Topic
from nextpair.storage.topics import MOVE, moved_values

_MOVED = MOVE.returning(Topic.id).cte("moved")
_CHANGED = (
    update(Assignment)
    .where(Assignment.topic_id == _MOVED.c.id, Assignment.number == bindparam("which"))
    .values(CHANGES)
    .returning(Assignment.number)
    .cte("changed")
)


def _insert_if_moved(table: type[Base]) -> Any:
    columns = list(table.__table__.columns)
    # Selected by itself, a parameter that is missing would have no type.
    values = [
        cast(bindparam(f"row_{column.name}", type_=column.type), column.type) for column in columns
    ]
    added = insert(table).from_select(columns, select(*values).select_from(_MOVED))
    return added.returning(table.__table__.c.number)


_ASK = _insert_if_moved(Assignment)
_ANSWER = _insert_if_moved(Judgment).add_cte(_CHANGED)


def ask(connection: Connection, seen: TopicHead, to: TopicHead, row: AssignmentRow) -> bool:
    """Add an assignment and move its topic on; False if the topic is not what was seen of it."""
    values = moved_values(row.topic_id, seen, to) | _prefixed(row)
    return connection.execute(_ASK, values).one_or_none() is not None


def answer(
    connection: Connection,
    seen: TopicHead,
    to: TopicHead,
    judgment: JudgmentRow,
    row: AssignmentRow,
) -> bool:
    """Append the judgment that answers an assignment, and move its topic on; False as above."""
    values = moved_values(row.topic_id, seen, to) | changed_values(row) | _prefixed(judgment)
    return connection.execute(_ANSWER, values).one_or_none() is not None


def _prefixed(row: AssignmentRow | JudgmentRow) -> dict[str, Any]:
    return {f"row_{name}": value for name, value in values_of(row).items()}
