"""API keys: made here, shown once, kept as hashes; and how many calls each may make."""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from nextpair.app.errors import RateLimited, Unauthorized, UnknownKey
from nextpair.app.words import Scope
from nextpair.storage import keys
from nextpair.storage.database import Connection, Database
from nextpair.storage.rows import KeyRow

PREFIX = "np_"
TRUST_SECONDS = 5.0
"""How long a key is taken at its word before the database is asked again whether it still holds."""


def make_key(connection: Connection, scope: Scope, label: str, now: float) -> tuple[str, KeyRow]:
    """Make a key; this is the only time it can be seen.

    The key is 256 random bits, so a plain hash keeps it as safe as a slow one would.
    """
    key_id = secrets.token_hex(4)
    key = f"{PREFIX}{key_id}_{secrets.token_urlsafe(32)}"
    row = KeyRow(key_id, _hash(key), scope.value, label, now, None)
    keys.add_key(connection, row)
    return key, row


def revoke_key(connection: Connection, key_id: str, now: float) -> KeyRow:
    """Let a key open nothing any more."""
    keys.revoke_key(connection, key_id, now)
    row = keys.find_key(connection, key_id)
    if row is None:
        raise UnknownKey(f"there is no key {key_id!r}")
    return row


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


class KeyRing:
    """Knows keys again, and remembers them for a few seconds."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, tuple[KeyRow, float]] = {}

    def remembered(self, key: str) -> KeyRow | None:
        """Return whose key this is, if the database was asked about it a moment ago."""
        known = self._known.get(_id_of(key))
        return _check(key, known[0]) if known and known[1] > time.monotonic() else None

    def open(self, key: str) -> KeyRow:
        """Return whose key this is."""
        with self._database.read() as connection:
            row = keys.find_key(connection, _id_of(key))
        if row is None:
            raise Unauthorized("the key is not one of this installation's")
        self._known[row.id] = (row, time.monotonic() + TRUST_SECONDS)
        return _check(key, row)

    def forget(self, key_id: str) -> None:
        """Ask the database about a key the next time."""
        self._known.pop(key_id, None)


def _id_of(key: str) -> str:
    return key.removeprefix(PREFIX).partition("_")[0]


def _check(key: str, row: KeyRow) -> KeyRow:
    if not hmac.compare_digest(row.hash, _hash(key)):
        raise Unauthorized("the key is not one of this installation's")
    if row.revoked_at is not None:
        raise Unauthorized("the key was revoked")
    return row


@dataclass(slots=True)
class _Bucket:
    left: float
    seen: float


class RateLimit:
    """A bucket per key, which holds two seconds' worth of calls and fills up evenly.

    Each process counts its own share: a count all processes agree on would cost a write per call.
    """

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_second
        self._clock = clock
        self._size = max(2 * per_second, 1.0)
        self._buckets: dict[str, _Bucket] = {}
        self._mutex = threading.Lock()

    def spend(self, key_id: str) -> None:
        """Count a call, or refuse it."""
        now = self._clock()
        with self._mutex:
            bucket = self._buckets.setdefault(key_id, _Bucket(self._size, now))
            bucket.left = min(self._size, bucket.left + (now - bucket.seen) * self._rate)
            bucket.seen = now
            if bucket.left < 1:
                raise RateLimited(
                    f"a key may make {self._rate:g} calls a second; try again in a moment"
                )
            bucket.left -= 1
