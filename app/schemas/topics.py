"""Schemas of topics and their documents."""

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    FailFast,
    Field,
    StringConstraints,
    model_validator,
)

from nextpair.app.field_types import Flag, Line, Prose, Real, Seed
from nextpair.app.schemas.common import Name, RequestModel, Timestamp
from nextpair.app.schemas.omissions import OmissionOut
from nextpair.storage.rows import StudyStatus

MOST_FEATURES = 5000
"""Numbers that one document may have."""
DocumentName = Annotated[
    str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")
]
Body = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]


def _check_count(features: object) -> object:
    """Refuse too many before each is looked at, as each may have something wrong with it."""
    if isinstance(features, dict) and len(features) > MOST_FEATURES:
        raise ValueError(f"must have at most {MOST_FEATURES:,} numbers")
    return features


class DocumentIn(RequestModel):
    """An item to be judged."""

    id: DocumentName
    title: Line = ""
    text: Body = ""
    html: Body | None = None
    url: Line | None = None
    features: Annotated[dict[Line, Real | None], BeforeValidator(_check_count)] = Field(
        default_factory=dict,
        max_length=MOST_FEATURES,
        description="numbers that may say something; null where one is missing",
    )
    prior: Real | None = Field(default=None, description="a score believed in beforehand")


class UnderstandingRule(RequestModel):
    """A question about a topic, and which choice is right."""

    question: Annotated[Line, StringConstraints(min_length=1)]
    choices: Annotated[list[Line], Field(min_length=2, max_length=20)]
    right: Line

    @model_validator(mode="after")
    def _has_it(self) -> "UnderstandingRule":
        if self.right not in self.choices:
            raise ValueError("right must be one of the choices")
        return self


class GoldIn(RequestModel):
    """A question whose answer is known.

    Of a pair the answer is told with the first document on the left: {"preference": "left"}.
    """

    documents: Annotated[list[DocumentName], Field(min_length=1, max_length=2)]
    answer: Annotated[dict[str, Any], Field(max_length=100)]
    quiz: Flag = Field(
        default=False, description="part of the quiz before work, not a trap among it"
    )


class GoldsIn(RequestModel):
    """Questions whose answers are known, and documents that only they show."""

    documents: Annotated[list[DocumentIn], FailFast(), Field(max_length=10_000)] = Field(
        default_factory=list, description="shown, but neither ranked nor asked about otherwise"
    )
    golds: Annotated[list[GoldIn], FailFast(), Field(min_length=1, max_length=10_000)]


class GoldsOut(BaseModel):
    """How many questions with known answers a topic has."""

    traps: int
    quiz: int
    not_shown: list[OmissionOut] = Field(
        description="what of the documents that came along no worker will see", repr=False
    )


class TopicHeadIn(RequestModel):
    """A topic to be added, without its documents: the first line of an upload."""

    id: Name
    title: Line = ""
    description: Prose = ""
    narrative: Prose = ""
    seed: Seed | None = Field(
        default=None, description="the topic's chance; from the study's if left out"
    )
    understanding: UnderstandingRule | None = Field(
        default=None, description="a question that a worker must answer right before work"
    )


class TopicIn(TopicHeadIn):
    """A topic to be added, with all its documents."""

    # What is wrong with the first that is wrong: with all of them it may be a million things.
    documents: Annotated[list[DocumentIn], FailFast()]


class TopicOut(BaseModel):
    """A topic, without its documents."""

    id: str
    title: str
    description: str
    narrative: str
    seed: int
    status: StudyStatus
    documents: int
    position: int = Field(description="the newest entry of the judgment log")
    created_at: Timestamp


class TopicAddedOut(TopicOut):
    """A topic that was added, or was there before with the same content."""

    not_shown: list[OmissionOut] = Field(
        description="what of its documents, as they came now, no worker will see"
    )


class TopicChange(RequestModel):
    """Open, pause or close a topic."""

    status: StudyStatus


class DocumentOut(BaseModel):
    """A document."""

    id: str
    title: str
    text: str
    html: str | None
    url: str | None
    features: dict[str, float | None]
    prior: float | None
