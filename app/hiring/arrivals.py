"""Workers whom a platform sends: they are let in, and handed back when they are done."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from nextpair.app.enums import Reason
from nextpair.app.errors import Unfinished
from nextpair.app.hiring.confirmation import confirm, settle
from nextpair.app.hiring.entry import Entry, admit, forget_told
from nextpair.app.judging.release import release
from nextpair.app.judging.sessions import next_in_session
from nextpair.app.platforms.facts import Arrival, Finish, Nothing
from nextpair.app.platforms.registry import read_access
from nextpair.app.quality.early_verdicts import conclude_batches
from nextpair.app.runtime.service import Service
from nextpair.app.security.tokens import Session
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, offers, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import OfferState, SubmissionRow, SubmissionState

HOUR = 3600
ENDS = (Reason.CAP, Reason.DONE, Reason.SEEN, Reason.STOPPED, Reason.WAIT, Reason.PAUSED)
"""When a worker may hand in: nobody who is paid has to wait for others."""
GONE = (SubmissionState.RETURNED, SubmissionState.LAPSED)


def arrive(
    service: Service, study_name: str, query: Mapping[str, str], now: float
) -> Session | None:
    """Let someone in whom a platform sends; None if they only look.

    Coming again is coming back: the same session goes on.
    """
    study_id = service.study_id(study_name)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
    if study.platform.is_preview(query):
        return None
    access = read_access(study.settings.platform, service.settings.platforms)
    arrival = study.platform.identify(query, access)
    entry = admit(service, study, arrival, access)
    with service.database.write() as connection:
        row = _enlist(connection, study, arrival, entry, now)
        left = []
        if entry.confirmed:
            left = confirm(connection, row, now)
            forget_told(connection, study.id, arrival.session)
    for worker_id in left:
        release(service, worker_id, now)
    if entry.confirmed and row.confirmed_at is None:
        settle(service, study.id, now)
    count = entry.offer.questions if entry.offer else study.settings.hiring.questions
    ends = now + service.settings.session_hours * HOUR
    return Session(study.name, arrival.worker, None, count, row.begun_at, ends, row.id)


def _enlist(
    connection: Connection, study: Study, arrival: Arrival, entry: Entry, now: float
) -> SubmissionRow:
    worker = studies.enlist_worker(connection, study.id, arrival.worker, now)
    values = {
        "study_id": study.id,
        "platform": study.settings.platform,
        "session": arrival.session,
        "worker_id": worker.id,
        "offer_id": entry.offer.id if entry.offer else None,
        "state": SubmissionState.WORKING,
        "extra": {"arrival": dict(arrival.extra), "offer": arrival.offer},
        "begun_at": now,
        "created_at": now,
        "confirmed_at": now if entry.confirmed else None,
    }
    row = offers.enlist_submission(connection, values)
    if row.state in GONE and (row.confirmed_at is None or _may_come_back(entry)):
        state = SubmissionState.WORKING
        offers.change_submission(connection, row.id, state=state, begun_at=now)
        row = replace(row, state=state, begun_at=now)
    return row


def _may_come_back(entry: Entry) -> bool:
    """Say whether a session that was over may begin anew: not where its place is not paid for."""
    return entry.offer is None or entry.offer.state == OfferState.OPEN


@dataclass(frozen=True, slots=True)
class Standing:
    """What a session is to the platform: whether it waits for something, and has got it."""

    hands_in: bool = False
    finished: bool = False


def look(service: Service, session: Session) -> tuple[Session, Standing]:
    """Return a session as it is now, and how it stands with its platform."""
    if session.submission is None:
        return session, Standing()
    with service.database.read() as connection:
        study = service.study(connection, service.study_id(session.study))
        row = offers.find_submission(connection, session.submission)
    if row is None or row.platform != study.settings.platform:
        return session, Standing()
    finished = not _is_at_work(row)
    hands_in = study.platform.hands_in
    return _as_now(session, row), Standing(hands_in, hands_in and finished)


def _is_at_work(row: SubmissionRow) -> bool:
    lapsed = row.state == SubmissionState.LAPSED and row.finished_at is None
    return lapsed or row.state == SubmissionState.WORKING


def current(service: Service, session: Session) -> Session:
    """Return a session as it is now: another one of the same worker may have ended meanwhile."""
    if session.submission is None:
        return session
    with service.database.read() as connection:
        row = offers.find_submission(connection, session.submission)
    return session if row is None else _as_now(session, row)


def _as_now(session: Session, row: SubmissionRow) -> Session:
    quarantine = row.id if row.confirmed_at is None else None
    return replace(session, begun_at=row.begun_at, quarantine=quarantine)


def finish(service: Service, session: Session, now: float) -> Finish:
    """End a session, and say how its page ends; the same again says the same."""
    if session.submission is None:
        return Nothing()
    ended = _has_ended(service, session, now)
    _conclude(service, session, ended, now)
    study_id = service.study_id(session.study)
    with service.database.write() as connection:
        study = service.study(connection, study_id)
        row = offers.find_submission(connection, session.submission)
        if row is None or row.platform != study.settings.platform:
            return Nothing()
        studies.lock_worker(connection, row.worker_id)
        row = offers.find_submission(connection, row.id) or row
        answered = assignments.count_answered(connection, row.worker_id, row.begun_at, row.id)
        if _is_at_work(row):
            _check_done(session, answered, ended)
            # One that was given up waits for what its platform says of it.
            was_given_up = row.state == SubmissionState.LAPSED
            state = SubmissionState.LAPSED if was_given_up else SubmissionState.FINISHED
            offers.change_submission(connection, row.id, state=state, finished_at=now)
            if row.confirmed_at is not None:
                # Strictly after: what happens at this very moment is this session's alone.
                after = math.nextafter(now, math.inf)
                offers.begin_after(connection, row.worker_id, row.id, after)
    receipt = service.receipts.receipt(row.id, row.session, row.worker_id, answered)
    access = read_access(study.settings.platform, service.settings.platforms)
    extra = row.extra.get("arrival", {})
    arrival = Arrival(session.worker, row.session, row.extra.get("offer"), extra)
    return study.platform.finish(arrival, receipt, access)


def _conclude(service: Service, session: Session, ended: bool, now: float) -> None:
    """Let each batch that a worker leaves unfinished come to its verdict before they hand in."""
    assert session.submission is not None
    with service.database.read() as connection:
        row = offers.find_submission(connection, session.submission)
        if row is None or not _is_at_work(row):
            return
        answered = assignments.count_answered(connection, row.worker_id, row.begun_at, row.id)
    _check_done(session, answered, ended)
    if row.confirmed_at is not None:
        conclude_batches(service, row.worker_id, now)


def _has_ended(service: Service, session: Session, now: float) -> bool:
    turn = next_in_session(service, current(service, session), 1, (), now)
    return not turn.handed.assignments and turn.handed.reason in ENDS


def _check_done(session: Session, answered: int, ended: bool) -> None:
    if not answered:
        raise Unfinished("nothing was answered in this session: give it back where you took it")
    if not ended and (session.count is None or answered < session.count):
        raise Unfinished()
