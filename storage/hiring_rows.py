"""What the tables of hiring hold, as plain facts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class HiringState(StrEnum):
    """Whether a study hires."""

    RUNNING = "running"
    PAUSED = "paused"
    """Nothing is done at the platform: its message says why."""
    STOPPED = "stopped"
    """Nothing more is offered; what was submitted is still decided and paid."""


class OfferState(StrEnum):
    """How an offer stands."""

    INTENDED = "intended"
    OPEN = "open"
    EXPIRED = "expired"
    """Nobody new can take it."""
    FAILED = "failed"


class SubmissionState(StrEnum):
    """How a worker's session stands."""

    WORKING = "working"
    FINISHED = "finished"
    """All was answered here; the platform has not said yet that it was handed in."""
    SUBMITTED = "submitted"
    HELD = "held"
    """Left to a person."""
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RETURNED = "returned"
    LAPSED = "lapsed"
    """Its offer has ended, or it was never confirmed, and nobody has handed it in."""


AT_WORK = (SubmissionState.WORKING, SubmissionState.FINISHED)
"""What has not been handed in yet."""
HANDED_IN = (
    SubmissionState.SUBMITTED,
    SubmissionState.HELD,
    SubmissionState.ACCEPTED,
    SubmissionState.REJECTED,
)
UNDECIDED = (
    SubmissionState.WORKING,
    SubmissionState.FINISHED,
    SubmissionState.SUBMITTED,
    SubmissionState.HELD,
)
"""What may still cost something."""


class DeedState(StrEnum):
    """How far a deed is."""

    INTENDED = "intended"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class HiringRow:
    """That a study hires, or why it does not at the moment."""

    study_id: int
    platform: str
    state: str
    message: str
    retry_at: float | None
    memory: Mapping[str, Any]
    changed_at: float


@dataclass(frozen=True, slots=True)
class OfferRow:
    """Sessions that are published together."""

    id: int
    study_id: int
    platform: str
    number: int
    places: int
    questions: int
    reward: int
    bonus: int
    price: int
    bonus_price: int
    state: str
    reference: str | None
    created_at: float
    ends_at: float | None = None
    ended_at: float | None = None
    working: int | None = None


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """One worker's session as a platform knows it."""

    id: int
    study_id: int
    platform: str
    session: str
    worker_id: int
    offer_id: int | None
    state: str
    extra: Mapping[str, Any]
    begun_at: float
    finished_at: float | None
    created_at: float
    confirmed_at: float | None = None


@dataclass(frozen=True, slots=True)
class DeedRow:
    """Something that is to be done, or was done, at a platform."""

    id: int
    study_id: int
    platform: str
    kind: str
    token: str
    offer_id: int | None
    submission_id: int | None
    worker_id: int | None
    state: str
    cost: int
    attempts: int
    kept: Mapping[str, Any]
    message: str
    created_at: float
    tried_at: float | None
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class NoticeRow:
    """What a platform told by itself."""

    study_id: int
    name: str
    content: Mapping[str, Any]
    received_at: float
    handled_at: float | None


@dataclass(frozen=True, slots=True)
class Money:
    """A study's money: what was or is being paid, and what its offers may still cost."""

    spent: int
    reserved: int

    @property
    def committed(self) -> int:
        """What it may come to if nothing more is offered."""
        return self.spent + self.reserved
