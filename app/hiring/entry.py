"""Who may come in: an arrival is believed as far as its platform stands by it.

Anyone can open the address with parameters of their own. So an offer that an arrival names must be
the study's and open, and the session is confirmed only by what the platform itself says of it: when
it is asked, by what it told before, or by something that only its own form shows. What nobody has
confirmed yet is let in all the same, for platforms tell late, but into quarantine.
"""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextpair.app.errors import BadArrival, PlatformError
from nextpair.app.hiring.guarded_account import GuardedAccount
from nextpair.app.hiring.outbox import Kind
from nextpair.app.platforms.base import Shows
from nextpair.app.platforms.facts import Arrival, Stage
from nextpair.app.runtime.service import Service
from nextpair.app.studies.study import Study
from nextpair.storage import hirings, offers, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import AT_WORK, HANDED_IN, OfferRow, OfferState, SubmissionRow

log = logging.getLogger("nextpair")

AT_ONCE = 4
"""How many arrivals a process asks platforms about at the same time; others are confirmed later."""
_asking = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of an arrival before anything is stored.

    Parameters
    ----------
    offer
        The one it names, if its platform hires.
    confirmed
        Whether the platform stands by it.
    """

    offer: OfferRow | None
    confirmed: bool


def admit(service: Service, study: Study, arrival: Arrival, access: Any) -> Entry:
    """Say what is known of an arrival; `BadArrival` if nobody is to be let in by it."""
    if not study.platform.hires or study.platform.shows is not Shows.PAGE:
        # Such platforms have no account to ask: whoever runs the study has opened the door.
        return Entry(None, confirmed=True)
    with service.database.read() as connection:
        offer = _offer_of(connection, study, arrival)
        known = _known(connection, study, arrival)
        told = told_of(connection, study.id, arrival.session)
    if known is not None and known.confirmed_at is not None:
        return Entry(offer, confirmed=True)
    is_open = offer is None or offer.state == OfferState.OPEN
    confirmed = told or _asked(study, arrival, access)
    if not is_open and known is None and not confirmed:
        raise BadArrival("this offer has ended: give the work back where you took it")
    proved = None if offer is None else _proved(service, study, arrival, offer)
    if proved is False:
        raise BadArrival("the address was not made by the platform's form: open it from there")
    return Entry(offer, confirmed or bool(proved))


def _offer_of(connection: Connection, study: Study, arrival: Arrival) -> OfferRow | None:
    """Find the offer that an arrival names; None if it may be the one that is being published.

    Workers are quick: some come before the platform has said what it calls the offer.
    """
    made = [
        row
        for row in offers.list_offers(connection, study.id)
        if row.platform == study.settings.platform
    ]
    for row in made:
        if row.reference is not None and row.reference == arrival.offer:
            return row
    if arrival.offer and any(row.state == OfferState.INTENDED for row in made):
        return None
    raise BadArrival("the address names no offer of this study: open it from the platform")


def _known(connection: Connection, study: Study, arrival: Arrival) -> SubmissionRow | None:
    worker = studies.find_worker(connection, study.id, arrival.worker)
    rows = offers.submissions_of(connection, study.id, arrival.session)
    mine = (row for row in rows if worker is not None and row.worker_id == worker.id)
    return next((row for row in mine if row.platform == study.settings.platform), None)


def told_of(connection: Connection, study_id: int, session: str) -> bool:
    """Say whether the platform has told that someone has taken a session, whoever that is."""
    return hirings.find_notice(connection, study_id, _name(session)) is not None


def note_told(connection: Connection, study_id: int, session: str, now: float) -> None:
    """Keep in mind that the platform has told of a session before anyone came with it."""
    hirings.note_told(connection, study_id, _name(session), now)


def forget_told(connection: Connection, study_id: int, session: str) -> None:
    """Let a session that was given back, or for which someone has come, confirm nobody else."""
    hirings.forget_told(connection, study_id, _name(session))


def nameless(rows: Sequence[SubmissionRow], stage: Stage) -> SubmissionRow | None:
    """Find whose session is meant where a platform names no worker.

    It may have come to several, one after the other, and of several whom nobody has confirmed any
    may be a stranger: then it is left to what the platform tells when it is asked.
    """
    handed_in = [row for row in rows if row.state in HANDED_IN and row.confirmed_at is not None]
    if handed_in:
        # It is nobody else's any more, whoever claims to be at work on it.
        return handed_in[-1]
    at_work = [row for row in rows if row.state in AT_WORK]
    confirmed = [row for row in at_work if row.confirmed_at is not None]
    if confirmed:
        return confirmed[-1]
    if at_work or stage is Stage.WORKING:
        return at_work[0] if len(at_work) == 1 else None
    known = [row for row in rows if row.confirmed_at is not None] or list(rows)
    return known[-1] if known and (known[-1].confirmed_at or len(known) == 1) else None


def _name(session: str) -> str:
    return f"session:{session}"


def _proved(service: Service, study: Study, arrival: Arrival, offer: OfferRow) -> bool | None:
    token = service.receipts.deed_token(study.id, f"{Kind.PUBLISH}:{offer.number}")
    return study.platform.proves(arrival, token, offer.places)


def _asked(study: Study, arrival: Arrival, access: Any) -> bool:
    """Ask the platform for the session while its worker waits, but not for long."""
    if not study.platform.asks or not _asking.acquire(blocking=False):
        return False
    try:
        account = GuardedAccount(study.platform.open(access), study.settings.platform)
        try:
            found = account.session(arrival.session)
        finally:
            account.close()
    except PlatformError as error:
        log.warning("a session will be confirmed later: %s", error)
        return False
    finally:
        _asking.release()
    who = (arrival.worker, arrival.offer)
    if found is None or (found.worker, found.offer) != who:
        raise BadArrival("the platform knows of no such session of yours: open it from there")
    if found.stage is Stage.RETURNED:
        raise BadArrival("you have given this session back, or it has run out of time")
    return True
