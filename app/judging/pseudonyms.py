"""Pseudonyms: workers told apart in what is published, without saying who they are."""

import hashlib
import hmac

DIGITS = 16


class Pseudonyms:
    """Names workers by a keyed hash: the same within a study, and another in every other.

    A plain hash could be undone by hashing every worker's id there is; without the installation's
    secret nobody can.
    """

    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(f"pseudonym\0{secret}".encode()).digest()

    def of(self, study_id: int, worker: str) -> str:
        """Return the pseudonym of a study's worker."""
        named = hmac.new(self._key, f"{study_id}\0{worker}".encode(), hashlib.sha256)
        return f"w-{named.hexdigest()[:DIGITS]}"
