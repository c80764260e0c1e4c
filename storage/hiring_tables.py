"""The tables of hiring: studies that hire, offers, submissions, outbox, inbox, leader lease.

Money is whole minor units. A command is stored in the outbox, in the transaction that decides on
it, before it is sent to the platform; its row is also its line in the activity log. The names of
tables and columns are older than those of the code: `deeds` is the outbox, `notices` the inbox.
"""

from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nextpair.storage.tables import ID, Base

__all__ = [
    "Base",
    "HiringTable",
    "InboxTable",
    "LeaseTable",
    "OfferTable",
    "OutboxTable",
    "SubmissionTable",
]


class HiringTable(Base):
    """A study that hires or has hired.

    `memory` has the ids of what was created for it at the platform, which later calls need.
    """

    __tablename__ = "hirings"
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), primary_key=True)
    platform: Mapped[str]
    state: Mapped[str]
    message: Mapped[str]
    retry_at: Mapped[float | None]
    memory: Mapped[dict[str, Any]]
    changed_at: Mapped[float]


class OfferTable(Base):
    """Sessions that are, or are to be, published together.

    `price` and `bonus_price` are what one place costs with the platform's fees; `reference` is the
    platform's id of the offer. `ends_at` is when it will end by itself, as the platform said last,
    `ended_at` when it was found to have ended, and `working` how many workers the platform says had
    not handed in by then.
    """

    __tablename__ = "offers"
    id: Mapped[int] = mapped_column(ID, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    platform: Mapped[str]
    number: Mapped[int]
    places: Mapped[int]
    questions: Mapped[int]
    reward: Mapped[int]
    bonus: Mapped[int]
    price: Mapped[int]
    bonus_price: Mapped[int]
    state: Mapped[str]
    reference: Mapped[str | None]
    created_at: Mapped[float]
    ends_at: Mapped[float | None]
    ended_at: Mapped[float | None]
    working: Mapped[int | None]
    __table_args__ = (UniqueConstraint("study_id", "number"),)


class SubmissionTable(Base):
    """One worker's session, under the platform's id of it.

    The same session can pass from one worker to another, so the key has the session and the worker.
    No answer counts before the platform has confirmed that the worker has the session.
    """

    __tablename__ = "submissions"
    id: Mapped[int] = mapped_column(ID, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    platform: Mapped[str]
    session: Mapped[str]
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"))
    offer_id: Mapped[int | None] = mapped_column(ForeignKey("offers.id"))
    state: Mapped[str]
    extra: Mapped[dict[str, Any]]
    begun_at: Mapped[float]
    finished_at: Mapped[float | None]
    created_at: Mapped[float]
    confirmed_at: Mapped[float | None]
    __table_args__ = (
        UniqueConstraint("study_id", "platform", "session", "worker_id"),
        Index(None, "worker_id"),
        Index(None, "study_id", "state"),
    )


class OutboxTable(Base):
    """The outbox: commands to be carried out at platforms; and the activity log."""

    __tablename__ = "deeds"
    id: Mapped[int] = mapped_column(ID, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    platform: Mapped[str]
    kind: Mapped[str]
    token: Mapped[str]
    offer_id: Mapped[int | None] = mapped_column(ForeignKey("offers.id"))
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submissions.id"))
    worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"))
    state: Mapped[str]
    cost: Mapped[int]
    attempts: Mapped[int]
    kept: Mapped[dict[str, Any]]
    message: Mapped[str]
    created_at: Mapped[float]
    tried_at: Mapped[float | None]
    ended_at: Mapped[float | None]
    __table_args__ = (UniqueConstraint("study_id", "token"), Index(None, "study_id", "state"))


class InboxTable(Base):
    """The inbox: messages from platforms, stored until they are processed.

    `failures` counts how often a message could not be processed; after too many it is set aside as
    a dead letter.
    """

    __tablename__ = "notices"
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    content: Mapped[dict[str, Any]]
    received_at: Mapped[float]
    handled_at: Mapped[float | None]
    failures: Mapped[int] = mapped_column(BigInteger, server_default="0")


class LeaseTable(Base):
    """Leader leases: which process does what only one may do, and until when."""

    __tablename__ = "leaders"
    name: Mapped[str] = mapped_column(primary_key=True)
    holder: Mapped[str]
    until: Mapped[float]
