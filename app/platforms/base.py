"""What a platform is, and how one is written.

A platform lives in one file of this folder: its class is the one subclass of `Platform` that is
defined there, and says its public name as `name`. Its fields are its options, which a study gives
as `platform_options`; they never hold secrets. What only the installation may say, such as keys and
addresses that keys are sent to, are the fields of its `Access`, which come from
`NEXTPAIR_PLATFORMS__MY_PLATFORM__FIELD`. Another package adds a platform through an entry point of
the group `nextpair.platforms`, listed under the same name.

A platform is translation, not policy: what to publish, whom to pay and what it may cost is decided
in `nextpair.app.hiring`, for all platforms alike. It has two halves.

- `Platform` makes no calls: who comes (`is_preview`, `identify`, `proves`), how their page ends
  (`finish`), what was posted to us (`read_hook`), what would be sent (`plan`) and at what cost.
- `Account` makes the calls. Some only ask: `poll`, `standing` (of offers), and `session`, where the
  platform says so by `asks`. Whoever comes to a platform that hires is not believed before it has
  told of that worker's session, by any of these. The others act: `publish`, `accept`, `reject`,
  `bonus`, `keep_away`, `expire`. Each takes a `Deed` and must be safe to repeat with the same
  one: send its token where the platform knows such a thing, and where `again` is set look first
  whether it is done. A deed of several steps keeps the ids it was given after each (`keep`), or
  for the whole study (`remember`). What is too long for one file goes to a file of the same name
  in `accounts/`.

Calls raise one of the errors of `PlatformError`, which decide what happens next: `PlatformDenied`
(the key is wrong: hiring pauses until someone starts it again), `PlatformUnreachable` (it pauses,
and looks again by itself), `PlatformRefused` (this one deed has failed, with this message),
`PlatformUncertain` (the same, but it may have been done: what it costs stays counted as spent).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from nextpair.app.errors import BadArrival, BadNotice, NotOffered
from nextpair.app.names import clean_name
from nextpair.app.platforms.facts import (
    Arrival,
    Deed,
    Finish,
    Hook,
    News,
    Nothing,
    Offer,
    OfferStanding,
    Price,
    Receipt,
    Submission,
)

DAY = 86_400.0


class Shows(StrEnum):
    """Where workers see their questions."""

    PAGE = "page"
    """On our judging page, to which the platform sends them: an offer is a number of sessions."""
    TASKS = "tasks"
    """On the platform: an offer is a batch of questions that are chosen when it is published."""


class Access(BaseModel):
    """What only the installation says of a platform; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Account:
    """A platform, connected: what can be done there. A platform that hires does all of this."""

    def publish(self, offer: Offer, deed: Deed) -> str:
        """Publish an offer, and return what the platform calls it."""
        raise NotOffered()

    def expire(self, offer: str, deed: Deed) -> None:
        """Let nobody new take an offer; who has begun may end."""
        raise NotOffered()

    def poll(self, offers: Sequence[str], memory: Mapping[str, Any]) -> Iterable[News]:
        """Ask what is new about offers that are open, or that have undecided submissions."""
        raise NotOffered()

    def standing(self, offers: Sequence[str]) -> Iterable[OfferStanding]:
        """Say how offers stand there; nothing of those of which the platform tells nothing."""
        return ()

    def session(self, session: str) -> Submission | None:
        """Say how one session stands, at once, for its worker waits; None if there is none."""
        raise NotOffered()

    def heard(self, news: News) -> None:
        """Tell the platform that news with a `handle` are stored."""

    def accept(self, submission: Submission, deed: Deed) -> None:
        """Accept and pay what a worker submitted; that it is accepted already is a success."""
        raise NotOffered()

    def reject(self, submission: Submission, reason: str, deed: Deed) -> None:
        """Refuse to pay, with a reason that the worker reads."""
        raise NotOffered()

    def bonus(self, submission: Submission, amount: int, reason: str, deed: Deed) -> None:
        """Pay something on top."""
        raise NotOffered()

    def keep_away(self, worker: str, deed: Deed) -> None:
        """Offer a worker nothing more of this study."""
        raise NotOffered()

    def close(self) -> None:
        """Give back the connections."""


class Platform(ABC, BaseModel):
    """Where workers come from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: ClassVar[str]
    """The public name: what studies, settings and programs write. It never changes."""
    Access: ClassVar[type[Access]] = Access
    """What the installation says of it."""
    hires: ClassVar[bool] = False
    """Whether it has an account: whether anything can be published and paid there."""
    shows: ClassVar[Shows] = Shows.PAGE
    most_places: ClassVar[int] = 1_000_000
    """How many sessions one offer may have."""
    asks: ClassVar[bool] = False
    """Whether its account can be asked for one session (`Account.session`) when a worker comes."""

    # -- workers' browsers ----------------------------------------------------------------------

    def is_preview(self, query: Mapping[str, str]) -> bool:
        """Say whether someone only looks at the offer and has not taken it."""
        return False

    @abstractmethod
    def identify(self, query: Mapping[str, str], access: Any) -> Arrival:
        """Say who comes, from the parameters of the address; `BadArrival` if they do not tell."""

    def proves(self, arrival: Arrival, token: str, places: int) -> bool | None:
        """Say whether an arrival itself proves that it comes from an offer; None: none does.

        Parameters
        ----------
        token, places
            Of the deed that published the offer, and how many places that has.
        """
        return None

    @property
    def session_seconds(self) -> float:
        """How long a worker may have a session there before they must have handed it in."""
        return DAY

    def finish(self, arrival: Arrival, receipt: Receipt, access: Any) -> Finish:
        """Say how a worker's page ends once they have done what they came for."""
        return Nothing()

    def frame_ancestors(self, access: Any) -> Sequence[str]:
        """List the sites that show the judging page in a frame."""
        return ()

    def form_targets(self, access: Any) -> Sequence[str]:
        """List the sites that `finish` may post a form to."""
        return ()

    @property
    def hands_in(self) -> bool:
        """Whether workers have something to do when they are done: whether `finish` matters."""
        return True

    # -- hiring ---------------------------------------------------------------------------------

    def price(self, offer: Offer) -> Price:
        """Say what an offer costs if all its places are taken and accepted."""
        return Price(offer.places * offer.reward, 0)

    def bonus_price(self, amount: int) -> Price:
        """Say what a bonus costs."""
        return Price(amount, 0)

    def plan(self, offer: Offer) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """List the calls that publishing makes, each with what is sent, without making them."""
        return ()

    def open(self, access: Any) -> Account:
        """Connect; `PlatformDenied` says what is missing in the access."""
        raise NotOffered()

    def read_hook(self, hook: Hook, access: Any) -> Sequence[News]:
        """Read what was posted to us; `BadNotice` if it is not from the platform."""
        raise BadNotice()


def wanted(query: Mapping[str, str], *names: str) -> str:
    """Return the first of some parameters that is there; it must be a name as ours are."""
    for name in names:
        if value := query.get(name, "").strip():
            try:
                return clean_name(value)
            except ValueError as error:
                raise BadArrival(f"the address has no name in {name!r}: {error}") from None
    raise BadArrival(f"the address lacks the parameter {names[0]!r}: open it from the platform")


def site_of(url: str) -> str:
    """Return the site of an address, as Content-Security-Policy names it.

    >>> site_of("https://Example.org:8443/a?b=c")
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
