"""Limits of an import, enforced while it is read and not afterwards."""

import sys
from dataclasses import dataclass

from nextpair.app.errors import TooLarge

VALUES_PER_DOCUMENT = 100
"""The most features per document, on average: pooling adds one per run."""


@dataclass(slots=True)
class ImportQuota:
    """Counts documents and feature values against their limits; unlimited by default.

    Parameters
    ----------
    per_topic
        The most documents of one topic.
    documents
        The most documents of all topics.
    """

    per_topic: int = sys.maxsize
    documents: int = sys.maxsize
    _documents: int = 0
    _values: int = 0

    def add_documents(self, topic: str, count: int, of_topic: int) -> None:
        """Count documents, or refuse them; `of_topic` is the new size of their topic."""
        if of_topic > self.per_topic:
            raise TooLarge(f"topic {topic}: a topic has at most {self.per_topic:,} documents")
        self._documents += count
        if self._documents > self.documents:
            raise TooLarge(f"an import has at most {self.documents:,} documents in all")

    def add_values(self, count: int) -> None:
        """Count feature values, or refuse them."""
        self._values += count
        most = VALUES_PER_DOCUMENT * self.documents
        if self._values > most:
            raise TooLarge(f"the documents of an import have at most {most:,} features in all")
