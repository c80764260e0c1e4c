"""What platforms and the service tell each other, as plain facts.

Money is whole minor units (cents) everywhere; a platform writes it as its own protocol wants it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Arrival:
    """Who comes, as the platform tells by the address it sends them to.

    Parameters
    ----------
    session
        What the platform calls this worker's piece of work: an assignment, a submission.
    offer
        What it calls the offer that they took, if it tells.
    extra
        What `finish` will want to know again.
    """

    worker: str
    session: str
    offer: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What we give a worker to show for the work that they have done here.

    Parameters
    ----------
    token
        Signed: names the study, the session and the worker.
    code
        A few letters and digits that stand for the same, to be copied by hand.
    """

    token: str
    code: str
    answered: int


@dataclass(frozen=True, slots=True)
class Form:
    """The page posts a form, as a browser does, to where the platform waits for it."""

    action: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Redirect:
    """The page goes to an address."""

    url: str


@dataclass(frozen=True, slots=True)
class Code:
    """The page shows a code, which the worker copies."""

    code: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """The worker may close the page."""


Finish = Form | Redirect | Code | Nothing
"""How a worker's page ends."""


@dataclass(frozen=True, slots=True)
class Task:
    """One question of a batch that is shown by the platform and not by the judging page.

    Parameters
    ----------
    id
        Ours; the platform carries it along with the question, and it comes back with the answer.
    known
        The right answer, of a question that checks the worker.
    """

    id: str
    topic: Mapping[str, str]
    documents: Sequence[Mapping[str, str | None]]
    known: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """Work to be published: so many sessions of so many questions, or these questions.

    Parameters
    ----------
    number
        Of this study, counted from 1.
    url
        The study's judging page as the platform opens it; it appends its own parameters.
    earlier
        What the platform called the study's offers before this one.
    news_url, ties
        Where the platform may post what is new. Of tasks: whether two may be called equal.
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
    earlier: Sequence[str] = ()
    news_url: str = ""
    ties: bool = True


@dataclass(frozen=True, slots=True)
class Price:
    """What something costs: what workers get, and what the platform takes."""

    pay: int
    fee: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.pay + self.fee


def _unfenced() -> float:
    raise NotImplementedError("this deed was made without what guards payments")


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that is to be done at a platform once, though it may take more than one attempt.

    It is stored before it is attempted, and stored as done after; in between the process may die.

    Parameters
    ----------
    token
        At most 64 characters, the same at every attempt; other deeds have others.
    again
        Whether there was an attempt before, of which nobody knows how far it came: look first
        whether it is done.
    since
        When it was first attempted.
    kept
        What earlier attempts kept: the ids of what they had made already.
    keep
        Stores something of that kind before the next step is taken.
    memory, remember
        The same, but for all deeds of the study at this platform.
    fence
        Right before what must not happen twice: raises unless this process still leads and this
        attempt is the newest, and returns the time, as `now` does: by the database's clock.
    """

    token: str
    now: float
    again: bool = False
    since: float = 0.0
    kept: Mapping[str, Any] = field(default_factory=dict)
    keep: Callable[[Mapping[str, Any]], None] = lambda _: None
    memory: Mapping[str, Any] = field(default_factory=dict)
    remember: Callable[[Mapping[str, Any]], None] = lambda _: None
    fence: Callable[[], float] = _unfenced


class Stage(StrEnum):
    """How far a worker's session has come, as the platform has it."""

    WORKING = "working"
    SUBMITTED = "submitted"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RETURNED = "returned"
    """Given back or run out of time: their questions are free again."""


@dataclass(frozen=True, slots=True)
class OfferStanding:
    """How an offer stands at the platform.

    Parameters
    ----------
    is_open
        Whether somebody new may still take it, now or once a pause there is over.
    by_person
        Whether a person has ended it, or pauses it, there.
    message
        What has happened, for whoever runs the study.
    working
        How many have taken it and not handed in yet; None where the platform does not tell.
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
    """A session as the platform has it.

    Parameters
    ----------
    worker
        None where the platform does not tell.
    receipt, code
        What the worker brought of what we gave them.
    """

    session: str
    worker: str | None
    stage: Stage
    offer: str | None = None
    receipt: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """What a worker answered to a task.

    Parameters
    ----------
    id
        What the platform calls the answer: the same id again is the same answer, perhaps changed.
    answer
        As the study's design has it; None where the answer was withdrawn.
    """

    id: str
    task: str
    worker: str
    answer: Mapping[str, Any] | None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class News:
    """What a platform has to tell: when it is asked, or by itself.

    Parameters
    ----------
    id
        The same for the same news told twice; None where that does not matter.
    offers
        Of these there is something new: look at them soon.
    handle
        What `heard` needs in order to strike it off the platform's list.
    """

    id: str | None = None
    submissions: Sequence[Submission] = ()
    answers: Sequence[TaskAnswer] = ()
    offers: Sequence[str] = ()
    handle: str | None = None


@dataclass(frozen=True, slots=True)
class Hook:
    """Something that was posted to a study's address for news."""

    headers: Mapping[str, str]
    body: bytes
