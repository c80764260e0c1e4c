"""Studies that hire, the inbox of messages from their platforms, and the leader lease."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from nextpair.storage.clock import database_time
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import HiringRow, InboxMessage
from nextpair.storage.hiring_tables import HiringTable, InboxTable, LeaseTable

MAX_FAILURES = 3
"""After so many failures, a message is set aside as a dead letter."""
_HIRING: tuple[Any, ...] = (
    HiringTable.study_id,
    HiringTable.platform,
    HiringTable.state,
    HiringTable.message,
    HiringTable.retry_at,
    HiringTable.memory,
    HiringTable.changed_at,
)
_MESSAGE: tuple[Any, ...] = (
    InboxTable.study_id,
    InboxTable.name,
    InboxTable.content,
    InboxTable.received_at,
    InboxTable.handled_at,
)


def find_hiring(connection: Connection, study_id: int) -> HiringRow | None:
    """Return the hiring of a study, if it has ever hired."""
    query = select(*_HIRING).where(HiringTable.study_id == study_id)
    row = connection.execute(query).one_or_none()
    return HiringRow(*row) if row else None


def list_hirings(connection: Connection) -> list[HiringRow]:
    """List the hiring of all studies that hire or have hired."""
    return [HiringRow(*row) for row in connection.execute(select(*_HIRING))]


def add_hiring(connection: Connection, row: HiringRow) -> None:
    """Add the hiring of a study that hires for the first time."""
    connection.execute(
        insert(HiringTable).values(
            study_id=row.study_id,
            platform=row.platform,
            state=row.state,
            message=row.message,
            retry_at=row.retry_at,
            memory=dict(row.memory),
            changed_at=row.changed_at,
        )
    )


def set_hiring_state(
    connection: Connection,
    study_id: int,
    state: str,
    now: float,
    *,
    message: str = "",
    retry_at: float | None = None,
) -> None:
    """Store whether a study hires, and why not."""
    values = {"state": state, "message": message, "retry_at": retry_at, "changed_at": now}
    connection.execute(update(HiringTable).where(HiringTable.study_id == study_id).values(values))


def save_resources(connection: Connection, study_id: int, resources: Mapping[str, Any]) -> None:
    """Store the ids of what was created for a study at its platform."""
    values: dict[str, Any] = {"memory": dict(resources)}
    query = update(HiringTable).where(HiringTable.study_id == study_id).values(values)
    connection.execute(query)


def change_platform(connection: Connection, study_id: int, platform: str) -> None:
    """Let a study hire on another platform, on which nothing was created for it yet."""
    values: dict[str, Any] = {"platform": platform, "memory": {}}
    connection.execute(update(HiringTable).where(HiringTable.study_id == study_id).values(values))


def add_message(connection: Connection, row: InboxMessage) -> None:
    """Store a message from a platform; a second one of the same name changes nothing."""
    insert_into = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    values = {
        "study_id": row.study_id,
        "name": row.name,
        "content": dict(row.content),
        "received_at": row.received_at,
        "handled_at": row.handled_at,
    }
    connection.execute(insert_into(InboxTable).values(values).on_conflict_do_nothing())


def has_message(connection: Connection, study_id: int, name: str) -> bool:
    """Say whether a message was received before: queues deliver at least once."""
    query = select(InboxTable.name).where(InboxTable.study_id == study_id, InboxTable.name == name)
    return connection.execute(query).one_or_none() is not None


def add_processed_message(connection: Connection, study_id: int, name: str, now: float) -> None:
    """Store that something is known which needs no processing."""
    add_message(connection, InboxMessage(study_id, name, {}, now, now))


def delete_message(connection: Connection, study_id: int, name: str) -> None:
    """Delete a message."""
    connection.execute(
        delete(InboxTable).where(InboxTable.study_id == study_id, InboxTable.name == name)
    )


def find_message(connection: Connection, study_id: int, name: str) -> InboxMessage | None:
    """Return a message, if there is one of this name."""
    query = select(*_MESSAGE).where(InboxTable.study_id == study_id, InboxTable.name == name)
    row = connection.execute(query).one_or_none()
    return InboxMessage(*row) if row else None


def pending_messages(connection: Connection, study_id: int) -> list[InboxMessage]:
    """List the messages that are still to be processed, oldest first; without dead letters."""
    query = (
        select(*_MESSAGE)
        .where(
            InboxTable.study_id == study_id,
            InboxTable.handled_at.is_(None),
            InboxTable.failures < MAX_FAILURES,
        )
        .order_by(InboxTable.received_at, InboxTable.name)
    )
    return [InboxMessage(*row) for row in connection.execute(query)]


def mark_processed(connection: Connection, study_id: int, name: str, now: float) -> None:
    """Store that a message was processed."""
    which = update(InboxTable).where(InboxTable.study_id == study_id, InboxTable.name == name)
    connection.execute(which.values(handled_at=now))


def record_failure(connection: Connection, study_id: int, name: str) -> bool:
    """Count a failure to process a message; True if this makes it a dead letter."""
    which = update(InboxTable).where(InboxTable.study_id == study_id, InboxTable.name == name)
    query = which.values(failures=InboxTable.failures + 1).returning(InboxTable.failures)
    return bool(connection.execute(query).scalar_one() == MAX_FAILURES)


def count_dead_letters(connection: Connection, study_id: int) -> int:
    """Count the messages that could not be processed and were set aside."""
    query = select(func.count()).where(
        InboxTable.study_id == study_id,
        InboxTable.handled_at.is_(None),
        InboxTable.failures >= MAX_FAILURES,
    )
    return int(connection.execute(query).scalar_one())


def acquire_lease(connection: Connection, name: str, holder: str, seconds: float) -> bool:
    """Acquire or renew a leader lease; False if another process holds it.

    The lease runs by the database's clock. One that ends later than any lease could was made before
    that clock was set back, and counts as expired.
    """
    insert_into = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    now = database_time(connection)
    until = now + seconds
    values = {"name": name, "holder": holder, "until": 0.0}
    connection.execute(insert_into(LeaseTable).values(values).on_conflict_do_nothing())
    # Compare-and-swap: of several processes at once, only one finds the row as it expects it.
    query = (
        update(LeaseTable)
        .where(
            LeaseTable.name == name,
            (LeaseTable.holder == holder)
            | (LeaseTable.until <= now)
            | (LeaseTable.until > until + seconds),
        )
        .values(holder=holder, until=until)
        .returning(LeaseTable.name)
    )
    return connection.execute(query).one_or_none() is not None


def release_lease(connection: Connection, name: str, holder: str) -> None:
    """Release a lease, so that another process can acquire it at once."""
    which = update(LeaseTable).where(LeaseTable.name == name, LeaseTable.holder == holder)
    connection.execute(which.values(until=0.0))
