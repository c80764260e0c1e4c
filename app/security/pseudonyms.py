"""Pseudonyms: of workers in what is published, and of documents in what workers are shown."""

import hashlib
import hmac

DIGITS = 16


class Pseudonyms:
    """Keyed hashes (HMAC) of the names of workers within a study, and documents within a topic.

    A plain hash could be inverted by hashing all possible names. That takes the secret here. The
    same worker has another pseudonym in every other study.
    """

    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(f"pseudonym\0{secret}".encode()).digest()

    def of_worker(self, study_id: int, worker: str) -> str:
        """Return the pseudonym of a study's worker."""
        return f"w-{self._digest(f'{study_id}', worker)}"

    def of_document(self, topic_id: int, document: str) -> str:
        """Return the id of a document for workers: its own could reveal a check question."""
        return f"d-{self._digest('document', f'{topic_id}', document)}"

    def _digest(self, *parts: str) -> str:
        digest = hmac.new(self._key, "\0".join(parts).encode(), hashlib.sha256)
        return digest.hexdigest()[:DIGITS]
