"""Uploads of pools to a service."""

from collections.abc import Iterator

from nextpair.app.client import Client
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.upload_pools import document_in, topic_head_in
from nextpair.app.schemas.topics import DocumentIn, TopicAddedOut


def upload_pool(client: Client, study: str, pool: Pool, seed: int | None = None) -> TopicAddedOut:
    """Add a pool to a study as a topic; idempotent."""

    def documents() -> Iterator[DocumentIn]:
        return (document_in(pool, document) for document in pool.documents)

    return client.upload_topic(study, topic_head_in(pool, seed), documents)
