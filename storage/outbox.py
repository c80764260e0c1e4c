"""Deeds: what is to be done at platforms and what was done, which is also the activity log."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import DeedRow, DeedState
from nextpair.storage.hiring_tables import Deed

_DEED: tuple[Any, ...] = (
    Deed.id,
    Deed.study_id,
    Deed.platform,
    Deed.kind,
    Deed.token,
    Deed.offer_id,
    Deed.submission_id,
    Deed.worker_id,
    Deed.state,
    Deed.cost,
    Deed.attempts,
    Deed.kept,
    Deed.message,
    Deed.created_at,
    Deed.tried_at,
    Deed.ended_at,
)


def add_deed(connection: Connection, values: Mapping[str, Any]) -> bool:
    """Add a deed; False if it is there already, whatever became of it."""
    add = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    made = add(Deed).values(values).on_conflict_do_nothing().returning(Deed.id)
    return connection.execute(made).one_or_none() is not None


def intended(connection: Connection, study_id: int) -> list[DeedRow]:
    """List what is still to be done, oldest first."""
    found = select(*_DEED).where(Deed.study_id == study_id, Deed.state == DeedState.INTENDED.value)
    return [DeedRow(*row) for row in connection.execute(found.order_by(Deed.id))]


def list_deeds(connection: Connection, study_id: int, after: int, limit: int) -> list[DeedRow]:
    """List a study's activity, oldest first, from the first one after a number."""
    found = select(*_DEED).where(Deed.study_id == study_id, Deed.id > after)
    return [DeedRow(*row) for row in connection.execute(found.order_by(Deed.id).limit(limit))]


def begin_deed(connection: Connection, deed: DeedRow, now: float) -> DeedRow | None:
    """Note that a deed is being attempted, and return it as it is from then on.

    None if another process has been at it meanwhile.
    """
    begun = (
        update(Deed)
        .where(
            Deed.id == deed.id,
            Deed.state == DeedState.INTENDED.value,
            Deed.attempts == deed.attempts,
        )
        .values(attempts=deed.attempts + 1, tried_at=func.coalesce(Deed.tried_at, now))
        .returning(*_DEED)
    )
    row = connection.execute(begun).one_or_none()
    return DeedRow(*row) if row else None


def keep(connection: Connection, deed: DeedRow, kept: Mapping[str, Any]) -> bool:
    """Keep what an attempt has made so far; False if another process has made a newer attempt."""
    mine = (Deed.id == deed.id, Deed.attempts == deed.attempts)
    changed = update(Deed).where(*mine).values(kept=dict(kept)).returning(Deed.id)
    return connection.execute(changed).one_or_none() is not None


def end_deed(
    connection: Connection,
    deed: DeedRow,
    state: DeedState,
    now: float,
    message: str,
    *,
    free: bool = False,
) -> bool:
    """Note what became of a deed, and whether it is certain to have cost nothing.

    False if nothing was noted. That it was done is true whoever did it; that it has failed is known
    only to the newest attempt.
    """
    values: dict[str, Any] = {"state": state.value, "ended_at": now, "message": message}
    if free:
        values["cost"] = 0
    which = [Deed.id == deed.id, Deed.state != DeedState.DONE.value]
    if state != DeedState.DONE:
        which.append(Deed.attempts == deed.attempts)
    ended = update(Deed).where(*which).values(values).returning(Deed.id)
    return connection.execute(ended).one_or_none() is not None


def postpone_deed(connection: Connection, deed: DeedRow, message: str) -> None:
    """Note why an attempt came to nothing; there will be others."""
    mine = (Deed.id == deed.id, Deed.attempts == deed.attempts)
    connection.execute(update(Deed).where(*mine).values(message=message))


def spent(connection: Connection, study_id: int) -> int:
    """Say what was paid, or is about to be."""
    found = select(func.coalesce(func.sum(Deed.cost), 0)).where(Deed.study_id == study_id)
    return int(connection.execute(found).scalar_one())
