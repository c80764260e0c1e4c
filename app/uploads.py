"""Pools on their way to a service."""

from collections.abc import Iterator

from pydantic import ValidationError

from nextpair.app.client import Client
from nextpair.app.formats.pools import Pool, PoolDocument
from nextpair.app.wire.topics import DocumentIn, TopicHeadIn, TopicOut
from nextpair.selectors.errors import BadInput


class Unsendable(BadInput):
    """The service would not take this."""


def upload_pool(client: Client, study: str, pool: Pool, seed: int | None = None) -> TopicOut:
    """Add a pool to a study as a topic; the same one again is a success that changes nothing."""

    def documents() -> Iterator[DocumentIn]:
        return (_document(pool.topic, document) for document in pool.documents)

    return client.upload_topic(study, _head(pool, seed), documents)


def check_pool(pool: Pool) -> None:
    """Raise if the service would not take a pool, before anything is sent."""
    _head(pool, None)
    for document in pool.documents:
        _document(pool.topic, document)


def _head(pool: Pool, seed: int | None) -> TopicHeadIn:
    try:
        return TopicHeadIn(
            id=pool.topic,
            title=pool.title,
            description=pool.description,
            narrative=pool.narrative,
            seed=seed,
        )
    except ValidationError as error:
        raise Unsendable(f"topic {pool.topic!r}: {_first(error)}") from None


def _document(topic: str, document: PoolDocument) -> DocumentIn:
    try:
        return DocumentIn(
            id=document.id,
            title=document.title,
            text=document.text,
            html=document.html,
            url=document.url,
            features=dict(document.features),
            prior=document.prior,
        )
    except ValidationError as error:
        raise Unsendable(f"topic {topic!r}, document {document.id!r}: {_first(error)}") from None


def _first(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
