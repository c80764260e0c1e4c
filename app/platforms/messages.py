"""Messages between platforms and the service, as immutable values.

Money is whole minor units (cents) everywhere; a platform converts it to what its protocol needs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Arrival:
    """A worker who opens the judging page, as named by the address the platform sent them to.

    Parameters
    ----------
    session
        The platform's id of this worker's piece of work: an assignment, a submission.
    offer
        The platform's id of the offer that they took, if the address has it.
    extra
        Values that `finish` will need again.
    """

    worker: str
    session: str
    offer: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A proof that a worker has finished a session here, for them to hand in at the platform.

    Parameters
    ----------
    token
        Signed: names the study, the session and the worker.
    code
        A few letters and digits that prove the same, to be copied by hand.
    """

    token: str
    code: str
    answered: int


@dataclass(frozen=True, slots=True)
class FormPost:
    """The page posts a form to the platform, as a browser does."""

    action: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Redirect:
    """The page goes to an address."""

    url: str


@dataclass(frozen=True, slots=True)
class CompletionCode:
    """The page shows a code, which the worker copies."""

    code: str


@dataclass(frozen=True, slots=True)
class NoAction:
    """The worker may close the page."""


CompletionAction = FormPost | Redirect | CompletionCode | NoAction
"""What a worker's page does when the session is finished."""


@dataclass(frozen=True, slots=True)
class Task:
    """One question of a batch that is shown by the platform and not by the judging page.

    Parameters
    ----------
    id
        Our id; the platform stores it with the question and returns it with the answer.
    gold_answer
        The correct answer of a gold question, which checks the worker.
    """

    id: str
    topic: Mapping[str, str]
    documents: Sequence[Mapping[str, str | None]]
    gold_answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """Work to publish: a number of sessions of a number of questions each, or a batch of tasks.

    Parameters
    ----------
    number
        Of this study, counted from 1.
    url
        The study's judging page as the platform opens it; it appends its own parameters.
    earlier_offers
        The platform's ids of the study's offers before this one.
    webhook_url
        Where the platform may post its events.
    ties_allowed
        Of tasks: whether two documents may be called equal.
    """

    study: str
    number: int
    title: str
    instructions: str
    url: str
    places: int
    questions: int
    reward: int
    currency: str
    tasks: Sequence[Task] = ()
    earlier_offers: Sequence[str] = ()
    webhook_url: str = ""
    ties_allowed: bool = True


@dataclass(frozen=True, slots=True)
class Price:
    """What something costs: the workers' pay and the platform's fee."""

    pay: int
    fee: int

    @property
    def total(self) -> int:
        """Pay and fee together."""
        return self.pay + self.fee


def _no_fence() -> float:
    raise NotImplementedError("this attempt was made without a fence for payments")


@dataclass(frozen=True, slots=True)
class CommandAttempt:
    """One attempt at a command of the outbox, as an account gets it.

    Commands are delivered at least once: each is stored before its first attempt and marked as
    done after it, and the process may die in between. A call is made effectively once by the
    idempotency key, by looking up what an earlier attempt did, and by the fence. Where a platform
    offers none of these, a payment is sent at most once and reported as uncertain.

    Parameters
    ----------
    idempotency_key
        At most 64 characters, the same at every attempt; no other command has it.
    is_retry
        Whether there was an attempt before. Nobody knows how far it got: look up first whether
        the command was carried out.
    first_attempt_at
        When the command was first attempted.
    progress
        What earlier attempts have saved: the ids of what they had created already.
    save_progress
        Stores such values before the next step is taken.
    resources, save_resources
        The same, but shared by all commands of the study: a job, a group, a webhook subscription.
    fence
        To be called right before a step that must not happen twice. It raises unless this process
        still holds the leader lease and this attempt is the newest of the command (its number is
        the fencing token). It returns the time by the database's clock, as in `now`.
    """

    idempotency_key: str
    now: float
    is_retry: bool = False
    first_attempt_at: float = 0.0
    progress: Mapping[str, Any] = field(default_factory=dict)
    save_progress: Callable[[Mapping[str, Any]], None] = lambda _: None
    resources: Mapping[str, Any] = field(default_factory=dict)
    save_resources: Callable[[Mapping[str, Any]], None] = lambda _: None
    fence: Callable[[], float] = _no_fence


class Stage(StrEnum):
    """How far a worker's session has got, according to the platform."""

    WORKING = "working"
    SUBMITTED = "submitted"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RETURNED = "returned"
    """Given back or timed out: its open questions can be asked of others."""


@dataclass(frozen=True, slots=True)
class OfferStatus:
    """The status of an offer at the platform.

    Parameters
    ----------
    is_open
        Whether new workers may still take it, now or after a pause.
    by_person
        Whether a person has ended or paused it at the platform.
    message
        What has happened, for the owner of the study.
    working
        How many workers have taken it and not handed in yet; None where the platform does not say.
    ends_at
        When it ends by itself, if it does.
    """

    offer: str
    is_open: bool
    by_person: bool = False
    message: str = ""
    working: int | None = None
    ends_at: float | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """A session according to the platform.

    The inbox stores these fields by name; a renamed field could not be read back.

    Parameters
    ----------
    worker
        None where the platform does not name the worker.
    receipt, code
        What the worker handed in of our `Receipt`.
    """

    session: str
    worker: str | None
    stage: Stage
    offer: str | None = None
    receipt: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """A worker's answer to a task. Its fields are stored by name, as those of `Submission`.

    Parameters
    ----------
    id
        The platform's id of the answer: the same id again is the same answer, possibly changed.
    answer
        As the study's design has it; None where the answer was withdrawn.
    """

    id: str
    task: str
    worker: str
    answer: Mapping[str, Any] | None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class PlatformEvent:
    """What a platform reports, in a webhook, in a queue or when it is polled.

    Its fields are stored by name, as those of `Submission`.

    Parameters
    ----------
    id
        The same when the same event is delivered again; None where a repetition does no harm.
    offers
        Offers of which something has changed: poll them soon.
    handle
        What `acknowledge` needs in order to remove the event from the platform's queue.
    """

    id: str | None = None
    submissions: Sequence[Submission] = ()
    answers: Sequence[TaskAnswer] = ()
    offers: Sequence[str] = ()
    handle: str | None = None


@dataclass(frozen=True, slots=True)
class Webhook:
    """A request that was posted to a study's webhook address."""

    headers: Mapping[str, str]
    body: bytes
