"""Rows of the hiring tables, as immutable values."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class HiringState(StrEnum):
    """Whether a study hires."""

    RUNNING = "running"
    PAUSED = "paused"
    """No commands are dispatched: the message says why."""
    STOPPED = "stopped"
    """Nothing more is offered; what was submitted is still decided on and paid."""


class OfferState(StrEnum):
    """The state of an offer here."""

    INTENDED = "intended"
    OPEN = "open"
    EXPIRED = "expired"
    """Closed to new workers."""
    FAILED = "failed"


class SubmissionState(StrEnum):
    """The state of a worker's session here."""

    WORKING = "working"
    FINISHED = "finished"
    """Everything was answered here; the platform has not reported yet that it was handed in."""
    SUBMITTED = "submitted"
    HELD = "held"
    """Left to a person to decide."""
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RETURNED = "returned"
    LAPSED = "lapsed"
    """Not handed in before its offer ended, or never confirmed by the platform."""


AT_WORK = (SubmissionState.WORKING, SubmissionState.FINISHED)
"""Not handed in yet."""
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
"""May still cost something."""


class OutboxState(StrEnum):
    """The state of an entry of the outbox."""

    INTENDED = "intended"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class HiringRow:
    """A study that hires or has hired, with the reason if it does not at the moment."""

    study_id: int
    platform: str
    state: str
    message: str
    retry_at: float | None
    memory: Mapping[str, Any]
    changed_at: float


@dataclass(frozen=True, slots=True)
class OfferRow:
    """An offer: a number of sessions that are published together."""

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
    """One worker's session, under the platform's id of it."""

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
class OutboxEntry:
    """A command for a platform, pending or carried out; or an event of the activity log.

    Parameters
    ----------
    token
        Unique in the study: the same command is enqueued once.
    attempts
        How often it was attempted; the fencing token of the newest attempt.
    kept
        The progress that attempts have saved.
    """

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
class InboxMessage:
    """A message from a platform, stored until it is processed."""

    study_id: int
    name: str
    content: Mapping[str, Any]
    received_at: float
    handled_at: float | None


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """How much of its budget a study uses.

    Parameters
    ----------
    spent
        Paid, or about to be paid by commands in the outbox.
    reserved
        The budget reservation: what open offers and undecided sessions may still cost.
    """

    spent: int
    reserved: int

    @property
    def committed(self) -> int:
        """What the study will cost at most if nothing more is offered."""
        return self.spent + self.reserved
