"""Arrivals of workers whom a platform sends, from their admission to the end of their session."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from nextpair.app.enums import Reason
from nextpair.app.errors import Unfinished
from nextpair.app.hiring.confirmation import admit_confirmed_answers, confirm_session
from nextpair.app.hiring.entry import Admission, check_arrival, clear_early_confirmation
from nextpair.app.judging.release import release_leases
from nextpair.app.judging.sessions import next_in_session
from nextpair.app.platforms.messages import Arrival, CompletionAction, NoAction
from nextpair.app.platforms.registry import read_access
from nextpair.app.quality.early_verdicts import conclude_batches
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.security.tokens import Session
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, offers, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import OfferState, SubmissionRow, SubmissionState

HOUR = 3600
HAND_IN_REASONS = (Reason.CAP, Reason.DONE, Reason.SEEN, Reason.STOPPED, Reason.WAIT, Reason.PAUSED)
"""Why a session has no next question, where the worker may hand in without waiting for others."""
ENDED_STATES = (SubmissionState.RETURNED, SubmissionState.LAPSED)


def arrive(
    service: ServiceContext, study_name: str, query: Mapping[str, str], now: float
) -> Session | None:
    """Admit a worker whom a platform sends, and return their session; None for a preview.

    Arriving again continues the same session.
    """
    study_id = service.study_id(study_name)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
    if study.platform.is_preview(query):
        return None
    access = read_access(study.settings.platform, service.settings.platforms)
    arrival = study.platform.identify(query, access)
    admission = check_arrival(service, study, arrival, access)
    with service.database.write() as connection:
        row = _add_submission(connection, study, arrival, admission, now)
        released = []
        if admission.confirmed:
            released = confirm_session(connection, row, now)
            clear_early_confirmation(connection, study.id, arrival.session)
    for worker_id in released:
        release_leases(service, worker_id, now)
    if admission.confirmed and row.confirmed_at is None:
        admit_confirmed_answers(service, study.id, now)
    count = admission.offer.questions if admission.offer else study.settings.hiring.questions
    ends = now + service.settings.session_hours * HOUR
    return Session(study.name, arrival.worker, None, count, row.begun_at, ends, row.id)


def _add_submission(
    connection: Connection, study: Study, arrival: Arrival, admission: Admission, now: float
) -> SubmissionRow:
    worker = studies.enlist_worker(connection, study.id, arrival.worker, now)
    values = {
        "study_id": study.id,
        "platform": study.settings.platform,
        "session": arrival.session,
        "worker_id": worker.id,
        "offer_id": admission.offer.id if admission.offer else None,
        "state": SubmissionState.WORKING,
        "extra": {"arrival": dict(arrival.extra), "offer": arrival.offer},
        "begun_at": now,
        "created_at": now,
        "confirmed_at": now if admission.confirmed else None,
    }
    row = offers.get_or_add_submission(connection, values)
    if row.state in ENDED_STATES and (row.confirmed_at is None or _may_begin_again(admission)):
        state = SubmissionState.WORKING
        offers.change_submission(connection, row.id, state=state, begun_at=now)
        row = replace(row, state=state, begun_at=now)
    return row


def _may_begin_again(admission: Admission) -> bool:
    """Say whether a session that had ended may begin again: only where its place is still paid."""
    return admission.offer is None or admission.offer.state == OfferState.OPEN


@dataclass(frozen=True, slots=True)
class HandInStatus:
    """Whether a session ends with a hand-in at its platform, and whether it has ended."""

    hands_in: bool = False
    finished: bool = False


def session_status(service: ServiceContext, session: Session) -> tuple[Session, HandInStatus]:
    """Return a session as it is now, and the status of its hand-in."""
    if session.submission is None:
        return session, HandInStatus()
    with service.database.read() as connection:
        study = service.study(connection, service.study_id(session.study))
        row = offers.find_submission(connection, session.submission)
    if row is None or row.platform != study.settings.platform:
        return session, HandInStatus()
    finished = not _is_at_work(row)
    hands_in = study.platform.hands_in
    return _as_now(session, row), HandInStatus(hands_in, hands_in and finished)


def _is_at_work(row: SubmissionRow) -> bool:
    lapsed = row.state == SubmissionState.LAPSED and row.finished_at is None
    return lapsed or row.state == SubmissionState.WORKING


def refresh_session(service: ServiceContext, session: Session) -> Session:
    """Return a session as it is now: another one of the same worker may have ended since."""
    if session.submission is None:
        return session
    with service.database.read() as connection:
        row = offers.find_submission(connection, session.submission)
    return session if row is None else _as_now(session, row)


def _as_now(session: Session, row: SubmissionRow) -> Session:
    quarantine = row.id if row.confirmed_at is None else None
    return replace(session, begun_at=row.begun_at, quarantine=quarantine)


def finish(service: ServiceContext, session: Session, now: float) -> CompletionAction:
    """End a session, and return what its page does then; idempotent."""
    if session.submission is None:
        return NoAction()
    ended = _has_ended(service, session, now)
    _conclude_batches(service, session, ended, now)
    study_id = service.study_id(session.study)
    with service.database.write() as connection:
        study = service.study(connection, study_id)
        row = offers.find_submission(connection, session.submission)
        if row is None or row.platform != study.settings.platform:
            return NoAction()
        studies.lock_worker(connection, row.worker_id)
        row = offers.find_submission(connection, row.id) or row
        answered = assignments.count_answered(connection, row.worker_id, row.begun_at, row.id)
        if _is_at_work(row):
            _check_done(session, answered, ended)
            # A lapsed session stays so until its platform reports something.
            has_lapsed = row.state == SubmissionState.LAPSED
            state = SubmissionState.LAPSED if has_lapsed else SubmissionState.FINISHED
            offers.change_submission(connection, row.id, state=state, finished_at=now)
            if row.confirmed_at is not None:
                # Strictly after: what happens at this very moment belongs to this session alone.
                after = math.nextafter(now, math.inf)
                offers.restart_other_sessions(connection, row.worker_id, row.id, after)
    receipt = service.receipts.receipt(row.id, row.session, row.worker_id, answered)
    access = read_access(study.settings.platform, service.settings.platforms)
    extra = row.extra.get("arrival", {})
    arrival = Arrival(session.worker, row.session, row.extra.get("offer"), extra)
    return study.platform.finish(arrival, receipt, access)


def _conclude_batches(service: ServiceContext, session: Session, ended: bool, now: float) -> None:
    """Conclude the batches that a worker leaves unfinished, before they hand in."""
    assert session.submission is not None
    with service.database.read() as connection:
        row = offers.find_submission(connection, session.submission)
        if row is None or not _is_at_work(row):
            return
        answered = assignments.count_answered(connection, row.worker_id, row.begun_at, row.id)
    _check_done(session, answered, ended)
    if row.confirmed_at is not None:
        conclude_batches(service, row.worker_id, now)


def _has_ended(service: ServiceContext, session: Session, now: float) -> bool:
    turn = next_in_session(service, refresh_session(service, session), 1, (), now)
    return not turn.issued.assignments and turn.issued.reason in HAND_IN_REASONS


def _check_done(session: Session, answered: int, ended: bool) -> None:
    if not answered:
        raise Unfinished("nothing was answered in this session: give it back where you took it")
    if not ended and (session.count is None or answered < session.count):
        raise Unfinished()
