"""Schemas of file imports."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from nextpair.app.schemas.common import Name, RequestModel
from nextpair.app.schemas.omissions import OmissionOut

DEFAULT_DEPTH = 100
"""How many documents of each run are pooled unless the caller says otherwise."""
FLAGS = {"true": True, "false": False}


class ImportIn(RequestModel):
    """What is said beside the files; a form knows nothing but text."""

    depth: int = Field(DEFAULT_DEPTH, ge=1, le=10**6, description="how far down the runs")
    topic: Name | None = Field(None, description="the topic of documents that name none")
    dry_run: Annotated[bool, BeforeValidator(lambda text: FLAGS.get(text, text))] = Field(
        False, description="only read and check the files"
    )


class ImportedTopicOut(BaseModel):
    """A topic that was in the files."""

    topic: str
    title: str
    documents: int
    new: bool = Field(description="whether the study did not have it before")


class ImportOut(BaseModel):
    """What was in the files, and is in the study now unless it was a dry run."""

    dry_run: bool
    topics: list[ImportedTopicOut]
    warnings: list[str] = Field(description="what may not be as it was meant, a line each")
    not_shown: list[OmissionOut] = Field(description="what of the documents no worker will see")
