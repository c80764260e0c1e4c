"""Whether what is on offer still stands: platforms end offers by themselves, and so do people."""

from nextpair.app.hiring.outbox import Note, note
from nextpair.app.hiring.task_offers import STAND_IN
from nextpair.app.judging.release import release
from nextpair.app.platforms.base import Account, Shows
from nextpair.app.platforms.facts import OfferStanding
from nextpair.app.runtime.service import Service
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
"""How long an offer is asked about after its end, while someone may still hand in."""
EARLIER_SECONDS = 60.0
"""By how much an offer must end before the time that was set for it, to have been ended by hand."""


class Standings:
    """One look at how a study's offers stand at their platform."""

    def __init__(
        self, service: Service, study: Study, hiring: HiringRow, account: Account, now: float
    ) -> None:
        self._service, self._study, self._hiring = service, study, hiring
        self._account, self._now = account, now
        self._stopped: list[str] = []
        self._paused: list[str] = []

    def ask(self) -> bool:
        """Ask, and write down what has ended; say whether more may be offered.

        A person who ends or pauses an offer there means it: nothing takes its place before
        somebody publishes again, or lets it go on. What ran out by itself is free to be offered
        anew.
        """
        self._stop_waiting()
        known = {one.reference: one for one in self._asked() if one.reference}
        for standing in self._account.standing(list(known)):
            self._take(known[standing.offer], standing)
        self._say()
        return not self._stopped and not self._paused

    def _stop_waiting(self) -> None:
        """Take nobody to be at work on an offer that ended so long ago that it is asked no more."""
        with self._service.database.read() as connection:
            made = offers.list_offers(connection, self._study.id)
        for offer in made:
            if offer.state == OfferState.EXPIRED and offer.working and not self._is_late(offer):
                self._change(offer, working=0)

    def _asked(self) -> list[OfferRow]:
        with self._service.database.read() as connection:
            made = offers.list_offers(connection, self._study.id)
            came = offers.submissions_in(connection, self._study.id, AT_WORK)
        at_work = {one.offer_id for one in came}
        return [one for one in made if one.state == OfferState.OPEN or self._matters(one, at_work)]

    def _matters(self, offer: OfferRow, at_work: set[int | None]) -> bool:
        """Say whether someone may still be working on an offer that has ended."""
        expected = offer.working != 0 or offer.id in at_work
        return offer.state == OfferState.EXPIRED and expected and self._is_late(offer)

    def _is_late(self, offer: OfferRow) -> bool:
        return self._now - (offer.ended_at or offer.created_at) < LATE_SECONDS

    def _take(self, offer: OfferRow, standing: OfferStanding) -> None:
        if offer.state == OfferState.EXPIRED:
            if standing.working != offer.working:
                self._change(offer, working=standing.working)
            return
        ends_at = standing.ends_at
        ended = not standing.is_open or (ends_at is not None and ends_at <= self._now)
        if ended:
            self._end(offer, standing)
            return
        if standing.by_person:
            self._paused.append(standing.message)
        if ends_at != offer.ends_at:
            self._change(offer, ends_at=ends_at)

    def _change(self, offer: OfferRow, **values: object) -> None:
        with self._service.database.write() as connection:
            offers.change_offer(connection, offer.id, **values)

    def _end(self, offer: OfferRow, standing: OfferStanding) -> None:
        early = (
            standing.ends_at is not None
            and offer.ends_at is not None
            and standing.ends_at < offer.ends_at - EARLIER_SECONDS
        )
        message = standing.message or f"offer {offer.reference} ran out at the platform"
        if early:
            message = f"offer {offer.reference} was ended at the platform before its time"
        if standing.by_person or early:
            self._stopped.append(message)
        with self._service.database.write() as connection:
            values = {"state": OfferState.EXPIRED, "ended_at": self._now}
            offers.change_offer(connection, offer.id, working=standing.working, **values)
            about = {"offer_id": offer.id}
            note(connection, self._hiring, Note.END, offer.number, message, self._now, **about)
        if self._study.platform.shows is Shows.TASKS:
            self._free(offer)

    def _free(self, offer: OfferRow) -> None:
        """Let others be asked what this offer's stand-in holds."""
        name = f"{STAND_IN}{offer.number}"
        with self._service.database.read() as connection:
            worker = studies.find_worker(connection, self._study.id, name)
        if worker is not None:
            release(self._service, worker.id, self._now)

    def _say(self) -> None:
        """Let the study's hiring say why it stops, or what it waits for."""
        if self._hiring.state != HiringState.RUNNING:
            return
        message = (self._stopped or self._paused or [""])[0]
        with self._service.database.write() as connection:
            now_is = hirings.find_hiring(connection, self._study.id)
            if now_is is None or now_is.state != HiringState.RUNNING:
                # Somebody has said something else meanwhile.
                return
            if self._stopped:
                self._stop(connection, f"{message}; publish again to go on")
            elif now_is.message != message and now_is.retry_at is None:
                hirings.set_hiring_state(
                    connection, self._study.id, HiringState.RUNNING, self._now, message=message
                )

    def _stop(self, connection: Connection, message: str) -> None:
        state = HiringState.STOPPED
        hirings.set_hiring_state(connection, self._study.id, state, self._now, message=message)
        note(connection, self._hiring, Note.STOP, repr(self._now), message, self._now)
