"""Pseudonyms: of workers in what is published, and of documents in what workers are shown."""

import hashlib
import hmac

DIGITS = 16


class Pseudonyms:
    """Names workers by a keyed hash: the same within a study, and another in every other.

    So are documents named, within a topic, to whoever judges them.

    A plain hash could be undone by hashing every worker's id there is; without the installation's
    secret nobody can.
    """

    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(f"pseudonym\0{secret}".encode()).digest()

    def of(self, study_id: int, worker: str) -> str:
        """Return the pseudonym of a study's worker."""
        return f"w-{self._digest(f'{study_id}', worker)}"

    def of_document(self, topic_id: int, document: str) -> str:
        """Return what workers are told as a document's id: its own may say that it is a check."""
        return f"d-{self._digest('document', f'{topic_id}', document)}"

    def _digest(self, *parts: str) -> str:
        digest = hmac.new(self._key, "\0".join(parts).encode(), hashlib.sha256)
        return digest.hexdigest()[:DIGITS]
