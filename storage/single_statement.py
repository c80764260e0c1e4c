"""A question or an answer as one single statement, for PostgreSQL.

There every statement is a journey to the server and back, and a transaction has two more. The
commonest writes, one new assignment and one judgment, are therefore also put as one statement that
is a transaction by itself: the topic is moved on if it is still what was seen of it, and the rest
happens only with that. If it is not, the same journey brings back what others have done, so that
processes that change a topic in turn need no lock. What can be said otherwise,
`nextpair.app.runtime.unit_of_work` says otherwise.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import JSON, bindparam, case, cast, func, insert, select, update
from sqlalchemy.dialects.postgresql import aggregate_order_by

from nextpair.storage import assignments, judgments, topics
from nextpair.storage.assignments import CHANGES, changed_values
from nextpair.storage.database import Connection
from nextpair.storage.judgments import Vote
from nextpair.storage.rows import AssignmentRow, JudgmentRow, TopicHead, values_of
from nextpair.storage.tables import Assignment, Base, Judgment, Retraction, Study, Topic
from nextpair.storage.topics import MOVE, moved_values

_MOVED = MOVE.returning(Topic.id).cte("moved")
_CHANGED = (
    update(Assignment)
    .where(Assignment.topic_id == _MOVED.c.id, Assignment.number == bindparam("which"))
    .values(CHANGES)
    .returning(Assignment.number)
    .cte("changed")
)


def _array(*columns: Any) -> Any:
    return func.json_build_array(*columns, type_=JSON)


def _list(rows: Any, *order: Any) -> Any:
    return func.json_agg(aggregate_order_by(rows, *order) if order else rows, type_=JSON)


_TOPIC: Any = bindparam("topic")
_HEAD = (
    select(_array(*topics.HEAD))
    .join(Study, Study.id == Topic.study_id)
    .where(Topic.id == _TOPIC)
    .scalar_subquery()
)
_CHANGED_SINCE = (
    select(_list(_array(*assignments.COLUMNS)))
    .where(Assignment.topic_id == _TOPIC, Assignment.version > bindparam("seen"))
    .scalar_subquery()
)
_VOTES = (
    select(_list(_array(*judgments.VOTE), Judgment.number))
    .outerjoin(Retraction, judgments.RETRACTED)
    .where(
        Judgment.topic_id == _TOPIC,
        Judgment.number > bindparam("heard"),
        Retraction.number.is_(None),
    )
    .scalar_subquery()
)
_TAKEN_BACK = (
    select(_list(_array(Retraction.judgment, Judgment.purpose)))
    .join(Judgment, judgments.RETRACTED)
    .where(Retraction.topic_id == _TOPIC, Retraction.number > bindparam("heard"))
    .scalar_subquery()
)
_NEWS = _array(_HEAD, _CHANGED_SINCE, _VOTES, _TAKEN_BACK)


def _insert_if_moved(table: type[Base], *others: Any) -> Any:
    columns = list(table.__table__.columns)
    # Selected by itself, a parameter that is missing would have no type.
    values = [
        cast(bindparam(f"row_{column.name}", type_=column.type), column.type) for column in columns
    ]
    added = insert(table).from_select(columns, select(*values).select_from(_MOVED))
    written = added.returning(table.__table__.c.number).cte("added")
    count = select(func.count()).select_from(written).scalar_subquery()
    # The news are only put together if they are needed.
    return select(case((count == 0, _NEWS))).add_cte(written, *others)


_ASK = _insert_if_moved(Assignment)
_ANSWER = _insert_if_moved(Judgment, _CHANGED)


@dataclass(frozen=True, slots=True)
class News:
    """What others have done to a topic since it was seen.

    Parameters
    ----------
    retracted
        The numbers of judgments that no longer count, with their purposes.
    """

    head: TopicHead
    changed: list[AssignmentRow]
    votes: list[Vote]
    retracted: list[tuple[int, str]]


def ask(connection: Connection, seen: TopicHead, to: TopicHead, row: AssignmentRow) -> News | None:
    """Add an assignment and move its topic on; the news if it is not what was seen of it."""
    values = _seen(row.topic_id, seen, to) | _prefixed(row)
    return _news_of(connection.execute(_ASK, values).scalar_one(), seen)


def answer(
    connection: Connection,
    seen: TopicHead,
    to: TopicHead,
    judgment: JudgmentRow,
    row: AssignmentRow,
) -> News | None:
    """Append the judgment that answers an assignment, and move its topic on; news as above."""
    values = _seen(row.topic_id, seen, to) | changed_values(row) | _prefixed(judgment)
    return _news_of(connection.execute(_ANSWER, values).scalar_one(), seen)


def _seen(topic_id: int, seen: TopicHead, to: TopicHead) -> dict[str, Any]:
    return {**moved_values(topic_id, seen, to), "heard": seen.position}


def _news_of(told: Any, seen: TopicHead) -> News | None:
    if told is None:
        return None
    head, changed, votes, retracted = told
    if head is None:
        # The topic is not there.
        return News(seen, [], [], [])
    return News(
        TopicHead(*head),
        [AssignmentRow(*row) for row in changed or ()],
        [tuple(vote) for vote in votes or ()],
        [(number, purpose) for number, purpose in retracted or ()],
    )


def _prefixed(row: AssignmentRow | JudgmentRow) -> dict[str, Any]:
    return {f"row_{name}": value for name, value in values_of(row).items()}
