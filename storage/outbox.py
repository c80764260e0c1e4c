"""The outbox: commands for platforms with their attempts, which is also the activity log."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import OutboxEntry, OutboxState
from nextpair.storage.hiring_tables import OutboxTable

_ENTRY: tuple[Any, ...] = (
    OutboxTable.id,
    OutboxTable.study_id,
    OutboxTable.platform,
    OutboxTable.kind,
    OutboxTable.token,
    OutboxTable.offer_id,
    OutboxTable.submission_id,
    OutboxTable.worker_id,
    OutboxTable.state,
    OutboxTable.cost,
    OutboxTable.attempts,
    OutboxTable.kept,
    OutboxTable.message,
    OutboxTable.created_at,
    OutboxTable.tried_at,
    OutboxTable.ended_at,
)


def add_entry(connection: Connection, values: Mapping[str, Any]) -> bool:
    """Add an entry; False if its token is there already, in whatever state."""
    insert = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    added = insert(OutboxTable).values(values).on_conflict_do_nothing().returning(OutboxTable.id)
    return connection.execute(added).one_or_none() is not None


def pending_entries(connection: Connection, study_id: int) -> list[OutboxEntry]:
    """List the commands that are still to be carried out, oldest first."""
    pending = select(*_ENTRY).where(
        OutboxTable.study_id == study_id, OutboxTable.state == OutboxState.INTENDED.value
    )
    return [OutboxEntry(*row) for row in connection.execute(pending.order_by(OutboxTable.id))]


def list_entries(
    connection: Connection, study_id: int, after: int, limit: int
) -> list[OutboxEntry]:
    """List a study's activity, oldest first, from the first entry after a number."""
    page = select(*_ENTRY).where(OutboxTable.study_id == study_id, OutboxTable.id > after)
    rows = connection.execute(page.order_by(OutboxTable.id).limit(limit))
    return [OutboxEntry(*row) for row in rows]


def begin_attempt(connection: Connection, entry: OutboxEntry, now: float) -> OutboxEntry | None:
    """Count an attempt at a command, and return the entry with it.

    The number of attempts is the fencing token: it is raised by compare-and-swap, and what an
    attempt writes later is refused once a newer one has begun. None if another process has begun
    one in between.
    """
    begun = (
        update(OutboxTable)
        .where(
            OutboxTable.id == entry.id,
            OutboxTable.state == OutboxState.INTENDED.value,
            OutboxTable.attempts == entry.attempts,
        )
        .values(attempts=entry.attempts + 1, tried_at=func.coalesce(OutboxTable.tried_at, now))
        .returning(*_ENTRY)
    )
    row = connection.execute(begun).one_or_none()
    return OutboxEntry(*row) if row else None


def save_progress(connection: Connection, entry: OutboxEntry, progress: Mapping[str, Any]) -> bool:
    """Save what an attempt has created so far; False if its fencing token is outdated."""
    newest = (OutboxTable.id == entry.id, OutboxTable.attempts == entry.attempts)
    saved = update(OutboxTable).where(*newest).values(kept=dict(progress)).returning(OutboxTable.id)
    return connection.execute(saved).one_or_none() is not None


def end_entry(
    connection: Connection,
    entry: OutboxEntry,
    state: OutboxState,
    now: float,
    message: str,
    *,
    free: bool = False,
) -> bool:
    """Store the outcome of a command, and whether it is certain to have cost nothing.

    False if nothing was stored. That a command was carried out is true whichever attempt says so;
    that it has failed is known to the newest attempt only.
    """
    values: dict[str, Any] = {"state": state.value, "ended_at": now, "message": message}
    if free:
        values["cost"] = 0
    which = [OutboxTable.id == entry.id, OutboxTable.state != OutboxState.DONE.value]
    if state != OutboxState.DONE:
        which.append(OutboxTable.attempts == entry.attempts)
    ended = update(OutboxTable).where(*which).values(values).returning(OutboxTable.id)
    return connection.execute(ended).one_or_none() is not None


def postpone(connection: Connection, entry: OutboxEntry, message: str) -> None:
    """Store why an attempt has failed; the command stays pending."""
    newest = (OutboxTable.id == entry.id, OutboxTable.attempts == entry.attempts)
    connection.execute(update(OutboxTable).where(*newest).values(message=message))


def spent(connection: Connection, study_id: int) -> int:
    """Return what was paid, or is about to be."""
    total = select(func.coalesce(func.sum(OutboxTable.cost), 0))
    return int(connection.execute(total.where(OutboxTable.study_id == study_id)).scalar_one())
