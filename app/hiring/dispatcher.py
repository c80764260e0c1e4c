"""The dispatcher of the outbox: carries out commands at a platform, each effectively once.

Delivery is at least once, because the process can die between a call and its note here. What makes
it effectively once is the idempotency key, the look-up of earlier attempts in the accounts, and the
fencing token: an attempt that is not the newest any more can store nothing and pays nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nextpair.app.errors import LeadershipLost, PlatformError, PlatformRefused, PlatformUncertain
from nextpair.app.hiring.offers import draft_offer
from nextpair.app.hiring.outbox import CommandKind
from nextpair.app.hiring.task_offers import questions_of
from nextpair.app.hiring.task_payloads import build_tasks, gold_tasks
from nextpair.app.platforms.base import Account, QuestionDisplay
from nextpair.app.platforms.messages import CommandAttempt, Stage, Submission, Task
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.storage import hirings, offers, outbox, studies
from nextpair.storage.clock import read_time
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    HiringRow,
    HiringState,
    OfferState,
    OutboxEntry,
    OutboxState,
    SubmissionState,
)


class Dispatcher:
    """Carries out the commands of one study.

    Parameters
    ----------
    renew_lease
        Renews the leader lease; False if another process holds it.
    """

    def __init__(
        self,
        service: ServiceContext,
        study: Study,
        hiring: HiringRow,
        account: Account,
        now: float,
        renew_lease: Callable[[], bool],
    ) -> None:
        self._service, self._study, self._hiring = service, study, hiring
        self._account, self._now, self._renew_lease = account, now, renew_lease
        self._resources = dict(hiring.memory)

    def dispatch_pending(self) -> None:
        """Carry out all pending commands, oldest first; raise what stops them all."""
        database = self._service.database
        with database.read() as connection:
            pending = outbox.pending_entries(connection, self._study.id)
        for entry in pending:
            if not self._renew_lease():
                raise LeadershipLost()
            with database.write() as connection:
                begun_at = read_time(connection)
                begun = outbox.begin_attempt(connection, entry, begun_at)
            if begun is not None:
                self._dispatch(begun, begun_at)

    def _dispatch(self, entry: OutboxEntry, begun_at: float) -> None:
        database = self._service.database
        try:
            reference = self._execute(entry, self._attempt(entry, begun_at))
        except PlatformRefused as error:
            failed, message = OutboxState.FAILED, str(error)
            # What may have been paid stays booked, so that the budget holds in either case.
            free = not isinstance(error, PlatformUncertain)
            with database.write() as connection:
                if not outbox.end_entry(connection, entry, failed, self._now, message, free=free):
                    raise LeadershipLost() from None
                self._apply_failure(connection, entry, message)
            return
        except PlatformError as error:
            with database.write() as connection:
                outbox.postpone(connection, entry, str(error))
            raise
        with database.write() as connection:
            if outbox.end_entry(connection, entry, OutboxState.DONE, self._now, ""):
                self._apply_success(connection, entry, reference)

    def _attempt(self, entry: OutboxEntry, begun_at: float) -> CommandAttempt:
        database, progress = self._service.database, dict(entry.kept)

        def save_progress(values: Mapping[str, Any]) -> None:
            progress.update(values)
            with database.write() as connection:
                if not outbox.save_progress(connection, entry, progress):
                    # A newer attempt has begun elsewhere: this one must make no further call.
                    raise LeadershipLost()

        def save_resources(values: Mapping[str, Any]) -> None:
            self._resources.update(values)
            with database.write() as connection:
                hirings.save_resources(connection, self._study.id, self._resources)

        def fence() -> float:
            if not self._renew_lease():
                raise LeadershipLost()
            with database.write() as connection:
                if not outbox.save_progress(connection, entry, progress):
                    raise LeadershipLost()
                return read_time(connection)

        first_attempt_at = begun_at if entry.tried_at is None else entry.tried_at
        return CommandAttempt(
            self._service.receipts.idempotency_key(self._study.id, entry.token),
            begun_at,
            entry.attempts > 1,
            first_attempt_at,
            progress,
            save_progress,
            self._resources,
            save_resources,
            fence,
        )

    def _execute(self, entry: OutboxEntry, attempt: CommandAttempt) -> str | None:
        """Call the platform; return its id of an offer that was published."""
        account, rules = self._account, self._study.settings.hiring
        match entry.kind:
            case CommandKind.PUBLISH:
                return self._publish(entry, attempt)
            case CommandKind.EXPIRE:
                account.expire(self._offer_reference(entry), attempt)
            case CommandKind.KEEP_AWAY:
                account.keep_away(self._worker_name(entry), attempt)
            case CommandKind.ACCEPT:
                account.accept(self._submission(entry), attempt)
            case CommandKind.REJECT:
                account.reject(self._submission(entry), rules.reason, attempt)
            case CommandKind.BONUS:
                amount = self._bonus_amount(entry)
                account.bonus(self._submission(entry), amount, rules.thanks, attempt)
        return None

    def _publish(self, entry: OutboxEntry, attempt: CommandAttempt) -> str:
        with self._service.database.read() as connection:
            row = offers.get_offer(connection, entry.offer_id or 0)
            all_offers = offers.list_offers(connection, self._study.id)
        earlier = [
            offer.reference for offer in all_offers if offer.reference and offer.number < row.number
        ]
        # As it was decided on, though the study's settings may have changed since.
        offer = replace(
            draft_offer(self._service, self._study, row.number, row.places),
            questions=row.questions,
            reward=row.reward,
            earlier_offers=tuple(earlier),
            tasks=self._tasks(row.number),
        )
        return self._account.publish(offer, attempt)

    def _tasks(self, number: int) -> Sequence[Task]:
        if self._study.platform.question_display is not QuestionDisplay.TASKS:
            return ()
        questions = questions_of(self._service, self._study.id, number)
        return [*build_tasks(self._service, questions), *gold_tasks(self._service, self._study)]

    def _offer_reference(self, entry: OutboxEntry) -> str:
        with self._service.database.read() as connection:
            return offers.get_offer(connection, entry.offer_id or 0).reference or ""

    def _bonus_amount(self, entry: OutboxEntry) -> int:
        with self._service.database.read() as connection:
            return offers.get_offer(connection, entry.offer_id or 0).bonus

    def _worker_name(self, entry: OutboxEntry) -> str:
        with self._service.database.read() as connection:
            return studies.get_worker(connection, entry.worker_id or 0).name

    def _submission(self, entry: OutboxEntry) -> Submission:
        with self._service.database.read() as connection:
            row = offers.find_submission(connection, entry.submission_id or 0)
            assert row is not None, "a command's submission is never deleted"
            worker = studies.get_worker(connection, row.worker_id).name
            reference = None
            if row.offer_id is not None:
                reference = offers.get_offer(connection, row.offer_id).reference
        return Submission(row.session, worker, Stage.SUBMITTED, reference)

    def _apply_success(
        self, connection: Connection, entry: OutboxEntry, reference: str | None
    ) -> None:
        if entry.kind == CommandKind.PUBLISH and entry.offer_id is not None:
            offers.change_offer(
                connection, entry.offer_id, state=OfferState.OPEN, reference=reference
            )
        elif entry.kind == CommandKind.EXPIRE and entry.offer_id is not None:
            offers.change_offer(
                connection, entry.offer_id, state=OfferState.EXPIRED, ended_at=self._now
            )

    def _apply_failure(self, connection: Connection, entry: OutboxEntry, message: str) -> None:
        if entry.kind == CommandKind.PUBLISH and entry.offer_id is not None:
            offers.change_offer(connection, entry.offer_id, state=OfferState.FAILED)
            # The next offer would be refused for the same reason.
            hirings.set_hiring_state(
                connection, self._study.id, HiringState.PAUSED, self._now, message=message
            )
        elif (
            entry.kind in (CommandKind.ACCEPT, CommandKind.REJECT)
            and entry.submission_id is not None
        ):
            offers.change_submission(connection, entry.submission_id, state=SubmissionState.HELD)
