"""The pool of a topic: documents by position, with their features as one matrix."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.errors import (
    BadFeature,
    DuplicateDocument,
    MismatchedFeatures,
    UnknownDocument,
)


@dataclass(frozen=True, slots=True)
class Document:
    """An item to be judged, as far as selectors need to know it.

    Parameters
    ----------
    features
        Numbers that may be informative about the document; None where one is missing.
    prior
        A prior score (BM25, say); larger is better.
    """

    id: str
    features: Mapping[str, float | None] = field(default_factory=dict)
    prior: float | None = None


class Documents:
    """The validated documents of one topic."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.ids = tuple(document.id for document in documents)
        self._positions = _positions(self.ids)
        self.feature_names = tuple(documents[0].features) if documents else ()
        self.features = _feature_matrix(documents, self.feature_names)
        self.priors = np.array([_prior(document) for document in documents], dtype=np.float64)
        self.features.flags.writeable = False
        self.priors.flags.writeable = False

    def __len__(self) -> int:
        return len(self.ids)

    def by_prior(self) -> list[int]:
        """List all positions by descending prior score; those without one last, in their order."""
        priors = np.nan_to_num(self.priors, nan=-np.inf)
        ranked: list[int] = np.argsort(-priors, kind="stable").tolist()
        return ranked

    def position(self, document: str) -> int:
        """Return the position of a document by its id."""
        try:
            return self._positions[document]
        except KeyError:
            raise UnknownDocument(f"the topic has no document {document!r}") from None


def _positions(ids: Sequence[str]) -> dict[str, int]:
    positions: dict[str, int] = {}
    for position, document in enumerate(ids):
        if document in positions:
            raise DuplicateDocument(
                f"document {document!r} stands at places {positions[document]} and {position}"
            )
        positions[document] = position
    return positions


def _feature_matrix(documents: Sequence[Document], names: Sequence[str]) -> NDArray[np.float64]:
    matrix = np.empty((len(documents), len(names)))
    expected = set(names)
    for document, row in zip(documents, matrix, strict=True):
        if document.features.keys() != expected:
            differing = sorted(document.features.keys() ^ expected)
            raise MismatchedFeatures(
                f"document {document.id!r} differs from the first one in the features {differing}"
            )
        row[:] = [_number(document, name, document.features[name]) for name in names]
    return matrix


def _number(document: Document, name: str, value: float | None) -> float:
    if value is None:
        return math.nan
    # Testing for float first: the test against the abstract class Real is slow.
    if not isinstance(value, (float, Real)) or not math.isfinite(value):
        raise BadFeature(f"document {document.id!r} has {name} = {value!r}, not a finite number")
    return float(value)


def _prior(document: Document) -> float:
    return _number(document, "prior", document.prior)
