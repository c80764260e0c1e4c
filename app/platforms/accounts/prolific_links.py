"""Links that Prolific has signed: a JSON Web Token, checked with the keys it publishes."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nextpair.app.errors import BadArrival, PlatformDenied
from nextpair.app.platforms.accounts.key_cache import KeyCache

LEEWAY = 30
"""Seconds by which clocks may differ; a link is good for two minutes."""


@dataclass(frozen=True, slots=True)
class LinkClaims:
    """Whom a link is for."""

    session: str
    worker: str | None


def check_link(token: str, keys: str, issuer: str, audience: str) -> LinkClaims:
    """Read a link's token, refusing one that is forged, old, or meant for others."""
    try:
        import jwt
    except ImportError:
        raise PlatformDenied(
            "signed links need PyJWT: install it with `pip install 'nextpair[prolific]'`"
        ) from None
    try:
        key = published(keys).key(str(jwt.get_unverified_header(token).get("kid")))
        claims = jwt.decode(
            token,
            key.key,
            algorithms=["RS256"],
            issuer=issuer,
            audience=audience or None,
            leeway=LEEWAY,
            options={"require": ["exp", "iss", "sub"], "verify_aud": bool(audience)},
        )
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        # What is wrong may repeat what the address says, which is whatever its sender likes.
        raise BadArrival(
            "Prolific's signature of this address does not hold, or is too old: open the study "
            "from Prolific again"
        ) from None
    named = claims.get("prolific")
    return LinkClaims(str(claims["sub"]), _worker_in(named if isinstance(named, dict) else {}))


@lru_cache(maxsize=8)
def published(keys: str) -> KeyCache:
    """Return the keys that are published at an address."""
    return KeyCache(keys)


def _worker_in(named: dict[str, Any]) -> str | None:
    """Find the worker among the parameters, however they are written there."""
    for name, value in named.items():
        if name.lower() in ("prolific_pid", "participant_id"):
            return str(value)
    return None
