"""The tables: studies, topics and their documents, workers, assignments, and the judgment log.

Times are seconds since 1970, UTC. Documents are referenced by their position in the topic, as in
the selectors' state. `judgments` and `retractions` are an append-only log; both take their numbers
from the topic's `position`, so that one number says up to where a process has read the log.
"""

from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# SQLite has autoincrement only for a column of exactly this type.
ID = BigInteger().with_variant(Integer, "sqlite")


class Base(DeclarativeBase):
    """All tables; constraints have names, so that migrations can refer to them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        str: Text,
        float: Double,
        int: BigInteger,
        dict[str, Any]: JSON(none_as_null=True),
    }


class SecretTable(Base):
    """The secret with which all processes of this installation sign tokens."""

    __tablename__ = "secrets"
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class KeyTable(Base):
    """An API key: only its hash is kept.

    The key of a browser that was signed in has an end, and as `parent` the key that signed it in:
    revoking that revokes this.
    """

    __tablename__ = "keys"
    id: Mapped[str] = mapped_column(primary_key=True)
    hash: Mapped[str]
    scope: Mapped[str]
    label: Mapped[str]
    created_at: Mapped[float]
    revoked_at: Mapped[float | None]
    expires_at: Mapped[float | None]
    parent: Mapped[str | None]


class SignInTable(Base):
    """A one-time code that a browser exchanges for a key of its own: only its hash is kept."""

    __tablename__ = "sign_ins"
    hash: Mapped[str] = mapped_column(primary_key=True)
    key_id: Mapped[str] = mapped_column(ForeignKey("keys.id"))
    expires_at: Mapped[float]


class RequestTable(Base):
    """The response to a creating call by its idempotency key: a repetition gets the same one."""

    __tablename__ = "requests"
    key_id: Mapped[str] = mapped_column(ForeignKey("keys.id"), primary_key=True)
    idempotency_key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    answer: Mapped[dict[str, Any]]
    created_at: Mapped[float]


class StudyTable(Base):
    """A set of topics judged under the same settings."""

    __tablename__ = "studies"
    id: Mapped[int] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    settings: Mapped[dict[str, Any]]
    status: Mapped[str]
    version: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[float]


class UploadTable(Base):
    """Topics that are being stored, in many small transactions, and are not to be seen yet.

    Whoever stores them renews it with each transaction. One that was not renewed for long is
    `abandoned`: what it has stored is removed, and nothing can be added to it.
    """

    __tablename__ = "uploads"
    id: Mapped[str] = mapped_column(primary_key=True)
    renewed_at: Mapped[float]
    abandoned: Mapped[bool]


class TopicTable(Base):
    """An information need, and the head of its log.

    `version` grows with every change to the topic or its assignments, `position` with the log, and
    `asked` with the assignments. A topic of an upload belongs to a study that nobody can name.
    """

    __tablename__ = "topics"
    id: Mapped[int] = mapped_column(ID, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    name: Mapped[str]
    title: Mapped[str]
    description: Mapped[str]
    narrative: Mapped[str]
    seed: Mapped[int]
    documents: Mapped[int]
    fingerprint: Mapped[str]
    status: Mapped[str]
    version: Mapped[int] = mapped_column(default=0)
    position: Mapped[int] = mapped_column(default=0)
    asked: Mapped[int] = mapped_column(default=0)
    golds: Mapped[int] = mapped_column(server_default="0", default=0)
    understanding: Mapped[dict[str, Any] | None]
    created_at: Mapped[float]
    upload_id: Mapped[str | None]
    __table_args__ = (
        UniqueConstraint("study_id", "name"),
        Index(
            "ix_topics_upload_id",
            "upload_id",
            sqlite_where=text("upload_id IS NOT NULL"),
            postgresql_where=text("upload_id IS NOT NULL"),
        ),
    )


class DocumentTable(Base):
    """An item to be judged, or one that only gold questions show.

    The latter have positions from `nextpair.storage.rows.FIRST_GOLD_POSITION` on, so that they do
    not belong to the pool that the selector orders.
    """

    __tablename__ = "documents"
    topic_id: Mapped[int] = mapped_column(ForeignKey("topics.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    title: Mapped[str]
    text: Mapped[str]
    html: Mapped[str | None]
    url: Mapped[str | None]
    features: Mapped[dict[str, Any] | None]
    prior: Mapped[float | None]
    __table_args__ = (UniqueConstraint("topic_id", "name"),)


class WorkerTable(Base):
    """Someone who judges in a study."""

    __tablename__ = "workers"
    id: Mapped[int] = mapped_column(ID, primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    name: Mapped[str]
    status: Mapped[str]
    created_at: Mapped[float]
    __table_args__ = (UniqueConstraint("study_id", "name"),)


class AssignmentTable(Base):
    """One question issued to one worker, with a lease.

    A worker and a pair have at most one assignment for each purpose, ever: a unique constraint
    makes sure that nobody gets a pair twice. An expired lease is renewed in place, and an answer
    that is undone opens the same assignment again as its next `attempt`. A question about a single
    document has it on both sides; one that reviews a judgment has its number as `subject`. A
    skipped one has the `reason` that the worker gave.

    `submission_id` is the platform's session in which it was issued, if that was not confirmed
    then, and `quarantine` is the same until it is confirmed: until then the answer is stored here
    as `held`, and is not in the log.
    """

    __tablename__ = "assignments"
    topic_id: Mapped[int] = mapped_column(ForeignKey("topics.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"))
    first: Mapped[int]
    second: Mapped[int]
    swapped: Mapped[bool]
    state: Mapped[str]
    attempt: Mapped[int]
    version: Mapped[int]
    expires_at: Mapped[float]
    request: Mapped[str | None]
    created_at: Mapped[float]
    purpose: Mapped[str] = mapped_column(server_default="work", default="work")
    subject: Mapped[int | None]
    batch: Mapped[int | None]
    reason: Mapped[str | None]
    submission_id: Mapped[int | None]
    quarantine: Mapped[int | None]
    held: Mapped[dict[str, Any] | None]
    __table_args__ = (
        UniqueConstraint("topic_id", "worker_id", "first", "second", "purpose"),
        CheckConstraint("first <= second", name="ordered"),
        Index(None, "topic_id", "version"),
        Index(None, "worker_id", "request"),
        Index(
            "ix_assignments_unanswered",
            "topic_id",
            sqlite_where=text("state != 'answered'"),
            postgresql_where=text("state != 'answered'"),
        ),
        Index(
            "ix_assignments_aside",
            "topic_id",
            sqlite_where=text("purpose != 'work'"),
            postgresql_where=text("purpose != 'work'"),
        ),
        Index(
            "ix_assignments_quarantine",
            "quarantine",
            sqlite_where=text("quarantine IS NOT NULL"),
            postgresql_where=text("quarantine IS NOT NULL"),
        ),
    )


class JudgmentTable(Base):
    """The answer to one assignment; `outcome` is of the first document against the second.

    `correct` says whether a question with a known answer was answered right.
    """

    __tablename__ = "judgments"
    topic_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    assignment: Mapped[int]
    attempt: Mapped[int]
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"))
    first: Mapped[int]
    second: Mapped[int]
    outcome: Mapped[str | None]
    answer: Mapped[dict[str, Any]]
    seconds: Mapped[float | None]
    created_at: Mapped[float]
    purpose: Mapped[str] = mapped_column(server_default="work", default="work")
    subject: Mapped[int | None]
    correct: Mapped[bool | None]
    __table_args__ = (
        ForeignKeyConstraint(
            ["topic_id", "assignment"], ["assignments.topic_id", "assignments.number"]
        ),
        UniqueConstraint("topic_id", "assignment", "attempt"),
        Index(None, "worker_id", "created_at"),
    )


class RetractionTable(Base):
    """A judgment that no longer counts, and why."""

    __tablename__ = "retractions"
    topic_id: Mapped[int] = mapped_column(primary_key=True)
    judgment: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int]
    reason: Mapped[str]
    by: Mapped[str]
    created_at: Mapped[float]
    __table_args__ = (
        ForeignKeyConstraint(["topic_id", "judgment"], ["judgments.topic_id", "judgments.number"]),
        Index(None, "topic_id", "number"),
    )


class GoldTable(Base):
    """A gold question: a trap among the work, or part of the quiz."""

    __tablename__ = "golds"
    topic_id: Mapped[int] = mapped_column(ForeignKey("topics.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    first: Mapped[int]
    second: Mapped[int]
    answer: Mapped[dict[str, Any]]
    quiz: Mapped[bool]
    created_at: Mapped[float]
    __table_args__ = (
        UniqueConstraint("topic_id", "first", "second", "quiz"),
        CheckConstraint("first <= second", name="ordered"),
    )


class VerdictTable(Base):
    """A verdict on a worker's batch, quiz or comprehension question on a topic.

    `number` is the batch's, 0 of the others; `effect` is what followed from it.
    """

    __tablename__ = "verdicts"
    topic_id: Mapped[int] = mapped_column(ForeignKey("topics.id"), primary_key=True)
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"), primary_key=True)
    check: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True)
    passed: Mapped[bool]
    effect: Mapped[str]
    details: Mapped[dict[str, Any]]
    created_at: Mapped[float]
    __table_args__ = (Index(None, "worker_id"),)
