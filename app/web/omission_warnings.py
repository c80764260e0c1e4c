"""Warnings about the parts of added documents that no worker will see."""

from collections.abc import Iterable

from nextpair.app.pages.omissions import DocumentBody, find_omissions
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.omissions import OmissionOut
from nextpair.storage.rows import DocumentRow


def omissions_in(service: ServiceContext, documents: Iterable[DocumentRow]) -> list[OmissionOut]:
    """List the parts of documents that this installation does not show to workers."""
    bodies = (
        DocumentBody(document.name, document.text, document.html, document.url)
        for document in documents
    )
    return find_omissions(bodies, images=service.settings.remote_images)
