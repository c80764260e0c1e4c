"""Gold questions, and verdicts on workers."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import insert, select, update

from nextpair.storage.database import Connection
from nextpair.storage.rows import GoldRow, VerdictRow
from nextpair.storage.tables import Gold, Topic, Verdict

_GOLD: tuple[Any, ...] = (
    Gold.topic_id,
    Gold.number,
    Gold.first,
    Gold.second,
    Gold.answer,
    Gold.quiz,
    Gold.created_at,
)
_VERDICT: tuple[Any, ...] = (
    Verdict.topic_id,
    Verdict.worker_id,
    Verdict.check,
    Verdict.number,
    Verdict.attempt,
    Verdict.passed,
    Verdict.effect,
    Verdict.details,
    Verdict.created_at,
)


def add_golds(connection: Connection, topic_id: int, rows: Sequence[GoldRow], total: int) -> None:
    """Add gold questions; the topic's new version makes every process read them."""
    connection.execute(insert(Gold), [asdict(row) for row in rows])
    connection.execute(
        update(Topic).where(Topic.id == topic_id).values(golds=total, version=Topic.version + 1)
    )


def golds_of(connection: Connection, topic_id: int) -> list[GoldRow]:
    """List a topic's gold questions."""
    found = select(*_GOLD).where(Gold.topic_id == topic_id).order_by(Gold.number)
    return [GoldRow(*row) for row in connection.execute(found)]


def add_verdict(connection: Connection, row: VerdictRow) -> None:
    """Add a verdict."""
    connection.execute(insert(Verdict), asdict(row))


def verdicts_on(connection: Connection, topic_id: int) -> list[VerdictRow]:
    """List the verdicts on the workers of a topic."""
    found = select(*_VERDICT).where(Verdict.topic_id == topic_id)
    return [VerdictRow(*row) for row in connection.execute(found)]


def verdicts_of(
    connection: Connection, worker_id: int, topic_id: int | None = None
) -> list[VerdictRow]:
    """List the verdicts on a worker, oldest first; of one topic, or of all."""
    found = select(*_VERDICT).where(Verdict.worker_id == worker_id)
    if topic_id is not None:
        found = found.where(Verdict.topic_id == topic_id)
    ordered = found.order_by(
        Verdict.created_at, Verdict.topic_id, Verdict.check, Verdict.number, Verdict.attempt
    )
    return [VerdictRow(*row) for row in connection.execute(ordered)]
