"""Hearing what a platform tells: who handed in, who gave their work back."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

from nextpair.app.hiring.confirmation import confirm
from nextpair.app.hiring.entry import forget_told, nameless, note_told
from nextpair.app.hiring.notices import keep_heard, take_notices
from nextpair.app.hiring.outbox import Kind, Note, note
from nextpair.app.hiring.platform_events import checked
from nextpair.app.hiring.task_offers import absorb
from nextpair.app.judging.release import release
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.facts import News, Stage, Submission
from nextpair.app.runtime.service import Service
from nextpair.app.studies.study import Study
from nextpair.storage import hirings, offers, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    AT_WORK,
    UNDECIDED,
    HiringRow,
    NoticeRow,
    OfferRow,
    OfferState,
    SubmissionRow,
    SubmissionState,
)

RETURN_TOLD = "return_told"
"""Noted of a session once the platform has told that it was given back."""
_NOT_HANDED_IN = (*AT_WORK, SubmissionState.RETURNED, SubmissionState.LAPSED)
WIDE_SECONDS = 600
"""How often offers are looked at, too, of which nothing is expected any more."""
LATE_SECONDS = 8 * 86_400
"""How long something may still come of an offer after its end."""
OVERTURN_SECONDS = 31 * 86_400
"""The same, where a person may still accept whom we have rejected."""


def keep(service: Service, study_id: int, news: Iterable[News], now: float) -> None:
    """Store what a platform told, to be looked at later; the same twice is once."""
    told = [(place, asdict(checked(one))) for place, one in enumerate(news)]
    with service.database.write() as connection:
        for place, content in told:
            name = content["id"] or f"told:{now!r}:{place}"
            hirings.add_notice(connection, NoticeRow(study_id, name, content, now, None))


class Hearing:
    """One study's ears."""

    def __init__(
        self, service: Service, study: Study, hiring: HiringRow, account: Account, now: float
    ) -> None:
        self._service, self._study, self._hiring = service, study, hiring
        self._account, self._now = account, now

    def hear_kept(self) -> None:
        """Look at what was told in between."""
        take_notices(self._service, self._hiring, self._take_in, self._now)

    def _take_in(self, news: News) -> None:
        self._hear(news)
        self._account.heard(news)

    def poll(self, *, wide: bool) -> None:
        """Ask the platform."""
        with self._service.database.read() as connection:
            made = offers.list_offers(connection, self._study.id)
            came = offers.submissions_in(connection, self._study.id, UNDECIDED)
            rejected = offers.submissions_in(connection, self._study.id, [SubmissionState.REJECTED])
        awaited = {one.offer_id for one in came}
        turned_down = {one.offer_id for one in rejected}
        asked = [
            one.reference
            for one in made
            if one.reference
            and (one.id in awaited or self._may_tell(one, wide, one.id in turned_down))
        ]
        for news in self._account.poll(asked, self._hiring.memory):
            if news.id is None or self._is_new(news.id):
                self._hear(news)
            self._account.heard(news)
            if news.id is not None:
                keep_heard(self._service, self._study.id, news.id, self._now)

    def _is_new(self, name: str) -> bool:
        """Say whether something was not told before: queues tell the same more than once."""
        with self._service.database.read() as connection:
            return not hirings.was_told(connection, self._study.id, name)

    def _may_tell(self, offer: OfferRow, wide: bool, turned_down: bool) -> bool:
        longest = OVERTURN_SECONDS if turned_down else LATE_SECONDS
        late = wide and self._now - offer.created_at < longest
        return offer.state == OfferState.OPEN or (offer.state == OfferState.EXPIRED and late)

    def _hear(self, news: News) -> None:
        left: list[int] = []
        with self._service.database.write() as connection:
            for one in news.submissions:
                left += self._take(connection, one)
        for worker_id in left:
            release(self._service, worker_id, self._now)
        absorb(self._service, self._study, news.answers, self._now)

    def _take(self, connection: Connection, told: Submission) -> list[int]:
        """Take in how a session stands; return whose questions are free by it."""
        row = self._find(connection, told)
        if row is None:
            self._keep_in_mind(connection, told)
            return []
        row = self._of_offer(connection, row, told)
        left = self._left_by_others(connection, row, told)
        left += self._stand_by(connection, row, told)
        match told.stage:
            case Stage.SUBMITTED if row.state in _NOT_HANDED_IN:
                self._hand_in(connection, row, told)
            case Stage.ACCEPTED if row.state != SubmissionState.ACCEPTED:
                self._accepted(connection, row)
            case Stage.REJECTED if row.state in UNDECIDED:
                state = SubmissionState.REJECTED
                offers.change_submission(connection, row.id, state=state)
                self._note(connection, Kind.REJECT, row, "rejected at the platform")
            case Stage.RETURNED if row.state in AT_WORK:
                left.append(self._return(connection, row))
            case _:
                pass
        return left

    def _return(self, connection: Connection, row: SubmissionRow) -> int:
        state, extra = SubmissionState.RETURNED, {**row.extra, RETURN_TOLD: True}
        offers.change_submission(connection, row.id, state=state, extra=extra)
        self._note(connection, Note.RETURN, row, "given back", name=f"{row.id}:{self._now}")
        return row.worker_id

    def _left_by_others(
        self, connection: Connection, row: SubmissionRow, told: Submission
    ) -> list[int]:
        """Take it that others gave a session back that someone has handed in."""
        if told.worker is None or told.stage in (Stage.WORKING, Stage.RETURNED):
            return []
        others = offers.submissions_of(connection, self._study.id, told.session)
        open_ones = (one for one in others if one.state in AT_WORK)
        return [self._return(connection, one) for one in open_ones if one.id != row.id]

    def _stand_by(self, connection: Connection, row: SubmissionRow, told: Submission) -> list[int]:
        """Confirm a session of which the platform tells that its worker has, or had, it."""
        if told.worker is None and row.confirmed_at is not None:
            return []
        return confirm(connection, row, self._now)

    def _keep_in_mind(self, connection: Connection, told: Submission) -> None:
        """Note that someone has taken a session who has not come yet."""
        made = offers.list_offers(connection, self._study.id)
        ours = told.offer and any(one.reference == told.offer for one in made)
        if ours and told.stage is Stage.WORKING:
            note_told(connection, self._study.id, told.session, self._now)
        elif told.stage is Stage.RETURNED:
            forget_told(connection, self._study.id, told.session)

    def _find(self, connection: Connection, told: Submission) -> SubmissionRow | None:
        """Find the session that is meant, where one has come to several workers."""
        rows = offers.submissions_of(connection, self._study.id, told.session)
        if told.worker is None:
            if told.stage is Stage.RETURNED:
                return self._returned(connection, rows)
            return nameless(rows, told.stage)
        worker = studies.find_worker(connection, self._study.id, told.worker)
        for row in rows:
            if worker is not None and row.worker_id == worker.id:
                return row
        if told.stage in (Stage.WORKING, Stage.RETURNED):
            return None
        return self._stranger(connection, told)

    def _returned(
        self, connection: Connection, rows: Sequence[SubmissionRow]
    ) -> SubmissionRow | None:
        """Find whose return is told, where nobody says whose: the first that it was not told of."""
        for row in rows:
            if row.state in AT_WORK:
                return nameless(rows, Stage.RETURNED)
            told_before = row.confirmed_at is None or row.extra.get(RETURN_TOLD)
            if row.state == SubmissionState.RETURNED and not told_before:
                # Someone else had come for it before this was told.
                extra = {**row.extra, RETURN_TOLD: True}
                offers.change_submission(connection, row.id, extra=extra)
                return None
        return None

    def _of_offer(
        self, connection: Connection, row: SubmissionRow, told: Submission
    ) -> SubmissionRow:
        """Say which offer a session is of, where its worker came before the offer was noted here.

        A runner may die right after it has published, and workers are quick.
        """
        if row.offer_id is not None or told.offer is None:
            return row
        made = offers.list_offers(connection, self._study.id)
        offer = next((one.id for one in made if one.reference == told.offer), None)
        if offer is not None:
            offers.change_submission(connection, row.id, offer_id=offer)
        return replace(row, offer_id=offer)

    def _stranger(self, connection: Connection, told: Submission) -> SubmissionRow:
        """Note someone who handed in without ever having been here."""
        worker = studies.enlist_worker(connection, self._study.id, told.worker or "", self._now)
        made = offers.list_offers(connection, self._study.id)
        offer = next((one.id for one in made if told.offer and one.reference == told.offer), None)
        values = {
            "study_id": self._study.id,
            "platform": self._hiring.platform,
            "session": told.session,
            "worker_id": worker.id,
            "offer_id": offer,
            "state": SubmissionState.WORKING,
            "extra": {},
            "begun_at": self._now,
            "created_at": self._now,
            "confirmed_at": self._now,
        }
        return offers.enlist_submission(connection, values)

    def _hand_in(self, connection: Connection, row: SubmissionRow, told: Submission) -> None:
        brought = told.code if told.receipt is None else told.receipt
        receipts = self._service.receipts
        good = bool(brought) and receipts.matches(brought or "", row.id, row.session, row.worker_id)
        extra = {**row.extra, "receipt": good, "told": brought is not None}
        state = SubmissionState.SUBMITTED
        offers.change_submission(connection, row.id, state=state, extra=extra)

    def _accepted(self, connection: Connection, row: SubmissionRow) -> None:
        """Note that it was accepted without us: by a person there, or after some days."""
        cost = 0 if row.offer_id is None else offers.get_offer(connection, row.offer_id).price
        offers.change_submission(connection, row.id, state=SubmissionState.ACCEPTED)
        message = "accepted at the platform"
        self._note(connection, Kind.ACCEPT, row, message, name=f"outside:{row.id}", cost=cost)

    def _note(
        self,
        connection: Connection,
        kind: Kind | Note,
        row: SubmissionRow,
        message: str,
        *,
        name: str = "",
        cost: int = 0,
    ) -> None:
        note(
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
