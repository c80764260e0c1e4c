"""Schemas of studies and their workers."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from nextpair.app.field_types import Integer, Line, OptionValue, Prose, Real
from nextpair.app.schemas.common import Name, RequestModel, Timestamp
from nextpair.app.studies.pay_rules import HiringRules
from nextpair.app.studies.study import Currency, Price, StudySettings
from nextpair.storage.rows import StudyStatus, WorkerStatus


class StudyIn(StudySettings):
    """A study to be added."""

    id: Name | None = Field(None, description="what to call it; left out, it is given a name")


class StudyOut(StudySettings):
    """A study."""

    id: str
    status: StudyStatus
    created_at: Timestamp
    options_in_force: dict[str, Any] = Field(
        default_factory=dict,
        description="all options of the selector: as given, as suits the judges, or by default",
    )


class StudyChange(RequestModel):
    """What may change while a study runs; what is left out stays as it is."""

    title: Line = ""
    instructions: Prose = ""
    status: StudyStatus = StudyStatus.OPEN
    lease_seconds: Real = Field(600, gt=0, le=10**7)
    undo_seconds: Real = Field(60, ge=0, le=10**7)
    undos: Integer = Field(3, ge=0, le=100)
    judgments_per_worker: Integer | None = Field(None, ge=1, le=10**9, description="null lifts it")
    platform: Annotated[str, StringConstraints(max_length=100)] = "invited"
    platform_options: Annotated[dict[Line, OptionValue], Field(max_length=100)] = Field(
        default_factory=dict, description="all of them: what is left out has its default"
    )
    hiring: HiringRules = Field(default_factory=HiringRules, description="all of it, as above")
    price: Price | None = Field(None, description="of one answer; null if it has none")
    currency: Currency = "USD"


class WorkerOut(BaseModel):
    """A worker, and what became of their assignments."""

    id: str
    status: WorkerStatus
    created_at: Timestamp
    answered: int
    retracted: int
    skipped: int
    open: int = Field(description="held now, or once held and never answered")


class WorkerChange(RequestModel):
    """Block a worker, or let them in again."""

    status: WorkerStatus
