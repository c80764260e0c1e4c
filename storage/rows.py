"""The rows of the tables, as immutable dataclasses."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any


class StudyStatus(StrEnum):
    """Whether a study or a topic takes part in judging."""

    OPEN = "open"
    PAUSED = "paused"
    """No assignments are issued; answers are still accepted."""
    CLOSED = "closed"
    """No assignments are issued, no answers accepted."""


class WorkerStatus(StrEnum):
    """Whether a worker gets questions."""

    ACTIVE = "active"
    BLOCKED = "blocked"
    """By the study's owner."""
    STOPPED = "stopped"
    """By the study's quality rules."""


class Purpose(StrEnum):
    """Why a question is asked; a worker cannot tell."""

    WORK = "work"
    TRAP = "trap"
    """A gold question among the work: its answer is known."""
    QUIZ = "quiz"
    """A gold question that comes before all work."""
    REPEAT = "repeat"
    """The worker has answered the same question before."""
    AUDIT = "audit"
    """A random pair that is left out of every fit, to measure how well the fit predicts it."""


BY_QUALITY = "quality"
"""Author of a retraction that follows from a failed check."""

UNDO, BY_WORKER = "undo", "worker"
"""Reason and author of a retraction by which a worker has undone their answer."""

FIRST_GOLD_POSITION = 10**9
"""From this position on, documents are outside the pool: only gold questions show them."""


class State(StrEnum):
    """The state of an assignment; one whose lease has expired is still open."""

    OPEN = "open"
    HELD = "held"
    """Answered in an unconfirmed session: the answer is in quarantine, and does not count yet."""
    LAPSED = "lapsed"
    """Of a session that the platform never confirmed: its answer was dropped."""
    ANSWERED = "answered"
    SKIPPED = "skipped"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A study."""

    id: int
    name: str
    settings: dict[str, Any]
    status: str
    version: int
    created_at: float


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic, without its documents."""

    id: int
    study_id: int
    name: str
    title: str
    description: str
    narrative: str
    seed: int
    documents: int
    fingerprint: str
    status: str
    version: int
    position: int
    asked: int
    created_at: float
    golds: int = 0
    understanding: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class TopicHead:
    """The head of a topic's log, with the versions that a compare-and-swap expects.

    `version` counts the changes of the topic and its assignments, `position` the entries of its
    log, `asked` its assignments, and `golds` its gold questions.
    """

    study_id: int
    study_version: int
    study_status: str
    status: str
    version: int
    position: int
    asked: int
    golds: int = 0


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as people see it."""

    position: int
    name: str
    title: str
    text: str
    html: str | None
    url: str | None
    features: dict[str, float | None] | None
    prior: float | None


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A worker of a study."""

    id: int
    name: str
    status: str
    created_at: float


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """A question that was issued to a worker, with a lease."""

    topic_id: int
    number: int
    worker_id: int
    first: int
    second: int
    swapped: bool
    state: str
    attempt: int
    version: int
    expires_at: float
    request: str | None
    created_at: float
    purpose: str = Purpose.WORK
    subject: int | None = None
    batch: int | None = None
    reason: str | None = None
    submission_id: int | None = None
    quarantine: int | None = None
    held: dict[str, Any] | None = None

    @property
    def pair(self) -> tuple[int, int]:
        """The positions of its documents, the smaller first."""
        return self.first, self.second

    @property
    def sides(self) -> tuple[int, int]:
        """The positions of the documents on the left and on the right."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """One entry of the log."""

    topic_id: int
    number: int
    assignment: int
    attempt: int
    worker_id: int
    first: int
    second: int
    outcome: str | None
    answer: dict[str, Any]
    seconds: float | None
    created_at: float
    purpose: str = Purpose.WORK
    subject: int | None = None
    correct: bool | None = None


@dataclass(frozen=True, slots=True)
class RetractionRow:
    """A judgment that no longer counts."""

    topic_id: int
    judgment: int
    number: int
    reason: str
    by: str
    created_at: float


@dataclass(frozen=True, slots=True)
class GoldRow:
    """A gold question: its answer is known."""

    topic_id: int
    number: int
    first: int
    second: int
    answer: dict[str, Any]
    quiz: bool
    created_at: float

    @property
    def pair(self) -> tuple[int, int]:
        """The positions of its documents, the smaller first."""
        return self.first, self.second


class Check(StrEnum):
    """What a verdict is on."""

    BATCH = "batch"
    QUIZ = "quiz"
    UNDERSTANDING = "understanding"


class VerdictEffect(StrEnum):
    """What follows from a verdict."""

    NONE = "none"
    ASK_AGAIN = "ask_again"
    """The answers are retracted, and the same questions asked of the same worker again."""
    IGNORE = "ignore"
    """The answers are retracted."""
    STOP = "stop"
    """The worker gets no more questions."""
    STOP_AND_IGNORE = "stop_and_ignore"
    """Both."""


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A verdict on a worker's batch, quiz or comprehension question on a topic."""

    topic_id: int
    worker_id: int
    check: str
    number: int
    attempt: int
    passed: bool
    effect: str
    details: dict[str, Any]
    created_at: float


@dataclass(frozen=True, slots=True)
class KeyRow:
    """An API key: its hash, not the key itself."""

    id: str
    hash: str
    scope: str
    label: str
    created_at: float
    revoked_at: float | None
    expires_at: float | None = None
    parent: str | None = None


def values_of(row: AssignmentRow | JudgmentRow) -> dict[str, Any]:
    """Return a row's values by their names.

    Not asdict: it copies deeply, which is slow, and this runs for every assignment and answer.
    """
    return {name: getattr(row, name) for name in _NAMES[type(row)]}


_NAMES: dict[type, tuple[str, ...]] = {
    kind: tuple(column.name for column in fields(kind)) for kind in (AssignmentRow, JudgmentRow)
}
