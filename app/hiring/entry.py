"""Admission of arriving workers: an arrival is trusted as far as its platform confirms it.

Anyone can open the address with parameters of their own. So the offer that an arrival names must be
the study's and open, and the session is confirmed only by the platform: by a look-up, by an earlier
event, or by a proof that only its own form shows. An arrival that is not confirmed yet is admitted
all the same, because platforms report late, but its answers go to quarantine.
"""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextpair.app.errors import BadArrival, PlatformError
from nextpair.app.hiring.outbox import CommandKind
from nextpair.app.hiring.validating_account import ValidatingAccount
from nextpair.app.platforms.base import QuestionDisplay
from nextpair.app.platforms.messages import Arrival, Stage
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.storage import hirings, offers, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import AT_WORK, HANDED_IN, OfferRow, OfferState, SubmissionRow

log = logging.getLogger("nextpair")

MAX_LOOKUPS = 4
"""How many sessions a process looks up at platforms at the same time; others wait for an event."""
_lookups = threading.BoundedSemaphore(MAX_LOOKUPS)


@dataclass(frozen=True, slots=True)
class Admission:
    """What is known of an arrival before anything is stored.

    Parameters
    ----------
    offer
        The one it names, if its platform hires.
    confirmed
        Whether the platform confirms the session.
    """

    offer: OfferRow | None
    confirmed: bool


def check_arrival(
    service: ServiceContext, study: Study, arrival: Arrival, access: Any
) -> Admission:
    """Say whether an arrival is confirmed; `BadArrival` if it must not be admitted at all."""
    platform = study.platform
    if not platform.hires or platform.question_display is not QuestionDisplay.PAGE:
        # Such platforms cannot be asked: the owner of the study has opened it to everybody.
        return Admission(None, confirmed=True)
    with service.database.read() as connection:
        offer = _named_offer(connection, study, arrival)
        existing = _existing_submission(connection, study, arrival)
        early = has_early_confirmation(connection, study.id, arrival.session)
    if existing is not None and existing.confirmed_at is not None:
        return Admission(offer, confirmed=True)
    is_open = offer is None or offer.state == OfferState.OPEN
    confirmed = early or _is_confirmed_by_lookup(study, arrival, access)
    if not is_open and existing is None and not confirmed:
        raise BadArrival("this offer has ended: give the work back where you took it")
    proven = None if offer is None else _is_proven(service, study, arrival, offer)
    if proven is False:
        raise BadArrival("the address was not made by the platform's form: open it from there")
    return Admission(offer, confirmed or bool(proven))


def _named_offer(connection: Connection, study: Study, arrival: Arrival) -> OfferRow | None:
    """Find the offer that an arrival names; None if it may be the one that is being published.

    Workers are quick: some arrive before the platform has returned the offer's id.
    """
    on_platform = [
        row
        for row in offers.list_offers(connection, study.id)
        if row.platform == study.settings.platform
    ]
    for row in on_platform:
        if row.reference is not None and row.reference == arrival.offer:
            return row
    if arrival.offer and any(row.state == OfferState.INTENDED for row in on_platform):
        return None
    raise BadArrival("the address names no offer of this study: open it from the platform")


def _existing_submission(
    connection: Connection, study: Study, arrival: Arrival
) -> SubmissionRow | None:
    worker = studies.find_worker(connection, study.id, arrival.worker)
    rows = offers.submissions_of(connection, study.id, arrival.session)
    mine = (row for row in rows if worker is not None and row.worker_id == worker.id)
    return next((row for row in mine if row.platform == study.settings.platform), None)


def has_early_confirmation(connection: Connection, study_id: int, session: str) -> bool:
    """Say whether the platform has reported that a session was taken, by whomever."""
    return hirings.find_message(connection, study_id, _message_name(session)) is not None


def record_early_confirmation(
    connection: Connection, study_id: int, session: str, now: float
) -> None:
    """Store that the platform has reported a session before anyone arrived with it."""
    hirings.add_processed_message(connection, study_id, _message_name(session), now)


def clear_early_confirmation(connection: Connection, study_id: int, session: str) -> None:
    """Use up the confirmation of a session that was given back, or whose worker has arrived."""
    hirings.delete_message(connection, study_id, _message_name(session))


def match_without_worker(rows: Sequence[SubmissionRow], stage: Stage) -> SubmissionRow | None:
    """Find whose session is meant where a platform names no worker.

    It may have come to several workers, one after the other, and of several unconfirmed ones any
    may be a stranger: then nobody is matched, and polling decides.
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
    ended = [row for row in rows if row.confirmed_at is not None] or list(rows)
    return ended[-1] if ended and (ended[-1].confirmed_at or len(ended) == 1) else None


def _message_name(session: str) -> str:
    return f"session:{session}"


def _is_proven(
    service: ServiceContext, study: Study, arrival: Arrival, offer: OfferRow
) -> bool | None:
    token = f"{CommandKind.PUBLISH}:{offer.number}"
    key = service.receipts.idempotency_key(study.id, token)
    return study.platform.proves(arrival, key, offer.places)


def _is_confirmed_by_lookup(study: Study, arrival: Arrival, access: Any) -> bool:
    """Look the session up at the platform while its worker waits, but not for long."""
    if not study.platform.can_find_session or not _lookups.acquire(blocking=False):
        return False
    try:
        account = ValidatingAccount(study.platform.open(access), study.settings.platform)
        try:
            submission = account.find_session(arrival.session)
        finally:
            account.close()
    except PlatformError as error:
        log.warning("a session will be confirmed later: %s", error)
        return False
    finally:
        _lookups.release()
    claimed = (arrival.worker, arrival.offer)
    if submission is None or (submission.worker, submission.offer) != claimed:
        raise BadArrival("the platform knows of no such session of yours: open it from there")
    if submission.stage is Stage.RETURNED:
        raise BadArrival("you have given this session back, or it has run out of time")
    return True
