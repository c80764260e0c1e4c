"""Lapse of sessions that nobody hands in: their reservations and questions are released."""

from dataclasses import replace

from nextpair.app.hiring.outbox import ActivityEvent, record_activity
from nextpair.app.judging.release import release_leases
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
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
"""How much longer than the time allowed for a session its hand-in is awaited."""
KEEP_SECONDS = 8 * 86_400.0
"""How long the answers of an unconfirmed session are kept, in case it is confirmed late."""


def lapse_sessions(service: ServiceContext, study: Study, hiring: HiringRow, now: float) -> None:
    """Lapse sessions that were not handed in, and drop answers that will not be confirmed.

    A hand-in that the platform reports later is still taken, with all its answers.
    """
    with service.database.read() as connection:
        offers_by_id = {offer.id: offer for offer in offers.list_offers(connection, study.id)}
        at_work = offers.submissions_in_state(connection, study.id, AT_WORK)
        ended = (SubmissionState.LAPSED, SubmissionState.RETURNED)
        lapsed = offers.submissions_in_state(connection, study.id, ended)
        quarantined = quarantine.quarantined_sessions(connection, study.id)
    # A place stays reserved for as long as the platform lets a worker have it.
    patience = study.platform.session_seconds + GRACE_SECONDS if study.platform.hires else 0.0
    for row in at_work:
        offer = offers_by_id.get(row.offer_id or 0)
        if _is_overdue(row, offer, patience, now):
            _lapse(service, hiring, row, now)
            lapsed.append(row)
    for row in lapsed:
        offer = offers_by_id.get(row.offer_id or 0)
        if row.id in quarantined and row.confirmed_at is None:
            _release_quarantined(service, row, now, drop=_is_final(row, offer, now))


def awaits_late_hand_in(connection: Connection, study_id: int, now: float) -> bool:
    """Say whether a finished session has lapsed that its platform may still report."""
    lapsed = offers.submissions_in_state(connection, study_id, [SubmissionState.LAPSED])
    return any(row.finished_at is not None and now - row.begun_at < KEEP_SECONDS for row in lapsed)


def _is_overdue(row: SubmissionRow, offer: OfferRow | None, patience: float, now: float) -> bool:
    """Say whether a session is not expected to be handed in any more."""
    if offer is None:
        # Either it began before its offer's id was stored here, or no platform has sent its worker.
        return row.confirmed_at is None and now - row.begun_at > patience
    if offer.state == OfferState.EXPIRED and offer.working is not None:
        # The platform reports how many are at work: no session lapses before all have ended.
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


def _lapse(service: ServiceContext, hiring: HiringRow, row: SubmissionRow, now: float) -> None:
    with service.database.write() as connection:
        current = offers.find_submission(connection, row.id)
        if current is None or current.state not in AT_WORK:
            return
        offers.change_submission(connection, row.id, state=SubmissionState.LAPSED)
        if current.confirmed_at is None:
            # The platform has not sent this worker: nothing to record.
            return
        columns = {"submission_id": row.id, "offer_id": row.offer_id, "worker_id": row.worker_id}
        message = "not handed in: its offer has ended"
        record_activity(
            connection, hiring, ActivityEvent.LAPSE, f"{row.id}:{now!r}", message, now, **columns
        )
    if row.confirmed_at is not None:
        release_leases(service, row.worker_id, now)


def _release_quarantined(
    service: ServiceContext, row: SubmissionRow, now: float, *, drop: bool
) -> None:
    """Release the questions of an unconfirmed session; in the end drop its answers, too."""
    with service.database.read() as connection:
        rows = quarantine.of_session(connection, row.id)
    for topic_id in {held.topic_id for held in rows if drop or held.expires_at > now}:
        _release_in_topic(service, topic_id, row.id, now, drop=drop)


def _release_in_topic(
    service: ServiceContext, topic_id: int, session: int, now: float, *, drop: bool
) -> None:
    def released(row: AssignmentRow, version: int) -> AssignmentRow:
        row = replace(row, expires_at=min(row.expires_at, now), version=version)
        return replace(row, state=State.LAPSED, held=None) if drop else row

    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[None]:
        head = projection.next_head()
        rows = [released(held, head.version) for held in projection.quarantine.of_session(session)]
        return (
            UnitOfWork(None, TopicDelta(head, rows), changed_assignments=rows)
            if rows
            else UnitOfWork(None)
        )

    service.transact(topic_id, decide)
