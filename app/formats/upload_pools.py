"""Converts pools to request models, and validates them before anything is sent."""

from pydantic import ValidationError

from nextpair.app.formats.pools import Pool, PoolDocument
from nextpair.app.schemas.topics import DocumentIn, TopicHeadIn
from nextpair.app.validation_messages import first_error
from nextpair.selectors.errors import BadInput


class InvalidUpload(BadInput):
    """The service would not take this."""

    code = "unsendable"


def check_pool(pool: Pool) -> None:
    """Raise if the service would refuse a pool."""
    topic_head_in(pool)
    for document in pool.documents:
        document_in(pool, document)


def topic_head_in(pool: Pool, seed: int | None = None) -> TopicHeadIn:
    """Return the request model of a pool's topic."""
    try:
        return TopicHeadIn(
            id=pool.topic,
            title=pool.title,
            description=pool.description,
            narrative=pool.narrative,
            seed=seed,
        )
    except ValidationError as error:
        raise InvalidUpload(f"topic {pool.topic!r}: {_first(error)}") from None


def document_in(pool: Pool, document: PoolDocument) -> DocumentIn:
    """Return the request model of a document of a pool."""
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
        where = f"topic {pool.topic!r}, document {document.id!r}"
        raise InvalidUpload(f"{where}: {_first(error)}") from None


def _first(error: ValidationError) -> str:
    return ": ".join(filter(None, first_error(error)))
