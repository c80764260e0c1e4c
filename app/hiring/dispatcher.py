"""Doing what was written down: each deed once, however often the process dies in between."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nextpair.app.errors import Overtaken, PlatformError, PlatformRefused, PlatformUncertain
from nextpair.app.hiring.offers import draft
from nextpair.app.hiring.outbox import Kind
from nextpair.app.hiring.task_offers import asked
from nextpair.app.hiring.task_payloads import describe, known_tasks
from nextpair.app.platforms.base import Account, Shows
from nextpair.app.platforms.facts import Deed, Stage, Submission, Task
from nextpair.app.runtime.service import Service
from nextpair.app.studies.study import Study
from nextpair.storage import hirings, offers, outbox, studies
from nextpair.storage.clock import read_time
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    DeedRow,
    DeedState,
    HiringRow,
    HiringState,
    OfferState,
    SubmissionState,
)


class Doing:
    """One study's deeds at its platform."""

    def __init__(
        self,
        service: Service,
        study: Study,
        hiring: HiringRow,
        account: Account,
        now: float,
        leads: Callable[[], bool],
    ) -> None:
        self._service, self._study, self._hiring = service, study, hiring
        self._account, self._now, self._leads = account, now, leads
        self._memory = dict(hiring.memory)

    def do_all(self) -> None:
        """Do what is written down, oldest first; what stops all deeds is raised."""
        database = self._service.database
        with database.read() as connection:
            waiting = outbox.intended(connection, self._study.id)
        for row in waiting:
            if not self._leads():
                raise Overtaken()
            with database.write() as connection:
                begun_at = read_time(connection)
                begun = outbox.begin_deed(connection, row, begun_at)
            if begun is not None:
                self._do(begun, begun_at)

    def _do(self, row: DeedRow, begun_at: float) -> None:
        database = self._service.database
        try:
            result = self._act(row, self._deed(row, begun_at))
        except PlatformRefused as error:
            failed, told = DeedState.FAILED, str(error)
            # What may have been paid is counted, so that the budget holds whatever is true.
            free = not isinstance(error, PlatformUncertain)
            with database.write() as connection:
                if not outbox.end_deed(connection, row, failed, self._now, told, free=free):
                    raise Overtaken() from None
                self._failed(connection, row, told)
            return
        except PlatformError as error:
            with database.write() as connection:
                outbox.postpone_deed(connection, row, str(error))
            raise
        with database.write() as connection:
            if outbox.end_deed(connection, row, DeedState.DONE, self._now, ""):
                self._done(connection, row, result)

    def _deed(self, row: DeedRow, begun_at: float) -> Deed:
        database, kept = self._service.database, dict(row.kept)

        def keep(values: Mapping[str, Any]) -> None:
            kept.update(values)
            with database.write() as connection:
                if not outbox.keep(connection, row, kept):
                    # This process was given up, and its next step would be one too many.
                    raise Overtaken()

        def remember(values: Mapping[str, Any]) -> None:
            self._memory.update(values)
            with database.write() as connection:
                hirings.set_memory(connection, self._study.id, self._memory)

        def fence() -> float:
            if not self._leads():
                raise Overtaken()
            with database.write() as connection:
                if not outbox.keep(connection, row, kept):
                    raise Overtaken()
                return read_time(connection)

        token = self._service.receipts.deed_token(self._study.id, row.token)
        since = begun_at if row.tried_at is None else row.tried_at
        return Deed(
            token,
            begun_at,
            row.attempts > 1,
            since,
            kept,
            keep,
            self._memory,
            remember,
            fence,
        )

    def _act(self, row: DeedRow, deed: Deed) -> str | None:
        account = self._account
        match row.kind:
            case Kind.PUBLISH:
                return self._publish(row, deed)
            case Kind.EXPIRE:
                account.expire(self._reference(row), deed)
            case Kind.KEEP_AWAY:
                account.keep_away(self._worker(row), deed)
            case Kind.ACCEPT:
                account.accept(self._submission(row), deed)
            case Kind.REJECT:
                account.reject(self._submission(row), self._study.settings.hiring.reason, deed)
            case Kind.BONUS:
                amount = self._bonus(row)
                account.bonus(
                    self._submission(row), amount, self._study.settings.hiring.thanks, deed
                )
        return None

    def _publish(self, row: DeedRow, deed: Deed) -> str:
        with self._service.database.read() as connection:
            offer = offers.get_offer(connection, row.offer_id or 0)
            made = offers.list_offers(connection, self._study.id)
        drafted = draft(self._service, self._study, offer.number, offer.places)
        earlier = [one.reference for one in made if one.reference and one.number < offer.number]
        # As it was decided on, though the study's settings may have changed since.
        told = replace(
            drafted,
            questions=offer.questions,
            reward=offer.reward,
            earlier=tuple(earlier),
            tasks=self._tasks(offer.number),
        )
        return self._account.publish(told, deed)

    def _tasks(self, number: int) -> Sequence[Task]:
        if self._study.platform.shows is not Shows.TASKS:
            return ()
        rows = asked(self._service, self._study.id, number)
        return [*describe(self._service, rows), *known_tasks(self._service, self._study)]

    def _reference(self, row: DeedRow) -> str:
        with self._service.database.read() as connection:
            return offers.get_offer(connection, row.offer_id or 0).reference or ""

    def _bonus(self, row: DeedRow) -> int:
        with self._service.database.read() as connection:
            return offers.get_offer(connection, row.offer_id or 0).bonus

    def _worker(self, row: DeedRow) -> str:
        with self._service.database.read() as connection:
            return studies.get_worker(connection, row.worker_id or 0).name

    def _submission(self, row: DeedRow) -> Submission:
        with self._service.database.read() as connection:
            found = offers.find_submission(connection, row.submission_id or 0)
            assert found is not None, "a deed's submission is never deleted"
            worker = studies.get_worker(connection, found.worker_id).name
            reference = None
            if found.offer_id is not None:
                reference = offers.get_offer(connection, found.offer_id).reference
        return Submission(found.session, worker, Stage.SUBMITTED, reference)

    def _done(self, connection: Connection, row: DeedRow, result: str | None) -> None:
        if row.kind == Kind.PUBLISH and row.offer_id is not None:
            offers.change_offer(connection, row.offer_id, state=OfferState.OPEN, reference=result)
        elif row.kind == Kind.EXPIRE and row.offer_id is not None:
            offers.change_offer(
                connection, row.offer_id, state=OfferState.EXPIRED, ended_at=self._now
            )

    def _failed(self, connection: Connection, row: DeedRow, message: str) -> None:
        if row.kind == Kind.PUBLISH and row.offer_id is not None:
            offers.change_offer(connection, row.offer_id, state=OfferState.FAILED)
            # The next offer would be refused for the same reason.
            hirings.set_hiring_state(
                connection, self._study.id, HiringState.PAUSED, self._now, message=message
            )
        elif row.kind in (Kind.ACCEPT, Kind.REJECT) and row.submission_id is not None:
            state = SubmissionState.HELD
            offers.change_submission(connection, row.submission_id, state=state)
