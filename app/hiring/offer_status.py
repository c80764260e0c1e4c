"""The status of offers at their platform: they expire by themselves, or a person ends them."""

from nextpair.app.hiring.outbox import ActivityEvent, record_activity
from nextpair.app.hiring.task_offers import PROXY_PREFIX
from nextpair.app.judging.release import release_leases
from nextpair.app.platforms.base import Account, QuestionDisplay
from nextpair.app.platforms.messages import OfferStatus
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.storage import hirings, offers, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    AT_WORK,
    HiringRow,
    HiringState,
    OfferRow,
    OfferState,
)

LATE_SECONDS = 8 * 86_400
"""How long the status of an ended offer is checked, while someone may still hand in."""
EARLIER_SECONDS = 60.0
"""An offer that ends by more than this before its set time was ended by a person."""


class OfferStatusCheck:
    """Checks once the status of a study's offers at their platform."""

    def __init__(
        self, service: ServiceContext, study: Study, hiring: HiringRow, account: Account, now: float
    ) -> None:
        self._service, self._study, self._hiring = service, study, hiring
        self._account, self._now = account, now
        self._stopped: list[str] = []
        self._paused: list[str] = []

    def run(self) -> bool:
        """Check, and store what has ended; return whether more may be offered.

        If a person has ended or paused an offer there, no other offer takes its place before
        somebody publishes again or resumes it. An offer that has expired by itself is replaced.
        """
        self._stop_waiting()
        by_reference = {offer.reference: offer for offer in self._to_check() if offer.reference}
        for status in self._account.offer_statuses(list(by_reference)):
            self._apply(by_reference[status.offer], status)
        self._store_reason()
        return not self._stopped and not self._paused

    def _stop_waiting(self) -> None:
        """Count nobody as at work on an offer that ended too long ago to be checked."""
        with self._service.database.read() as connection:
            all_offers = offers.list_offers(connection, self._study.id)
        for offer in all_offers:
            if offer.state == OfferState.EXPIRED and offer.working and not self._is_recent(offer):
                self._change(offer, working=0)

    def _to_check(self) -> list[OfferRow]:
        with self._service.database.read() as connection:
            all_offers = offers.list_offers(connection, self._study.id)
            at_work = offers.submissions_in_state(connection, self._study.id, AT_WORK)
        with_work = {submission.offer_id for submission in at_work}
        return [
            offer
            for offer in all_offers
            if offer.state == OfferState.OPEN or self._may_be_worked_on(offer, with_work)
        ]

    def _may_be_worked_on(self, offer: OfferRow, with_work: set[int | None]) -> bool:
        """Say whether someone may still be working on an offer that has ended."""
        expected = offer.working != 0 or offer.id in with_work
        return offer.state == OfferState.EXPIRED and expected and self._is_recent(offer)

    def _is_recent(self, offer: OfferRow) -> bool:
        return self._now - (offer.ended_at or offer.created_at) < LATE_SECONDS

    def _apply(self, offer: OfferRow, status: OfferStatus) -> None:
        if offer.state == OfferState.EXPIRED:
            if status.working != offer.working:
                self._change(offer, working=status.working)
            return
        ends_at = status.ends_at
        ended = not status.is_open or (ends_at is not None and ends_at <= self._now)
        if ended:
            self._end(offer, status)
            return
        if status.by_person:
            self._paused.append(status.message)
        if ends_at != offer.ends_at:
            self._change(offer, ends_at=ends_at)

    def _change(self, offer: OfferRow, **values: object) -> None:
        with self._service.database.write() as connection:
            offers.change_offer(connection, offer.id, **values)

    def _end(self, offer: OfferRow, status: OfferStatus) -> None:
        early = (
            status.ends_at is not None
            and offer.ends_at is not None
            and status.ends_at < offer.ends_at - EARLIER_SECONDS
        )
        message = status.message or f"offer {offer.reference} ran out at the platform"
        if early:
            message = f"offer {offer.reference} was ended at the platform before its time"
        if status.by_person or early:
            self._stopped.append(message)
        with self._service.database.write() as connection:
            values = {"state": OfferState.EXPIRED, "ended_at": self._now}
            offers.change_offer(connection, offer.id, working=status.working, **values)
            columns = {"offer_id": offer.id}
            record_activity(
                connection,
                self._hiring,
                ActivityEvent.END,
                offer.number,
                message,
                self._now,
                **columns,
            )
        if self._study.platform.question_display is QuestionDisplay.TASKS:
            self._release_questions(offer)

    def _release_questions(self, offer: OfferRow) -> None:
        """Release the questions that this offer's proxy worker holds."""
        name = f"{PROXY_PREFIX}{offer.number}"
        with self._service.database.read() as connection:
            worker = studies.find_worker(connection, self._study.id, name)
        if worker is not None:
            release_leases(self._service, worker.id, self._now)

    def _store_reason(self) -> None:
        """Store why hiring stops, or what it waits for."""
        if self._hiring.state != HiringState.RUNNING:
            return
        message = (self._stopped or self._paused or [""])[0]
        with self._service.database.write() as connection:
            current = hirings.find_hiring(connection, self._study.id)
            if current is None or current.state != HiringState.RUNNING:
                # Somebody has changed the state in between.
                return
            if self._stopped:
                self._stop(connection, f"{message}; publish again to go on")
            elif current.message != message and current.retry_at is None:
                hirings.set_hiring_state(
                    connection, self._study.id, HiringState.RUNNING, self._now, message=message
                )

    def _stop(self, connection: Connection, message: str) -> None:
        state = HiringState.STOPPED
        hirings.set_hiring_state(connection, self._study.id, state, self._now, message=message)
        record_activity(
            connection, self._hiring, ActivityEvent.STOP, repr(self._now), message, self._now
        )
