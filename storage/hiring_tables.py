"""The tables of hiring: what was published, who came and was paid, and everything that was done.

Money is whole minor units. A deed is stored as intended before it is done at a platform, and as
done after; its row is also its line in the activity log.
"""

from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nextpair.storage.tables import ID, Base

__all__ = ["Base", "Deed", "Hiring", "Leader", "Notice", "Offer", "Submission"]


class Hiring(Base):
    """That a study hires, or why it does not at the moment.

    `memory` is what its platform has made for it: ids that later calls need.
    """

    __tablename__ = "hirings"
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), primary_key=True)
    platform: Mapped[str]
    state: Mapped[str]
    message: Mapped[str]
    retry_at: Mapped[float | None]
    memory: Mapped[dict[str, Any]]
    changed_at: Mapped[float]


class Offer(Base):
    """Sessions that are, or are to be, published together.

    `price` and `bonus_price` are what one place costs with the platform's fees; `reference` is what
    the platform calls it. `ends_at` is when it will end by itself, as the platform said last,
    `ended_at` when it was seen to have ended, and `working` how many workers the platform says had
    not handed in yet then.
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


class Submission(Base):
    """One worker's session as a platform knows it.

    What a platform calls a session can come to two workers, one after the other, so both name it.
    Nothing counts before the platform has `confirmed` that the worker has the session.
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


class Deed(Base):
    """Something that is to be done, or was done, at a platform; or that happened there."""

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


class Notice(Base):
    """What a platform told by itself, kept until it is looked at.

    `failures` counts how often it could not be taken in.
    """

    __tablename__ = "notices"
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    content: Mapped[dict[str, Any]]
    received_at: Mapped[float]
    handled_at: Mapped[float | None]
    failures: Mapped[int] = mapped_column(BigInteger, server_default="0")


class Leader(Base):
    """Which process does what only one may do, until when."""

    __tablename__ = "leaders"
    name: Mapped[str] = mapped_column(primary_key=True)
    holder: Mapped[str]
    until: Mapped[float]
