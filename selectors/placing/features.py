"""What features say of a document's class."""

from nextpair.selectors.placing.places import Array
from nextpair.selectors.topic.documents import Documents


class FeatureModel:
    """Says how much likelier features make each class."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def log_likelihood(self, memberships: Array) -> Array:
        """Return the log of how much likelier a document's features make each class."""
        return memberships * 0
