"""Pools in the shapes that a service takes, or why it would not take them."""

from pydantic import ValidationError

from nextpair.app.formats.pools import Pool, PoolDocument
from nextpair.app.schemas.topics import DocumentIn, TopicHeadIn
from nextpair.app.validation_messages import first_of
from nextpair.selectors.errors import BadInput


class Unsendable(BadInput):
    """The service would not take this."""

    code = "unsendable"


def check_pool(pool: Pool) -> None:
    """Raise if the service would not take a pool, before anything is sent."""
    head_of(pool)
    for document in pool.documents:
        document_of(pool, document)


def head_of(pool: Pool, seed: int | None = None) -> TopicHeadIn:
    """Return a pool's topic as it is sent."""
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


def document_of(pool: Pool, document: PoolDocument) -> DocumentIn:
    """Return a document of a pool as it is sent."""
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
        raise Unsendable(f"{where}: {_first(error)}") from None


def _first(error: ValidationError) -> str:
    return ": ".join(filter(None, first_of(error)))
