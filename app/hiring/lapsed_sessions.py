"""Sessions that nobody hands in: what was reserved and held for them is given free."""

from dataclasses import replace

from nextpair.app.hiring.outbox import Note, note
from nextpair.app.judging.release import release
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.studies.study import Study
from nextpair.storage import offers, quarantine
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    AT_WORK,
    HiringRow,
    OfferRow,
    OfferState,
    SubmissionRow,
    SubmissionState,
)
from nextpair.storage.rows import AssignmentRow, State

GRACE_SECONDS = 600.0
"""How much longer than a session may take its hand-in is awaited."""
KEEP_SECONDS = 8 * 86_400.0
"""How long the answers of a session are kept that may still be confirmed, however late."""


def lapse(service: Service, study: Study, hiring: HiringRow, now: float) -> None:
    """Give up sessions that were not handed in, and drop answers that nobody will stand by.

    A hand-in that the platform tells of later is still taken, with all that was answered.
    """
    with service.database.read() as connection:
        made = {one.id: one for one in offers.list_offers(connection, study.id)}
        came = offers.submissions_in(connection, study.id, AT_WORK)
        gone = (SubmissionState.LAPSED, SubmissionState.RETURNED)
        lapsed = offers.submissions_in(connection, study.id, gone)
        holding = quarantine.sessions(connection, study.id)
    # What was promised to a place holds as long as a worker may take it there.
    patience = study.platform.session_seconds + GRACE_SECONDS if study.platform.hires else 0.0
    for row in came:
        offer = made.get(row.offer_id or 0)
        if _is_over(row, offer, patience, now):
            _give_up(service, hiring, row, now)
            lapsed.append(row)
    for row in lapsed:
        offer = made.get(row.offer_id or 0)
        if row.id in holding and row.confirmed_at is None:
            _free(service, row, now, drop=_is_final(row, offer, now))


def awaits_late(connection: Connection, study_id: int, now: float) -> bool:
    """Say whether someone has finished here whose platform may still tell of them."""
    lapsed = offers.submissions_in(connection, study_id, [SubmissionState.LAPSED])
    return any(row.finished_at is not None and now - row.begun_at < KEEP_SECONDS for row in lapsed)


def _is_over(row: SubmissionRow, offer: OfferRow | None, patience: float, now: float) -> bool:
    """Say whether a session is not expected to be handed in any more."""
    if offer is None:
        # Either it came before its offer was noted here, or no platform has ever sent it.
        return row.confirmed_at is None and now - row.begun_at > patience
    if offer.state == OfferState.EXPIRED and offer.working is not None:
        # The platform says how many are at work: nobody is given up before they all have ended.
        if row.confirmed_at is not None or not offer.working:
            return not offer.working
    began = row.begun_at
    if row.confirmed_at is not None:
        if offer.state != OfferState.EXPIRED:
            return False
        began = max(began, offer.ended_at or began)
    return now - began > patience


def _is_final(row: SubmissionRow, offer: OfferRow | None, now: float) -> bool:
    ended = offer is not None and offer.state == OfferState.EXPIRED and offer.working == 0
    return ended or now - row.begun_at > KEEP_SECONDS


def _give_up(service: Service, hiring: HiringRow, row: SubmissionRow, now: float) -> None:
    with service.database.write() as connection:
        found = offers.find_submission(connection, row.id)
        if found is None or found.state not in AT_WORK:
            return
        offers.change_submission(connection, row.id, state=SubmissionState.LAPSED)
        if found.confirmed_at is None:
            # Whoever it was, the platform has not sent them.
            return
        about = {"submission_id": row.id, "offer_id": row.offer_id, "worker_id": row.worker_id}
        message = "not handed in: its offer has ended"
        note(connection, hiring, Note.LAPSE, f"{row.id}:{now!r}", message, now, **about)
    if row.confirmed_at is not None:
        release(service, row.worker_id, now)


def _free(service: Service, row: SubmissionRow, now: float, *, drop: bool) -> None:
    """Let others be asked what an unconfirmed session has, and drop its answers in the end."""
    with service.database.read() as connection:
        kept = quarantine.of_session(connection, row.id)
    for topic_id in {one.topic_id for one in kept if drop or one.expires_at > now}:
        _free_in(service, topic_id, row.id, now, drop=drop)


def _free_in(service: Service, topic_id: int, session: int, now: float, *, drop: bool) -> None:
    def freed(row: AssignmentRow, version: int) -> AssignmentRow:
        row = replace(row, expires_at=min(row.expires_at, now), version=version)
        return replace(row, state=State.LAPSED, held=None) if drop else row

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[None]:
        head = live.moved()
        rows = [freed(one, head.version) for one in live.quarantine.of(session)]
        return Step(None, Change(head, rows), changed=rows) if rows else Step(None)

    service.change(topic_id, act)
