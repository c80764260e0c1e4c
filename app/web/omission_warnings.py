"""What of documents that are added no worker will see."""

from collections.abc import Iterable

from nextpair.app.pages.omissions import Body, find_omissions
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.omissions import OmissionOut
from nextpair.storage.rows import DocumentRow


def omissions(service: ServiceContext, documents: Iterable[DocumentRow]) -> list[OmissionOut]:
    """Say what of some documents no worker of this installation will see."""
    bodies = (Body(one.name, one.text, one.html, one.url) for one in documents)
    return find_omissions(bodies, images=service.settings.remote_images)
