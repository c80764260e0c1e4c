"""What a platform is, and how one is written.

A platform lives in one file of this folder: its class is the one subclass of `Platform` that is
defined there, and says its public name as `name`. Its fields are its options, which a study gives
as `platform_options`; they never hold secrets. What only the installation may say, such as keys and
addresses that keys are sent to, are the fields of its `Access`, which come from
`NEXTPAIR_PLATFORMS__MY_PLATFORM__FIELD`. Another package adds a platform through an entry point of
the group `nextpair.platforms`, listed under the same name.

A platform only translates; policy is elsewhere: what to publish, whom to pay and what it may cost
is decided in `nextpair.app.hiring`, for all platforms alike. A platform has two halves.

- `Platform` makes no calls: who arrives (`is_preview`, `identify`, `proves`), what their page does
  in the end (`finish`), what a webhook reports (`read_webhook`), what would be sent (`plan`) and at
  what cost.
- `Account` makes the calls. Some only read: `poll`, `offer_statuses`, and `find_session` where the
  class says so by `can_find_session`. On a platform that hires, a session is not trusted before one
  of these has confirmed it. The others are the commands of the outbox: `publish`, `accept`,
  `reject`, `bonus`, `keep_away`, `expire`. Each gets a `CommandAttempt` and must be idempotent:
  send its idempotency key where the platform takes one, and where `is_retry` is set look up first
  whether the command was carried out. A command of several steps saves the ids that it is given
  after each step (`save_progress`), or for the whole study (`save_resources`). What is too long for
  one file goes to a file of the same name in `accounts/`.

Calls raise one of the errors of `PlatformError`, which decide what happens next: `PlatformDenied`
(the key is wrong: hiring pauses until someone starts it again), `PlatformUnreachable` (hiring
pauses, and is resumed automatically), `PlatformRefused` (this one command has failed, with this
message), `PlatformUncertain` (the same, but it may have been carried out: its cost stays booked as
spent).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from nextpair.app.errors import BadArrival, BadNotice, NotOffered
from nextpair.app.names import clean_name
from nextpair.app.platforms.messages import (
    Arrival,
    CommandAttempt,
    CompletionAction,
    NoAction,
    Offer,
    OfferStatus,
    PlatformEvent,
    Price,
    Receipt,
    Submission,
    Webhook,
)

DAY = 86_400.0


class QuestionDisplay(StrEnum):
    """Where workers see their questions."""

    PAGE = "page"
    """On our judging page, to which the platform sends them: an offer is a number of sessions."""
    TASKS = "tasks"
    """On the platform: an offer is a batch of questions that are chosen when it is published."""


class Access(BaseModel):
    """The installation's own settings of a platform; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Account:
    """A connection to a platform; a platform that hires implements every call."""

    def publish(self, offer: Offer, attempt: CommandAttempt) -> str:
        """Publish an offer, and return the platform's id of it."""
        raise NotOffered()

    def expire(self, offer: str, attempt: CommandAttempt) -> None:
        """Close an offer to new workers; those at work may finish."""
        raise NotOffered()

    def poll(self, offers: Sequence[str], resources: Mapping[str, Any]) -> Iterable[PlatformEvent]:
        """Report what is new about offers that are open or have undecided submissions."""
        raise NotOffered()

    def offer_statuses(self, offers: Sequence[str]) -> Iterable[OfferStatus]:
        """Report the status of offers, except of those that the platform says nothing about."""
        return ()

    def find_session(self, session: str) -> Submission | None:
        """Return one session, or None; be quick, because its worker is waiting."""
        raise NotOffered()

    def acknowledge(self, event: PlatformEvent) -> None:
        """Tell the platform that an event with a `handle` has been stored."""

    def accept(self, submission: Submission, attempt: CommandAttempt) -> None:
        """Accept and pay a submission; that it was accepted before is a success."""
        raise NotOffered()

    def reject(self, submission: Submission, reason: str, attempt: CommandAttempt) -> None:
        """Refuse to pay, with a reason for the worker to read."""
        raise NotOffered()

    def bonus(
        self, submission: Submission, amount: int, reason: str, attempt: CommandAttempt
    ) -> None:
        """Pay a bonus."""
        raise NotOffered()

    def keep_away(self, worker: str, attempt: CommandAttempt) -> None:
        """Exclude a worker from all further offers of this study."""
        raise NotOffered()

    def close(self) -> None:
        """Close the connections."""


class Platform(ABC, BaseModel):
    """A source of workers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: ClassVar[str]
    """The public name: what studies, settings and programs write. It never changes."""
    Access: ClassVar[type[Access]] = Access
    """The installation's settings of it: keys and addresses."""
    hires: ClassVar[bool] = False
    """Whether it has an account: whether anything can be published and paid there."""
    question_display: ClassVar[QuestionDisplay] = QuestionDisplay.PAGE
    max_places: ClassVar[int] = 1_000_000
    """The most sessions that one offer may have."""
    can_find_session: ClassVar[bool] = False
    """Whether its account can look up one session when a worker arrives."""

    # -- workers' browsers ----------------------------------------------------------------------

    def is_preview(self, query: Mapping[str, str]) -> bool:
        """Say whether a worker only previews the offer and has not taken it."""
        return False

    @abstractmethod
    def identify(self, query: Mapping[str, str], access: Any) -> Arrival:
        """Read who arrives from the parameters of the address; `BadArrival` if they do not say."""

    def proves(self, arrival: Arrival, idempotency_key: str, places: int) -> bool | None:
        """Say whether the address itself proves that it comes from an offer; None: none can.

        Parameters
        ----------
        idempotency_key, places
            The idempotency key of the command that published the offer, and its number of places.
        """
        return None

    @property
    def session_seconds(self) -> float:
        """How long a worker may take from accepting a session to handing it in."""
        return DAY

    def finish(self, arrival: Arrival, receipt: Receipt, access: Any) -> CompletionAction:
        """Say what a worker's page does when the session is finished."""
        return NoAction()

    def frame_ancestors(self, access: Any) -> Sequence[str]:
        """List the sites that show the judging page in a frame."""
        return ()

    def form_targets(self, access: Any) -> Sequence[str]:
        """List the sites that `finish` may post a form to."""
        return ()

    @property
    def hands_in(self) -> bool:
        """Whether workers hand something in at the end: whether `finish` returns an action."""
        return True

    # -- hiring ---------------------------------------------------------------------------------

    def price(self, offer: Offer) -> Price:
        """Return what an offer costs if all its places are taken and accepted."""
        return Price(offer.places * offer.reward, 0)

    def bonus_price(self, amount: int) -> Price:
        """Return what a bonus costs."""
        return Price(amount, 0)

    def plan(self, offer: Offer) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """List the calls that publishing makes, each with what is sent, without making them."""
        return ()

    def open(self, access: Any) -> Account:
        """Connect; `PlatformDenied` says what is missing in the access."""
        raise NotOffered()

    def read_webhook(self, webhook: Webhook, access: Any) -> Sequence[PlatformEvent]:
        """Read a webhook request; `BadNotice` if it is not from the platform."""
        raise BadNotice()


def required_parameter(query: Mapping[str, str], *names: str) -> str:
    """Return the first of some parameters that is present; it must be a valid name."""
    for name in names:
        if value := query.get(name, "").strip():
            try:
                return clean_name(value)
            except ValueError as error:
                raise BadArrival(f"the address has no name in {name!r}: {error}") from None
    raise BadArrival(f"the address lacks the parameter {names[0]!r}: open it from the platform")


def origin_of(url: str) -> str:
    """Return the origin of an address, as a Content-Security-Policy names it.

    >>> origin_of("https://Example.org:8443/a?b=c")
    'https://example.org:8443'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        # Brackets without an IPv6 address, or characters that stand for a slash or a colon.
        raise BadArrival("the address to go back to is no web address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise BadArrival("the address to go back to is no web address")
    return f"{parts.scheme}://{parts.netloc.lower()}"
