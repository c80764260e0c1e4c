"""What a study pays its workers, and when."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from nextpair.app.field_types import Integer, Line

MAX_AMOUNT = 10**9
Amount = Annotated[Integer, Field(ge=0, le=MAX_AMOUNT)]
"""Money in whole minor units: cents."""


class PayOnFailure(StrEnum):
    """What happens to a submission that did not pass the study's checks."""

    PAY = "pay"
    """It is accepted all the same, without a bonus."""
    HOLD = "hold"
    """It is left to a person; many platforms accept by themselves after some days."""
    REJECT = "reject"
    """It is not paid, and the worker is told why."""


class HiringRules(BaseModel):
    """What is offered, what it may cost, and what follows from the checks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    questions: Annotated[Integer, Field(ge=1, le=10_000)] | None = Field(
        None, description="of a session; null: as many as there are"
    )
    reward: Amount = Field(0, description="for a session, in minor units (cents)")
    bonus: Amount = Field(0, description="on top, for a session that passed every check")
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    budget: Amount = Field(0, description="all that may be spent, with the platform's fees")
    sessions: Annotated[Integer, Field(ge=1, le=10**6)] | None = Field(
        None, description="the most that are offered in all; null: as the work needs"
    )
    at_once: Annotated[Integer, Field(ge=1, le=10_000)] = Field(
        9, description="sessions that are offered at the same time"
    )
    on_failure: PayOnFailure = PayOnFailure.HOLD
    reason: Line = Field(
        "Questions with known answers were not answered as the study requires.",
        description="what a worker reads whose submission is rejected",
    )
    thanks: Line = Field("Thank you for careful work.", description="what comes with a bonus")
    keep_away: bool = Field(True, description="whether who was stopped is offered nothing more")
