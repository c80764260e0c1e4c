"""The inbox: events of platforms are received, de-duplicated and applied to submissions."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

from nextpair.app.hiring.confirmation import confirm_session
from nextpair.app.hiring.entry import (
    clear_early_confirmation,
    match_without_worker,
    record_early_confirmation,
)
from nextpair.app.hiring.inbox_messages import process_messages, record_processed
from nextpair.app.hiring.outbox import ActivityEvent, CommandKind, record_activity
from nextpair.app.hiring.platform_events import validated
from nextpair.app.hiring.task_offers import record_answers
from nextpair.app.judging.release import release_leases
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.messages import PlatformEvent, Stage, Submission
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.storage import hirings, offers, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    AT_WORK,
    UNDECIDED,
    HiringRow,
    InboxMessage,
    OfferRow,
    OfferState,
    SubmissionRow,
    SubmissionState,
)

RETURN_REPORTED = "return_told"
"""Stored with a session once the platform has reported that it was given back."""
_NOT_HANDED_IN = (*AT_WORK, SubmissionState.RETURNED, SubmissionState.LAPSED)
WIDE_SECONDS = 600
"""How often offers are polled, too, of which nothing is expected any more."""
LATE_SECONDS = 8 * 86_400
"""How long after its beginning an offer that has ended is still polled."""
OVERTURN_SECONDS = 31 * 86_400
"""The same, where a person may still accept a session that was rejected here."""


def receive(
    service: ServiceContext, study_id: int, events: Iterable[PlatformEvent], now: float
) -> None:
    """Store events of a webhook in the inbox, to be processed later; a repeated one once."""
    contents = [(place, asdict(validated(event))) for place, event in enumerate(events)]
    with service.database.write() as connection:
        for place, content in contents:
            name = content["id"] or f"told:{now!r}:{place}"
            hirings.add_message(connection, InboxMessage(study_id, name, content, now, None))


class Inbox:
    """Processes the events of one study, those received and those that polling reports."""

    def __init__(
        self, service: ServiceContext, study: Study, hiring: HiringRow, account: Account, now: float
    ) -> None:
        self._service, self._study, self._hiring = service, study, hiring
        self._account, self._now = account, now

    def process_received(self) -> None:
        """Process what was received since the last look."""
        process_messages(self._service, self._hiring, self._process_and_acknowledge, self._now)

    def _process_and_acknowledge(self, event: PlatformEvent) -> None:
        self._process(event)
        self._account.acknowledge(event)

    def poll(self, *, wide: bool) -> None:
        """Poll the platform; `wide`: also offers of which nothing is expected any more."""
        with self._service.database.read() as connection:
            study_id = self._study.id
            all_offers = offers.list_offers(connection, study_id)
            undecided = offers.submissions_in_state(connection, study_id, UNDECIDED)
            rejected = offers.submissions_in_state(connection, study_id, [SubmissionState.REJECTED])
        with_undecided = {submission.offer_id for submission in undecided}
        with_rejected = {submission.offer_id for submission in rejected}
        references = [
            offer.reference
            for offer in all_offers
            if offer.reference
            and (
                offer.id in with_undecided
                or self._may_have_news(offer, wide, offer.id in with_rejected)
            )
        ]
        for event in self._account.poll(references, self._hiring.memory):
            if event.id is None or self._is_new(event.id):
                self._process(event)
            self._account.acknowledge(event)
            if event.id is not None:
                record_processed(self._service, self._study.id, event.id, self._now)

    def _is_new(self, name: str) -> bool:
        """Say whether an event was not processed before: queues deliver at least once."""
        with self._service.database.read() as connection:
            return not hirings.has_message(connection, self._study.id, name)

    def _may_have_news(self, offer: OfferRow, wide: bool, has_rejected: bool) -> bool:
        longest = OVERTURN_SECONDS if has_rejected else LATE_SECONDS
        recent = wide and self._now - offer.created_at < longest
        return offer.state == OfferState.OPEN or (offer.state == OfferState.EXPIRED and recent)

    def _process(self, event: PlatformEvent) -> None:
        released: list[int] = []
        with self._service.database.write() as connection:
            for submission in event.submissions:
                released += self._apply(connection, submission)
        for worker_id in released:
            release_leases(self._service, worker_id, self._now)
        record_answers(self._service, self._study, event.answers, self._now)

    def _apply(self, connection: Connection, reported: Submission) -> list[int]:
        """Apply what is reported of a session; return the workers whose questions to release."""
        row = self._match(connection, reported)
        if row is None:
            self._remember(connection, reported)
            return []
        row = self._with_offer(connection, row, reported)
        released = self._return_other_claims(connection, row, reported)
        released += self._confirm(connection, row, reported)
        match reported.stage:
            case Stage.SUBMITTED if row.state in _NOT_HANDED_IN:
                self._hand_in(connection, row, reported)
            case Stage.ACCEPTED if row.state != SubmissionState.ACCEPTED:
                self._accepted_outside(connection, row)
            case Stage.REJECTED if row.state in UNDECIDED:
                state = SubmissionState.REJECTED
                offers.change_submission(connection, row.id, state=state)
                self._record(connection, CommandKind.REJECT, row, "rejected at the platform")
            case Stage.RETURNED if row.state in AT_WORK:
                released.append(self._return(connection, row))
            case _:
                pass
        return released

    def _return(self, connection: Connection, row: SubmissionRow) -> int:
        state, extra = SubmissionState.RETURNED, {**row.extra, RETURN_REPORTED: True}
        offers.change_submission(connection, row.id, state=state, extra=extra)
        name = f"{row.id}:{self._now}"
        self._record(connection, ActivityEvent.RETURN, row, "given back", name=name)
        return row.worker_id

    def _return_other_claims(
        self, connection: Connection, row: SubmissionRow, reported: Submission
    ) -> list[int]:
        """Return the session for all other workers, once one of them has handed it in."""
        if reported.worker is None or reported.stage in (Stage.WORKING, Stage.RETURNED):
            return []
        claims = offers.submissions_of(connection, self._study.id, reported.session)
        open_claims = (claim for claim in claims if claim.state in AT_WORK)
        return [self._return(connection, claim) for claim in open_claims if claim.id != row.id]

    def _confirm(
        self, connection: Connection, row: SubmissionRow, reported: Submission
    ) -> list[int]:
        """Confirm a session that the platform says its worker has, or had."""
        if reported.worker is None and row.confirmed_at is not None:
            return []
        return confirm_session(connection, row, self._now)

    def _remember(self, connection: Connection, reported: Submission) -> None:
        """Record the confirmation of a session whose worker has not arrived yet."""
        all_offers = offers.list_offers(connection, self._study.id)
        ours = reported.offer and any(offer.reference == reported.offer for offer in all_offers)
        if ours and reported.stage is Stage.WORKING:
            record_early_confirmation(connection, self._study.id, reported.session, self._now)
        elif reported.stage is Stage.RETURNED:
            clear_early_confirmation(connection, self._study.id, reported.session)

    def _match(self, connection: Connection, reported: Submission) -> SubmissionRow | None:
        """Find the submission that is meant, where a session has come to several workers."""
        rows = offers.submissions_of(connection, self._study.id, reported.session)
        if reported.worker is None:
            if reported.stage is Stage.RETURNED:
                return self._match_return(connection, rows)
            return match_without_worker(rows, reported.stage)
        worker = studies.find_worker(connection, self._study.id, reported.worker)
        for row in rows:
            if worker is not None and row.worker_id == worker.id:
                return row
        if reported.stage in (Stage.WORKING, Stage.RETURNED):
            return None
        return self._add_unseen(connection, reported)

    def _match_return(
        self, connection: Connection, rows: Sequence[SubmissionRow]
    ) -> SubmissionRow | None:
        """Find whose return is reported without a name: the first that was not reported yet."""
        for row in rows:
            if row.state in AT_WORK:
                return match_without_worker(rows, Stage.RETURNED)
            reported_before = row.confirmed_at is None or row.extra.get(RETURN_REPORTED)
            if row.state == SubmissionState.RETURNED and not reported_before:
                # Another worker had arrived with the session before this was reported.
                extra = {**row.extra, RETURN_REPORTED: True}
                offers.change_submission(connection, row.id, extra=extra)
                return None
        return None

    def _with_offer(
        self, connection: Connection, row: SubmissionRow, reported: Submission
    ) -> SubmissionRow:
        """Add its offer to a session whose worker arrived before the offer's id was stored here.

        A runner may die right after it has published, and workers are quick.
        """
        if row.offer_id is not None or reported.offer is None:
            return row
        offer_id = self._offer_id(connection, reported.offer)
        if offer_id is not None:
            offers.change_submission(connection, row.id, offer_id=offer_id)
        return replace(row, offer_id=offer_id)

    def _offer_id(self, connection: Connection, reference: str | None) -> int | None:
        all_offers = offers.list_offers(connection, self._study.id)
        matching = (offer.id for offer in all_offers if reference and offer.reference == reference)
        return next(matching, None)

    def _add_unseen(self, connection: Connection, reported: Submission) -> SubmissionRow:
        """Add the submission of a worker who has handed in without ever having been here."""
        worker = studies.enlist_worker(connection, self._study.id, reported.worker or "", self._now)
        values = {
            "study_id": self._study.id,
            "platform": self._hiring.platform,
            "session": reported.session,
            "worker_id": worker.id,
            "offer_id": self._offer_id(connection, reported.offer),
            "state": SubmissionState.WORKING,
            "extra": {},
            "begun_at": self._now,
            "created_at": self._now,
            "confirmed_at": self._now,
        }
        return offers.get_or_add_submission(connection, values)

    def _hand_in(self, connection: Connection, row: SubmissionRow, reported: Submission) -> None:
        proof = reported.code if reported.receipt is None else reported.receipt
        receipts = self._service.receipts
        valid = bool(proof) and receipts.matches(proof or "", row.id, row.session, row.worker_id)
        extra = {**row.extra, "receipt": valid, "told": proof is not None}
        state = SubmissionState.SUBMITTED
        offers.change_submission(connection, row.id, state=state, extra=extra)

    def _accepted_outside(self, connection: Connection, row: SubmissionRow) -> None:
        """Book a session that a person, or the platform itself after some days, has accepted."""
        cost = 0 if row.offer_id is None else offers.get_offer(connection, row.offer_id).price
        offers.change_submission(connection, row.id, state=SubmissionState.ACCEPTED)
        message = "accepted at the platform"
        self._record(connection, CommandKind.ACCEPT, row, message, cost=cost)

    def _record(
        self,
        connection: Connection,
        kind: CommandKind | ActivityEvent,
        row: SubmissionRow,
        message: str,
        *,
        name: str = "",
        cost: int = 0,
    ) -> None:
        record_activity(
            connection,
            self._hiring,
            kind,
            name or f"outside:{row.id}",
            message,
            self._now,
            submission_id=row.id,
            offer_id=row.offer_id,
            worker_id=row.worker_id,
            cost=cost,
        )
