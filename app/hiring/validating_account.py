"""A decorator of accounts that validates every answer of the platform.

Whatever is wrong with an answer becomes an error of that platform, so that it pauses one study and
stops no other.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from nextpair.app.errors import Malformed, PlatformMalformed
from nextpair.app.hiring.platform_events import validated
from nextpair.app.hiring.redaction import redacted_trace
from nextpair.app.platforms.accounts.payloads import JsonNode
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.messages import (
    CommandAttempt,
    Offer,
    OfferStatus,
    PlatformEvent,
    Submission,
)
from nextpair.selectors.errors import NextpairError

log = logging.getLogger("nextpair")

Result = TypeVar("Result")


class ValidatingAccount(Account):
    """Passes every call on to another account, and validates what it returns."""

    def __init__(self, account: Account, name: str) -> None:
        self._account, self._name = account, name

    def publish(self, offer: Offer, attempt: CommandAttempt) -> str:
        """Publish an offer, and return the platform's id of it, which must be an identifier."""
        return self._guard(lambda: JsonNode(self._account.publish(offer, attempt)).identifier())

    def expire(self, offer: str, attempt: CommandAttempt) -> None:
        """Close an offer to new workers."""
        self._guard(lambda: self._account.expire(offer, attempt))

    def poll(self, offers: Sequence[str], resources: Mapping[str, Any]) -> Iterator[PlatformEvent]:
        """Poll; each event is validated before anything follows from it."""
        events = self._guard(lambda: iter(self._account.poll(offers, resources)))
        while True:
            event = self._guard(lambda: next(events, None))
            if event is None:
                return
            yield self._guard(lambda event=event: validated(event))  # type: ignore[misc]

    def offer_statuses(self, offers: Sequence[str]) -> Iterator[OfferStatus]:
        """Report the status of offers."""
        statuses = self._guard(lambda: iter(self._account.offer_statuses(offers)))
        while (status := self._guard(lambda: next(statuses, None))) is not None:
            yield status

    def find_session(self, session: str) -> Submission | None:
        """Return one session, or None."""
        return self._guard(lambda: self._account.find_session(session))

    def acknowledge(self, event: PlatformEvent) -> None:
        """Tell the platform that an event has been stored."""
        self._guard(lambda: self._account.acknowledge(event))

    def accept(self, submission: Submission, attempt: CommandAttempt) -> None:
        """Accept and pay."""
        self._guard(lambda: self._account.accept(submission, attempt))

    def reject(self, submission: Submission, reason: str, attempt: CommandAttempt) -> None:
        """Refuse to pay."""
        self._guard(lambda: self._account.reject(submission, reason, attempt))

    def bonus(
        self, submission: Submission, amount: int, reason: str, attempt: CommandAttempt
    ) -> None:
        """Pay a bonus."""
        self._guard(lambda: self._account.bonus(submission, amount, reason, attempt))

    def keep_away(self, worker: str, attempt: CommandAttempt) -> None:
        """Exclude a worker from further offers."""
        self._guard(lambda: self._account.keep_away(worker, attempt))

    def close(self) -> None:
        """Close the connections."""
        self._account.close()

    def _guard(self, call: Callable[[], Result]) -> Result:
        try:
            return call()
        except Malformed as error:
            raise PlatformMalformed(f"{self._name} answers oddly: {error}") from None
        except NextpairError:
            raise
        except Exception as error:
            # An answer that nobody has foreseen: its content stays out of the log and the message.
            extra = {"platform": self._name, "error": redacted_trace(error)}
            log.warning("a platform's answer cannot be read", extra=extra)
            raise PlatformMalformed(f"{self._name} answers with something else") from None
