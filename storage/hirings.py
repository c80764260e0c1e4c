"""Which studies hire, what their platforms told, and which process looks after them."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from nextpair.storage.clock import database_time
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import HiringRow, NoticeRow
from nextpair.storage.hiring_tables import Hiring, Leader, Notice

MOST_FAILURES = 3
"""After so many failures, what a platform told is set aside."""
_HIRING: tuple[Any, ...] = (
    Hiring.study_id,
    Hiring.platform,
    Hiring.state,
    Hiring.message,
    Hiring.retry_at,
    Hiring.memory,
    Hiring.changed_at,
)
_NOTICE: tuple[Any, ...] = (
    Notice.study_id,
    Notice.name,
    Notice.content,
    Notice.received_at,
    Notice.handled_at,
)


def find_hiring(connection: Connection, study_id: int) -> HiringRow | None:
    """Return how a study hires, if it ever did."""
    found = select(*_HIRING).where(Hiring.study_id == study_id)
    row = connection.execute(found).one_or_none()
    return HiringRow(*row) if row else None


def list_hirings(connection: Connection) -> list[HiringRow]:
    """List all studies that hire, or have hired."""
    return [HiringRow(*row) for row in connection.execute(select(*_HIRING))]


def add_hiring(connection: Connection, row: HiringRow) -> None:
    """Let a study hire for the first time."""
    connection.execute(
        insert(Hiring).values(
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
    """Let a study hire, or not, and say why."""
    values = {"state": state, "message": message, "retry_at": retry_at, "changed_at": now}
    connection.execute(update(Hiring).where(Hiring.study_id == study_id).values(values))


def set_memory(connection: Connection, study_id: int, memory: Mapping[str, Any]) -> None:
    """Keep what a platform has made for a study."""
    changed = update(Hiring).where(Hiring.study_id == study_id).values(memory=dict(memory))
    connection.execute(changed)


def move_hiring(connection: Connection, study_id: int, platform: str) -> None:
    """Let a study hire on another platform, which knows nothing of it yet."""
    values: dict[str, Any] = {"platform": platform, "memory": {}}
    connection.execute(update(Hiring).where(Hiring.study_id == study_id).values(values))


def add_notice(connection: Connection, row: NoticeRow) -> None:
    """Keep what a platform told; the same once more changes nothing."""
    add = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    values = {
        "study_id": row.study_id,
        "name": row.name,
        "content": dict(row.content),
        "received_at": row.received_at,
        "handled_at": row.handled_at,
    }
    connection.execute(add(Notice).values(values).on_conflict_do_nothing())


def was_told(connection: Connection, study_id: int, name: str) -> bool:
    """Say whether a platform has told something before."""
    found = select(Notice.name).where(Notice.study_id == study_id, Notice.name == name)
    return connection.execute(found).one_or_none() is not None


def note_told(connection: Connection, study_id: int, name: str, now: float) -> None:
    """Keep in mind that a platform told something that needs no looking at."""
    add_notice(connection, NoticeRow(study_id, name, {}, now, now))


def forget_told(connection: Connection, study_id: int, name: str) -> None:
    """Forget something that a platform told."""
    connection.execute(delete(Notice).where(Notice.study_id == study_id, Notice.name == name))


def find_notice(connection: Connection, study_id: int, name: str) -> NoticeRow | None:
    """Return something that a platform told."""
    found = select(*_NOTICE).where(Notice.study_id == study_id, Notice.name == name)
    row = connection.execute(found).one_or_none()
    return NoticeRow(*row) if row else None


def open_notices(connection: Connection, study_id: int) -> list[NoticeRow]:
    """List what a platform told that nobody has looked at, oldest first; not what is set aside."""
    found = (
        select(*_NOTICE)
        .where(
            Notice.study_id == study_id,
            Notice.handled_at.is_(None),
            Notice.failures < MOST_FAILURES,
        )
        .order_by(Notice.received_at, Notice.name)
    )
    return [NoticeRow(*row) for row in connection.execute(found)]


def close_notice(connection: Connection, study_id: int, name: str, now: float) -> None:
    """Note that something was looked at."""
    which = update(Notice).where(Notice.study_id == study_id, Notice.name == name)
    connection.execute(which.values(handled_at=now))


def fail_notice(connection: Connection, study_id: int, name: str) -> bool:
    """Note that something could not be taken in; True if it is set aside from now on."""
    which = update(Notice).where(Notice.study_id == study_id, Notice.name == name)
    changed = which.values(failures=Notice.failures + 1).returning(Notice.failures)
    return bool(connection.execute(changed).scalar_one() == MOST_FAILURES)


def count_set_aside(connection: Connection, study_id: int) -> int:
    """Count what a platform told that could not be taken in."""
    found = select(func.count()).where(
        Notice.study_id == study_id,
        Notice.handled_at.is_(None),
        Notice.failures >= MOST_FAILURES,
    )
    return int(connection.execute(found).scalar_one())


def lead(connection: Connection, name: str, holder: str, seconds: float) -> bool:
    """Become, or stay, the one process that does something; False if another is.

    The lease runs by the database's clock. One that ends much later than any lease can was made
    before that clock was set back, and is over.
    """
    add = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    now = database_time(connection)
    until = now + seconds
    values = {"name": name, "holder": holder, "until": 0.0}
    connection.execute(add(Leader).values(values).on_conflict_do_nothing())
    # Only one of those that come here at once finds the row as it expects it.
    taken = (
        update(Leader)
        .where(
            Leader.name == name,
            (Leader.holder == holder) | (Leader.until <= now) | (Leader.until > until + seconds),
        )
        .values(holder=holder, until=until)
        .returning(Leader.name)
    )
    return connection.execute(taken).one_or_none() is not None


def resign(connection: Connection, name: str, holder: str) -> None:
    """Let another process lead at once."""
    which = update(Leader).where(Leader.name == name, Leader.holder == holder)
    connection.execute(which.values(until=0.0))
