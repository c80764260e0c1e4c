"""How much an import may come to, counted while it is read and not afterwards."""

import sys
from dataclasses import dataclass

from nextpair.app.errors import TooLarge

VALUES_PER_DOCUMENT = 100
"""Features that documents may have, on average: one of each run that was pooled, say."""


@dataclass(slots=True)
class ImportQuota:
    """What is left of the documents and of their features; without numbers there is no limit.

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
        """Count documents, or refuse them; `of_topic` is how many their topic then has."""
        if of_topic > self.per_topic:
            raise TooLarge(f"topic {topic}: a topic has at most {self.per_topic:,} documents")
        self._documents += count
        if self._documents > self.documents:
            raise TooLarge(f"an import has at most {self.documents:,} documents in all")

    def add_values(self, count: int) -> None:
        """Count values of features, or refuse them."""
        self._values += count
        most = VALUES_PER_DOCUMENT * self.documents
        if self._values > most:
            raise TooLarge(f"the documents of an import have at most {most:,} features in all")
