"""Pools: topics and their documents, as read from files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PoolDocument:
    """A document to be judged, with its content.

    Parameters
    ----------
    features
        Numbers that may predict the document's relevance; None where a value is missing.
    prior
        A prior score, BM25 for example; larger is better.
    """

    id: str
    title: str = ""
    text: str = ""
    html: str | None = None
    url: str | None = None
    features: Mapping[str, float | None] = field(default_factory=dict)
    prior: float | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """An information need and its documents."""

    topic: str
    title: str = ""
    description: str = ""
    narrative: str = ""
    documents: Sequence[PoolDocument] = ()
