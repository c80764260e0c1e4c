"""API keys, the signing secret, and the idempotency keys of creating calls."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, insert, or_, select, update

from nextpair.storage.database import Connection
from nextpair.storage.rows import KeyRow
from nextpair.storage.tables import KeyTable, RequestTable, SecretTable, SignInTable

SIGNING = "signing"
"""The secret that assignment tokens are signed with."""

_KEY: tuple[Any, ...] = (
    KeyTable.id,
    KeyTable.hash,
    KeyTable.scope,
    KeyTable.label,
    KeyTable.created_at,
    KeyTable.revoked_at,
    KeyTable.expires_at,
    KeyTable.parent,
)


def add_key(connection: Connection, row: KeyRow) -> None:
    """Add a key."""
    connection.execute(insert(KeyTable).values(**asdict(row)))


def find_key(connection: Connection, key_id: str) -> KeyRow | None:
    """Return the key of this id."""
    row = connection.execute(select(*_KEY).where(KeyTable.id == key_id)).one_or_none()
    return KeyRow(*row) if row else None


def keys_of(connection: Connection, key_ids: Iterable[str]) -> list[KeyRow]:
    """Return the keys of some ids."""
    found = select(*_KEY).where(KeyTable.id.in_(list(key_ids)))
    return [KeyRow(*row) for row in connection.execute(found)]


def list_keys(connection: Connection) -> list[KeyRow]:
    """List all keys, oldest first."""
    found = select(*_KEY).order_by(KeyTable.created_at, KeyTable.id)
    return [KeyRow(*row) for row in connection.execute(found)]


def revoke_key(connection: Connection, key_id: str, now: float) -> None:
    """Let a key, and the browsers it has signed in, open nothing from now on."""
    meant = or_(KeyTable.id == key_id, KeyTable.parent == key_id)
    connection.execute(
        update(KeyTable).where(meant, KeyTable.revoked_at.is_(None)).values(revoked_at=now)
    )


def add_sign_in(
    connection: Connection, code_hash: str, key_id: str, now: float, expires_at: float
) -> None:
    """Add a one-time code of a key; codes that have expired are forgotten."""
    connection.execute(delete(SignInTable).where(SignInTable.expires_at <= now))
    connection.execute(
        insert(SignInTable).values(hash=code_hash, key_id=key_id, expires_at=expires_at)
    )


def find_sign_in(connection: Connection, code_hash: str, now: float) -> str | None:
    """Return the id of the key that a one-time code is of, if it can be used."""
    found = select(SignInTable.key_id).where(
        SignInTable.hash == code_hash, SignInTable.expires_at > now
    )
    return connection.execute(found).scalar_one_or_none()


def take_sign_in(connection: Connection, code_hash: str, now: float) -> str | None:
    """Use a one-time code up; return the id of its key, or nothing if it is used or has expired."""
    taken = delete(SignInTable).where(SignInTable.hash == code_hash, SignInTable.expires_at > now)
    return connection.execute(taken.returning(SignInTable.key_id)).scalar_one_or_none()


def secret(connection: Connection, name: str, fresh: str) -> str:
    """Return an installation's secret, which is the fresh one if it has none yet."""
    held = connection.execute(
        select(SecretTable.value).where(SecretTable.name == name)
    ).scalar_one_or_none()
    if held is None:
        connection.execute(insert(SecretTable).values(name=name, value=fresh))
        return fresh
    return held


def find_request(
    connection: Connection, key_id: str, idempotency_key: str
) -> tuple[str, dict[str, Any]] | None:
    """Return the fingerprint and the answer of a call that was made before."""
    found = select(RequestTable.fingerprint, RequestTable.answer).where(
        RequestTable.key_id == key_id, RequestTable.idempotency_key == idempotency_key
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
        insert(RequestTable).values(
            key_id=key_id,
            idempotency_key=idempotency_key,
            fingerprint=fingerprint,
            answer=answer,
            created_at=now,
        )
    )
