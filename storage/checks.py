"""Gold questions, and verdicts on workers."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import insert, select, update

from nextpair.storage.database import Connection
from nextpair.storage.rows import GoldRow, VerdictRow
from nextpair.storage.tables import GoldTable, TopicTable, VerdictTable

_GOLD: tuple[Any, ...] = (
    GoldTable.topic_id,
    GoldTable.number,
    GoldTable.first,
    GoldTable.second,
    GoldTable.answer,
    GoldTable.quiz,
    GoldTable.created_at,
)
_VERDICT: tuple[Any, ...] = (
    VerdictTable.topic_id,
    VerdictTable.worker_id,
    VerdictTable.check,
    VerdictTable.number,
    VerdictTable.attempt,
    VerdictTable.passed,
    VerdictTable.effect,
    VerdictTable.details,
    VerdictTable.created_at,
)


def add_golds(connection: Connection, topic_id: int, rows: Sequence[GoldRow], total: int) -> None:
    """Add gold questions; the topic's new version makes every process read them."""
    connection.execute(insert(GoldTable), [asdict(row) for row in rows])
    connection.execute(
        update(TopicTable)
        .where(TopicTable.id == topic_id)
        .values(golds=total, version=TopicTable.version + 1)
    )


def golds_of(connection: Connection, topic_id: int) -> list[GoldRow]:
    """List a topic's gold questions."""
    found = select(*_GOLD).where(GoldTable.topic_id == topic_id).order_by(GoldTable.number)
    return [GoldRow(*row) for row in connection.execute(found)]


def add_verdict(connection: Connection, row: VerdictRow) -> None:
    """Add a verdict."""
    connection.execute(insert(VerdictTable), asdict(row))


def verdicts_on(connection: Connection, topic_id: int) -> list[VerdictRow]:
    """List the verdicts on the workers of a topic."""
    found = select(*_VERDICT).where(VerdictTable.topic_id == topic_id)
    return [VerdictRow(*row) for row in connection.execute(found)]


def verdicts_of(
    connection: Connection, worker_id: int, topic_id: int | None = None
) -> list[VerdictRow]:
    """List the verdicts on a worker, oldest first; of one topic, or of all."""
    found = select(*_VERDICT).where(VerdictTable.worker_id == worker_id)
    if topic_id is not None:
        found = found.where(VerdictTable.topic_id == topic_id)
    ordered = found.order_by(
        VerdictTable.created_at,
        VerdictTable.topic_id,
        VerdictTable.check,
        VerdictTable.number,
        VerdictTable.attempt,
    )
    return [VerdictRow(*row) for row in connection.execute(ordered)]
