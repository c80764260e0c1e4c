"""A topic's pool: documents by position, their features as one matrix."""

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
    """An item to be judged, as far as choosing questions needs to know it.

    Parameters
    ----------
    features
        Numbers that may say something about the document; None where one is missing.
    prior
        A score the caller believes in beforehand (BM25, say); larger is better.
    """

    id: str
    features: Mapping[str, float | None] = field(default_factory=dict)
    prior: float | None = None


class Documents:
    """The documents of one topic, checked."""

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
        """List all positions, the highest prior score first, in their order where there is none."""
        priors = np.nan_to_num(self.priors, nan=-np.inf)
        ranked: list[int] = np.argsort(-priors, kind="stable").tolist()
        return ranked

    def position(self, document: str) -> int:
        """Return where a document stands, by its id."""
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
            wrong = sorted(document.features.keys() ^ expected)
            raise MismatchedFeatures(
                f"document {document.id!r} differs from the first one in the features {wrong}"
            )
        row[:] = [_number(document, name, document.features[name]) for name in names]
    return matrix


def _number(document: Document, what: str, value: float | None) -> float:
    if value is None:
        return math.nan
    # Asking for a float first spares nearly every value the slow way round an abstract class.
    if not isinstance(value, (float, Real)) or not math.isfinite(value):
        raise BadFeature(f"document {document.id!r} has {what} = {value!r}, not a finite number")
    return float(value)


def _prior(document: Document) -> float:
    return _number(document, "prior", document.prior)
