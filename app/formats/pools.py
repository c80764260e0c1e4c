"""What is to be judged, before it is anywhere but in files: topics and their documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PoolDocument:
    """An item to be judged, with what a worker sees of it.

    Parameters
    ----------
    features
        Numbers that may say something about the document; None where one is missing.
    prior
        A score the caller believes in beforehand (BM25, say); larger is better.
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
    """An information need, as far as files describe it, and its documents."""

    topic: str
    title: str = ""
    description: str = ""
    narrative: str = ""
    documents: Sequence[PoolDocument] = ()
