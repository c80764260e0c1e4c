"""Schemas of hiring; amounts of money are integers in minor units, cents."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from nextpair.app.field_types import Line, OptionValue
from nextpair.app.schemas.common import RequestModel, Timestamp
from nextpair.app.studies.pay_rules import HiringRules
from nextpair.storage.hiring_rows import HiringState, OutboxState


class HiringIn(RequestModel):
    """Whether a study is to hire."""

    state: HiringState


class HiringOut(BaseModel):
    """How a study's hiring stands."""

    platform: str
    state: HiringState | None = Field(description="null: it has never hired anyone")
    message: str = Field(description="why it pauses or was stopped, or what it waits for")
    retry_at: Timestamp | None = Field(description="when the platform is tried again by itself")
    currency: str
    budget: int
    spent: int = Field(description="paid, or about to be, with fees")
    reserved: int = Field(description="what is on offer or undecided may still cost")
    offers: dict[str, int] = Field(description="how many there are, by how they stand")
    submissions: dict[str, int] = Field(description="the same of workers' sessions")
    warnings: list[str] = Field(description="what someone should look at, in plain sentences")
    enter: str = Field(description="where the platform sends workers")
    news: str = Field(description="where the platform may post news; for it alone")


class PlanIn(RequestModel):
    """What to try out in place of the study's own settings; what is left out is the study's."""

    platform: Annotated[str, StringConstraints(max_length=100)] = "invited"
    platform_options: Annotated[dict[Line, OptionValue], Field(max_length=100)] = Field(
        default_factory=dict
    )
    hiring: HiringRules = Field(default_factory=HiringRules)


class CallOut(BaseModel):
    """A call that would be made."""

    name: str
    content: dict[str, Any]


class PlanOut(BaseModel):
    """What hiring would create and cost."""

    platform: str
    currency: str
    offers: list[int] = Field(description="the sessions of each that would be published now")
    calls: list[CallOut] = Field(description="what would be sent for the first of them")
    session_cost: int = Field(description="what a session costs, with fees")
    bonus_cost: int = Field(description="what a bonus costs, with fees")
    cost: int = Field(description="what would be published now costs at most")
    sessions: tuple[int, int, int] | None = Field(
        description="expected for the whole study: at least, most likely, at most"
    )
    study_cost: tuple[int, int, int] | None = Field(description="the same in money, with bonuses")
    budget: int
    free: int = Field(description="of the budget")


class ActivityOut(BaseModel):
    """Something that was done at a platform, is to be done there, or happened."""

    number: int
    platform: str
    kind: str
    state: OutboxState
    cost: int
    offer: str | None = Field(description="as the platform calls it")
    session: str | None = Field(description="as the platform calls it")
    worker: str | None
    attempts: int
    message: str
    created_at: Timestamp
    ended_at: Timestamp | None


class ActivityPage(BaseModel):
    """Some of a study's activity; `next` goes into `after` to get what follows."""

    items: list[ActivityOut]
    next: int | None = None
