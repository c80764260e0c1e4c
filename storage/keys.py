"""API keys, the signing secret, and the idempotency keys of creating calls."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, insert, or_, select, update

from nextpair.storage.database import Connection
from nextpair.storage.rows import KeyRow
from nextpair.storage.tables import Key, Request, Secret, SignIn

SIGNING = "signing"
"""The secret that assignment tokens are signed with."""

_KEY: tuple[Any, ...] = (
    Key.id,
    Key.hash,
    Key.scope,
    Key.label,
    Key.created_at,
    Key.revoked_at,
    Key.expires_at,
    Key.parent,
)


def add_key(connection: Connection, row: KeyRow) -> None:
    """Add a key."""
    connection.execute(insert(Key).values(**asdict(row)))


def find_key(connection: Connection, key_id: str) -> KeyRow | None:
    """Return the key of this id."""
    row = connection.execute(select(*_KEY).where(Key.id == key_id)).one_or_none()
    return KeyRow(*row) if row else None


def keys_of(connection: Connection, key_ids: Iterable[str]) -> list[KeyRow]:
    """Return the keys of some ids."""
    found = select(*_KEY).where(Key.id.in_(list(key_ids)))
    return [KeyRow(*row) for row in connection.execute(found)]


def list_keys(connection: Connection) -> list[KeyRow]:
    """List all keys, oldest first."""
    found = select(*_KEY).order_by(Key.created_at, Key.id)
    return [KeyRow(*row) for row in connection.execute(found)]


def revoke_key(connection: Connection, key_id: str, now: float) -> None:
    """Let a key, and the browsers it has signed in, open nothing from now on."""
    meant = or_(Key.id == key_id, Key.parent == key_id)
    connection.execute(update(Key).where(meant, Key.revoked_at.is_(None)).values(revoked_at=now))


def add_sign_in(
    connection: Connection, code_hash: str, key_id: str, now: float, expires_at: float
) -> None:
    """Add a one-time code of a key; codes that have expired are forgotten."""
    connection.execute(delete(SignIn).where(SignIn.expires_at <= now))
    connection.execute(insert(SignIn).values(hash=code_hash, key_id=key_id, expires_at=expires_at))


def find_sign_in(connection: Connection, code_hash: str, now: float) -> str | None:
    """Return the id of the key that a one-time code is of, if it can be used."""
    found = select(SignIn.key_id).where(SignIn.hash == code_hash, SignIn.expires_at > now)
    return connection.execute(found).scalar_one_or_none()


def take_sign_in(connection: Connection, code_hash: str, now: float) -> str | None:
    """Use a one-time code up; return the id of its key, or nothing if it is used or has expired."""
    taken = delete(SignIn).where(SignIn.hash == code_hash, SignIn.expires_at > now)
    return connection.execute(taken.returning(SignIn.key_id)).scalar_one_or_none()


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
