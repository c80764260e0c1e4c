"""Topics and their documents on the wire."""

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from nextpair.app.judging.study import Line, Prose, Real, Seed
from nextpair.app.wire.common import Moment, Name, Wire
from nextpair.storage.rows import Status

DocumentName = Annotated[
    str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")
]
Body = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]


class DocumentIn(Wire):
    """An item to be judged."""

    id: DocumentName
    title: Line = ""
    text: Body = ""
    html: Body | None = None
    url: Line | None = None
    features: dict[Line, Real | None] = Field(
        default_factory=dict,
        description="numbers that may say something; null where one is missing",
    )
    prior: Real | None = Field(None, description="a score believed in beforehand")


class TopicHeadIn(Wire):
    """A topic to be added, without its documents: the first line of an upload."""

    id: Name
    title: Line = ""
    description: Prose = ""
    narrative: Prose = ""
    seed: Seed | None = Field(None, description="the topic's chance; from the study's if left out")


class TopicIn(TopicHeadIn):
    """A topic to be added, with all its documents."""

    documents: list[DocumentIn]


class TopicOut(BaseModel):
    """A topic, without its documents."""

    id: str
    title: str
    description: str
    narrative: str
    seed: int
    status: Status
    documents: int
    position: int = Field(description="the newest entry of the judgment log")
    created_at: Moment


class TopicChange(Wire):
    """Open, pause or close a topic."""

    status: Status


class DocumentOut(BaseModel):
    """A document."""

    id: str
    title: str
    text: str
    html: str | None
    url: str | None
    features: dict[str, float | None]
    prior: float | None
