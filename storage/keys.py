"""API keys, the signing secret, and calls that were answered before."""

from typing import Any

from sqlalchemy import insert, select, update

from nextpair.storage.database import Connection
from nextpair.storage.rows import KeyRow
from nextpair.storage.tables import Key, Request, Secret

SIGNING = "signing"
"""The secret that assignment tokens are signed with."""

_KEY: tuple[Any, ...] = (Key.id, Key.hash, Key.scope, Key.label, Key.created_at, Key.revoked_at)


def add_key(connection: Connection, row: KeyRow) -> None:
    """Add a key."""
    connection.execute(
        insert(Key).values(
            id=row.id,
            hash=row.hash,
            scope=row.scope,
            label=row.label,
            created_at=row.created_at,
            revoked_at=row.revoked_at,
        )
    )


def find_key(connection: Connection, key_id: str) -> KeyRow | None:
    """Return the key of this id."""
    row = connection.execute(select(*_KEY).where(Key.id == key_id)).one_or_none()
    return KeyRow(*row) if row else None


def list_keys(connection: Connection) -> list[KeyRow]:
    """List all keys, oldest first."""
    found = select(*_KEY).order_by(Key.created_at, Key.id)
    return [KeyRow(*row) for row in connection.execute(found)]


def revoke_key(connection: Connection, key_id: str, now: float) -> None:
    """Let a key open nothing from now on."""
    connection.execute(
        update(Key).where(Key.id == key_id, Key.revoked_at.is_(None)).values(revoked_at=now)
    )


def secret(connection: Connection, name: str, fresh: str) -> str:
    """Return an installation's secret, which is the fresh one if it has none yet."""
    held = connection.execute(select(Secret.value).where(Secret.name == name)).scalar_one_or_none()
    if held is None:
        connection.execute(insert(Secret).values(name=name, value=fresh))
        return fresh
    return held


def find_request(
    connection: Connection, key_id: str, idempotency_key: str
) -> tuple[str, dict[str, Any]] | None:
    """Return the fingerprint and the answer of a call that was made before."""
    found = select(Request.fingerprint, Request.answer).where(
        Request.key_id == key_id, Request.idempotency_key == idempotency_key
    )
    row = connection.execute(found).one_or_none()
    return (row[0], row[1]) if row else None


def add_request(
    connection: Connection,
    key_id: str,
    idempotency_key: str,
    fingerprint: str,
    answer: dict[str, Any],
    now: float,
) -> None:
    """Remember how a call was answered."""
    connection.execute(
        insert(Request).values(
            key_id=key_id,
            idempotency_key=idempotency_key,
            fingerprint=fingerprint,
            answer=answer,
            created_at=now,
        )
    )
