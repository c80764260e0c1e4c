"""Pools on their way to a service."""

from collections.abc import Iterator

from nextpair.app.client import Client
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.upload_pools import document_of, head_of
from nextpair.app.schemas.topics import DocumentIn, TopicAddedOut


def upload_pool(client: Client, study: str, pool: Pool, seed: int | None = None) -> TopicAddedOut:
    """Add a pool to a study as a topic; the same one again is a success that changes nothing."""

    def documents() -> Iterator[DocumentIn]:
        return (document_of(pool, document) for document in pool.documents)

    return client.upload_topic(study, head_of(pool, seed), documents)
