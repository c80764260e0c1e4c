"""A platform's account whose every answer is checked: what is odd is that platform's error."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from nextpair.app.errors import Malformed, PlatformMalformed
from nextpair.app.hiring.fault_descriptions import describe
from nextpair.app.hiring.platform_events import checked
from nextpair.app.platforms.accounts.payloads import Node
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.facts import Deed, News, Offer, OfferStanding, Submission
from nextpair.selectors.errors import NextpairError

log = logging.getLogger("nextpair")

Result = TypeVar("Result")


class GuardedAccount(Account):
    """Another account, whose surprises are errors of its platform."""

    def __init__(self, account: Account, name: str) -> None:
        self._account, self._name = account, name

    def publish(self, offer: Offer, deed: Deed) -> str:
        """Publish an offer, and return what the platform calls it, which must be a name."""
        return self._guard(lambda: Node(self._account.publish(offer, deed)).identifier())

    def expire(self, offer: str, deed: Deed) -> None:
        """Let nobody new take an offer."""
        self._guard(lambda: self._account.expire(offer, deed))

    def poll(self, offers: Sequence[str], memory: Mapping[str, Any]) -> Iterator[News]:
        """Ask what is new; each piece of news is checked before anything follows from it."""
        told = self._guard(lambda: iter(self._account.poll(offers, memory)))
        while True:
            news = self._guard(lambda: next(told, None))
            if news is None:
                return
            yield self._guard(lambda news=news: checked(news))  # type: ignore[misc]

    def standing(self, offers: Sequence[str]) -> Iterator[OfferStanding]:
        """Ask how offers stand."""
        told = self._guard(lambda: iter(self._account.standing(offers)))
        while (standing := self._guard(lambda: next(told, None))) is not None:
            yield standing

    def session(self, session: str) -> Submission | None:
        """Ask for one session."""
        return self._guard(lambda: self._account.session(session))

    def heard(self, news: News) -> None:
        """Tell the platform that news are stored."""
        self._guard(lambda: self._account.heard(news))

    def accept(self, submission: Submission, deed: Deed) -> None:
        """Accept and pay."""
        self._guard(lambda: self._account.accept(submission, deed))

    def reject(self, submission: Submission, reason: str, deed: Deed) -> None:
        """Refuse to pay."""
        self._guard(lambda: self._account.reject(submission, reason, deed))

    def bonus(self, submission: Submission, amount: int, reason: str, deed: Deed) -> None:
        """Pay something on top."""
        self._guard(lambda: self._account.bonus(submission, amount, reason, deed))

    def keep_away(self, worker: str, deed: Deed) -> None:
        """Offer a worker nothing more."""
        self._guard(lambda: self._account.keep_away(worker, deed))

    def close(self) -> None:
        """Give back the connections."""
        self._account.close()

    def _guard(self, call: Callable[[], Result]) -> Result:
        try:
            return call()
        except Malformed as error:
            raise PlatformMalformed(f"{self._name} answers oddly: {error}") from None
        except NextpairError:
            raise
        except Exception as error:
            # An answer that nobody has thought of: its words stay out of the log and the message.
            extra = {"platform": self._name, "error": describe(error)}
            log.warning("a platform's answer cannot be read", extra=extra)
            raise PlatformMalformed(f"{self._name} answers with something else") from None
