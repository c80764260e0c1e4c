"""API keys (shown once, stored as hashes), their rate limits, and signing a browser in.

A browser is signed in by a one-time code, which it exchanges for a key of its own. That key
expires, and is revoked together with the key that made the code.
"""

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network

from nextpair.app.enums import Scope
from nextpair.app.errors import BadSignIn, RateLimited, Unauthorized, UnknownKey
from nextpair.storage import keys
from nextpair.storage.database import Connection, Database
from nextpair.storage.rows import KeyRow

PREFIX = "np_"
SIGN_IN_SECONDS = 600.0
"""How long a one-time code can be used."""
SIGNED_IN_SECONDS = 7 * 86_400.0
"""How long a browser stays signed in."""
TRUST_SECONDS = 5.0
"""How long a key is cached, before the database is asked again whether it was revoked."""
MOST_BUCKETS = 100_000
"""How many callers' buckets are kept, about 30 MB of them."""


def make_key(
    connection: Connection,
    scope: Scope,
    label: str,
    now: float,
    *,
    seconds: float | None = None,
    parent: str | None = None,
) -> tuple[str, KeyRow]:
    """Make a key; this is the only time it can be seen.

    The key is 256 random bits, so a plain hash keeps it as safe as a slow one would.

    Parameters
    ----------
    seconds
        How long it can be used; None has no end.
    parent
        The id of the key with which this one is revoked.
    """
    key_id = secrets.token_hex(4)
    key = f"{PREFIX}{key_id}_{secrets.token_urlsafe(32)}"
    ends = None if seconds is None else now + seconds
    row = KeyRow(key_id, _hash(key), scope.value, label, now, None, ends, parent)
    keys.add_key(connection, row)
    return key, row


def make_sign_in(connection: Connection, key_id: str, now: float) -> tuple[str, float]:
    """Make a one-time code that signs a browser in; return it, and until when it can be used."""
    code, ends = secrets.token_urlsafe(32), now + SIGN_IN_SECONDS
    keys.add_sign_in(connection, _hash(code), key_id, now, ends)
    return code, ends


def check_sign_in(connection: Connection, code: str, now: float) -> None:
    """Raise unless a one-time code is valid: a read, so that guesses do not take the write lock."""
    if keys.find_sign_in(connection, _hash(code), now) is None:
        raise BadSignIn()


def use_sign_in(connection: Connection, code: str, now: float) -> tuple[str, KeyRow]:
    """Exchange a one-time code for a key of the browser's own, with the scope of the code's key."""
    key_id = keys.take_sign_in(connection, _hash(code), now)
    made_by = None if key_id is None else keys.find_key(connection, key_id)
    if made_by is None or _end_of(made_by, now):
        raise BadSignIn()
    label = f"a browser, signed in by {made_by.id}"
    # A browser that signs in another one shares its parent key with it: the tree has two levels.
    parent = made_by.parent or made_by.id
    scope = Scope(made_by.scope)
    return make_key(connection, scope, label, now, seconds=SIGNED_IN_SECONDS, parent=parent)


def sign_out(connection: Connection, key_id: str, now: float) -> bool:
    """Revoke a browser's own key; other keys stay. Return whether it was a browser's."""
    row = keys.find_key(connection, key_id)
    if row is None or row.parent is None:
        return False
    keys.revoke_key(connection, key_id, now)
    return True


def revoke_key(connection: Connection, key_id: str, now: float) -> KeyRow:
    """Revoke a key."""
    keys.revoke_key(connection, key_id, now)
    row = keys.find_key(connection, key_id)
    if row is None:
        raise UnknownKey(f"there is no key {key_id!r}")
    return row


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


class KeyRing:
    """Authenticates keys, and caches them for a few seconds."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[str, tuple[KeyRow, float]] = {}

    def remembered(self, key: str) -> KeyRow | None:
        """Return the row of a key from the cache, if it is there and has not expired."""
        known = self._known.get(_id_of(key))
        if known is None or known[1] <= time.monotonic():
            return None
        return _check(key, known[0], self._clock())

    def open(self, key: str) -> KeyRow:
        """Return the row of a key from the database, and cache it."""
        with self._database.read_one_statement() as connection:
            row = keys.find_key(connection, _id_of(key))
        if row is None:
            raise Unauthorized("the key is not one of this installation's")
        self._known[row.id] = (row, time.monotonic() + TRUST_SECONDS)
        return _check(key, row, self._clock())

    def forget(self, key_id: str) -> None:
        """Remove a key, and those that it has signed in, from the cache."""
        for known, (row, _) in [*self._known.items()]:
            if key_id in (known, row.parent):
                self._known.pop(known, None)


def _id_of(key: str) -> str:
    return key.removeprefix(PREFIX).partition("_")[0]


def find_valid(connection: Connection, key: str, now: float) -> KeyRow | None:
    """Return the row of a key, if it is valid."""
    row = keys.find_key(connection, _id_of(key))
    if row is None or not hmac.compare_digest(row.hash, _hash(key)) or _end_of(row, now):
        return None
    return row


def still_open(connection: Connection, key_ids: Collection[str], now: float) -> frozenset[str]:
    """Return the ids of those keys that are still valid."""
    rows = keys.keys_of(connection, key_ids)
    return frozenset(row.id for row in rows if not _end_of(row, now))


def _check(key: str, row: KeyRow, now: float) -> KeyRow:
    if not hmac.compare_digest(row.hash, _hash(key)):
        raise Unauthorized("the key is not one of this installation's")
    if ended := _end_of(row, now):
        raise Unauthorized(ended)
    return row


def _end_of(row: KeyRow, now: float) -> str:
    """Return why a key is no longer valid; empty if it is."""
    if row.revoked_at is not None:
        return "the key was revoked"
    if row.expires_at is not None and row.expires_at <= now:
        return "the browser was signed in too long ago: sign in again"
    return ""


@dataclass(slots=True)
class _Bucket:
    left: float
    seen: float


class RateLimit:
    """Token buckets by caller, each of two seconds' worth of calls.

    Each process counts by itself: one count over all processes would cost a write per call. The
    number of buckets is limited, and the least recently used one is dropped first: it is full by
    then, unless thousands of others call at the same moment.

    Parameters
    ----------
    who
        Who is limited, in the words of the error message.
    at_once
        The least a full bucket holds.
    """

    def __init__(
        self,
        per_second: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        who: str = "a key",
        at_once: float = 1.0,
    ) -> None:
        self._rate = per_second
        self._clock = clock
        self._who = who
        self._size = max(2 * per_second, at_once)
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._mutex = threading.Lock()

    def spend(self, caller: str) -> None:
        """Count a call, or refuse it."""
        now = self._clock()
        with self._mutex:
            bucket = self._buckets.setdefault(caller, _Bucket(self._size, now))
            self._buckets.move_to_end(caller)
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)
            bucket.left = min(self._size, bucket.left + (now - bucket.seen) * self._rate)
            bucket.seen = now
            if bucket.left < 1:
                seconds = (1 - bucket.left) / self._rate
                raise RateLimited(
                    f"{self._who} may make {self._rate:g} calls a second; try again in a moment",
                    seconds,
                )
            bucket.left -= 1

    def __len__(self) -> int:
        return len(self._buckets)


def network_of(address: str) -> str:
    """Return the network of an address that is limited as one: a person has 2^64 IPv6 addresses."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return address
    return str(parsed.ipv4_mapped or ip_network((parsed, 64), strict=False))
