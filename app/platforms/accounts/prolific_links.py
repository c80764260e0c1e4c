"""Signed links of Prolific: a JSON Web Token, verified with the public keys of Prolific."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nextpair.app.errors import BadArrival, PlatformDenied
from nextpair.app.platforms.accounts.key_cache import KeyCache

LEEWAY = 30
"""Seconds by which clocks may differ; a link is valid for two minutes."""


@dataclass(frozen=True, slots=True)
class LinkClaims:
    """The session, and the worker if named, that a link is for."""

    session: str
    worker: str | None


def check_link(token: str, keys: str, issuer: str, audience: str) -> LinkClaims:
    """Verify a link's token; `BadArrival` if it is forged, expired, or for another audience."""
    try:
        import jwt
    except ImportError:
        raise PlatformDenied(
            "signed links need PyJWT: install it with `pip install 'nextpair[prolific]'`"
        ) from None
    try:
        key = key_cache(keys).key(str(jwt.get_unverified_header(token).get("kid")))
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
        # The error may repeat the address, which is under the sender's control.
        raise BadArrival(
            "Prolific's signature of this address does not hold, or is too old: open the study "
            "from Prolific again"
        ) from None
    parameters = claims.get("prolific")
    worker = _worker_in(parameters if isinstance(parameters, dict) else {})
    return LinkClaims(str(claims["sub"]), worker)


@lru_cache(maxsize=8)
def key_cache(keys: str) -> KeyCache:
    """Return the cache of the keys that are published at an address."""
    return KeyCache(keys)


def _worker_in(parameters: dict[str, Any]) -> str | None:
    """Find the worker among the parameters, whose case varies."""
    for name, value in parameters.items():
        if name.lower() in ("prolific_pid", "participant_id"):
            return str(value)
    return None
