"""The runner: of all processes, the holder of the leader lease serves every study that hires."""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from nextpair.app.errors import LeadershipLost, PlatformError, PlatformUnreachable
from nextpair.app.hiring import confirmation
from nextpair.app.hiring.decisions import decide_submissions
from nextpair.app.hiring.dispatcher import Dispatcher
from nextpair.app.hiring.inbox import OVERTURN_SECONDS, WIDE_SECONDS, Inbox
from nextpair.app.hiring.lapsed_sessions import awaits_late_hand_in, lapse_sessions
from nextpair.app.hiring.offer_status import OfferStatusCheck
from nextpair.app.hiring.offers import enqueue_expiries, enqueue_offers, remaining_demand
from nextpair.app.hiring.outbox import ActivityEvent, record_activity
from nextpair.app.hiring.redaction import redacted_trace
from nextpair.app.hiring.task_offers import enqueue_task_offers, settle_offers
from nextpair.app.hiring.validating_account import ValidatingAccount
from nextpair.app.platforms.base import Account, Platform, QuestionDisplay
from nextpair.app.platforms.registry import read_access
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.selectors.errors import NextpairError
from nextpair.storage import hirings, offers, outbox, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    UNDECIDED,
    HiringRow,
    HiringState,
    OfferRow,
    OfferState,
    SubmissionState,
)
from nextpair.storage.rows import StudyStatus

log = logging.getLogger("nextpair")

LEADER = "runner"
LEASE_SECONDS = 120.0
"""How long the leader lease lasts. It is renewed before every command; a leader that comes back
after its end finds that its fencing token is outdated."""
JOIN_SECONDS = 8.0
"""How long a call under way may delay the end of a process."""
UNEXPECTED = "something went wrong here that nobody expected: it is tried again, see the log"
RETRY_SECONDS = 60.0
"""After how long a platform that could not be reached is tried again."""


class Runner:
    """Publishes, polls, decides and pays; all of its state is in the database."""

    def __init__(self, service: ServiceContext, clock: Callable[[], float]) -> None:
        self._service = service
        self._clock = clock
        self._name = secrets.token_hex(8)
        self._polled_widely: dict[int, float] = {}
        # Opening one takes a while, and settings hardly ever change in between.
        self._accounts: dict[int, tuple[Platform, Account]] = {}

    def run(self, stop: threading.Event, seconds: float) -> None:
        """Serve all studies again and again, until stopped."""
        while not stop.wait(seconds):
            try:
                self.tick()
            except Exception as error:
                # Usually the database is away; its message may repeat personal data.
                log.warning("no study is looked after now", extra={"error": redacted_trace(error)})
        self.resign()

    def resign(self) -> None:
        """Release the leader lease, and close all connections."""
        for study_id in list(self._accounts):
            self._close(study_id)
        try:
            with self._service.database.write() as connection:
                hirings.release_lease(connection, LEADER, self._name)
        except NextpairError as error:
            log.warning("the lead was not given back", extra={"error": redacted_trace(error)})

    def tick(self) -> bool:
        """Serve every study once; False if another process leads, or nothing is due."""
        database = self._service.database
        with database.read() as connection:
            rows = hirings.list_hirings(connection)
        due = [row for row in rows if self._is_due(row)]
        if not due or not self._renew_lease():
            return False
        for row in due:
            if self._renew_lease():
                try:
                    self._serve(row)
                except NextpairError as error:
                    # Its error could not be stored either: the next tick will meet it again.
                    extra = {"study": row.study_id, "error": redacted_trace(error)}
                    log.warning("hiring of a study was left for now", extra=extra)
        return True

    def _renew_lease(self) -> bool:
        with self._service.database.write() as connection:
            return hirings.acquire_lease(connection, LEADER, self._name, LEASE_SECONDS)

    def _is_due(self, row: HiringRow) -> bool:
        if row.retry_at is not None:
            return row.retry_at <= self._clock()
        if row.state != HiringState.STOPPED:
            return row.state == HiringState.RUNNING
        # A study that has stopped still decides on the sessions that were begun.
        with self._service.database.read() as connection:
            all_offers = offers.list_offers(connection, row.study_id)
            return bool(
                outbox.pending_entries(connection, row.study_id)
                or offers.submissions_in_state(connection, row.study_id, UNDECIDED)
                or awaits_late_hand_in(connection, row.study_id, self._clock())
                or any(offer.state == OfferState.OPEN or offer.working for offer in all_offers)
                or self._may_be_overturned(connection, row.study_id, all_offers)
            )

    def _may_be_overturned(
        self, connection: Connection, study_id: int, all_offers: Sequence[OfferRow]
    ) -> bool:
        """Say whether to poll once more for rejections that a person has overturned."""
        now = self._clock()
        if now - self._polled_widely.get(study_id, 0.0) < WIDE_SECONDS:
            return False
        rejected = offers.submissions_in_state(connection, study_id, [SubmissionState.REJECTED])
        recent = {offer.id for offer in all_offers if now - offer.created_at < OVERTURN_SECONDS}
        return any(submission.offer_id in recent for submission in rejected)

    def _serve(self, row: HiringRow) -> None:
        """Serve one study: an error pauses this study and no other."""
        now = self._clock()
        try:
            with self._service.database.read() as connection:
                study = self._service.study(connection, row.study_id)
            self._run_steps(study, row, self._account(study), now)
            self._resume(row, now)
        except LeadershipLost:
            log.warning("another process looks after studies now", extra={"study": row.study_id})
        except Exception as error:
            with suppress(Exception):
                self._close(row.study_id)
            self._pause(row, error, now)

    def _account(self, study: Study) -> Account:
        opened = self._accounts.get(study.id)
        if opened is not None and opened[0] == study.platform:
            return opened[1]
        self._close(study.id)
        name = study.settings.platform
        access = read_access(name, self._service.settings.platforms)
        account = ValidatingAccount(study.platform.open(access), name)
        self._accounts[study.id] = study.platform, account
        return account

    def _close(self, study_id: int) -> None:
        opened = self._accounts.pop(study_id, None)
        if opened is not None:
            opened[1].close()

    def _run_steps(self, study: Study, row: HiringRow, account: Account, now: float) -> None:
        database = self._service.database
        dispatcher = Dispatcher(self._service, study, row, account, now, self._renew_lease)
        dispatcher.dispatch_pending()
        inbox = Inbox(self._service, study, row, account, now)
        inbox.process_received()
        # Before the poll: who is not at work at the check has handed in by the time of the poll.
        may_offer = OfferStatusCheck(self._service, study, row, account, now).run()
        wide = now - self._polled_widely.get(study.id, 0.0) >= WIDE_SECONDS
        inbox.poll(wide=wide)
        if wide:
            self._polled_widely[study.id] = now
        if confirmation.admit_confirmed_answers(self._service, study.id, now):
            # The answers that count from now on may have stopped their workers.
            with database.read() as connection:
                study = self._service.study(connection, study.id)
        lapse_sessions(self._service, study, row, now)
        tasks = study.platform.question_display is QuestionDisplay.TASKS
        if tasks:
            settle_offers(self._service, row, now)
        demand = remaining_demand(self._service, study.id)
        over = (
            demand.finished or study.status != StudyStatus.OPEN or row.state == HiringState.STOPPED
        )
        with database.write() as connection:
            studies.lock_study(connection, study.name)
            decide_submissions(connection, row, study, now)
            if over:
                enqueue_expiries(connection, row, now)
            elif may_offer and not tasks:
                enqueue_offers(self._service, connection, row, study, demand, now)
        if tasks and may_offer and not over:
            enqueue_task_offers(self._service, row, study, demand, now)
        dispatcher.dispatch_pending()

    def _pause(self, row: HiringRow, error: Exception, now: float) -> None:
        """Pause with the error as the message; only a passing error is retried automatically."""
        is_passing = isinstance(error, PlatformUnreachable) or not isinstance(error, PlatformError)
        retry_at = now + RETRY_SECONDS if is_passing else None
        message = str(error) if isinstance(error, NextpairError) else UNEXPECTED
        if row.message != message:
            # Logged once, and without the platform's words, which may name a worker.
            extra = {
                "study": row.study_id,
                "platform": row.platform,
                "error": redacted_trace(error),
            }
            log.warning("hiring of a study pauses", extra=extra)
        state = HiringState.STOPPED if row.state == HiringState.STOPPED else HiringState.PAUSED
        with self._service.database.write() as connection:
            hirings.set_hiring_state(
                connection, row.study_id, state, now, message=message, retry_at=retry_at
            )
            if row.message != message:
                record_activity(connection, row, ActivityEvent.PAUSE, repr(now), message, now)

    def _resume(self, row: HiringRow, now: float) -> None:
        if row.retry_at is None:
            return
        state = HiringState.STOPPED if row.state == HiringState.STOPPED else HiringState.RUNNING
        with self._service.database.write() as connection:
            current = hirings.find_hiring(connection, row.study_id)
            if current is None or current.retry_at != row.retry_at:
                # It was paused again in between, by a refusal or by hand.
                return
            hirings.set_hiring_state(connection, row.study_id, state, now)
            record_activity(
                connection, row, ActivityEvent.RESUME, repr(now), "the platform is back", now
            )


@contextmanager
def runner_thread(
    service: ServiceContext, clock: Callable[[], float], seconds: float
) -> Iterator[None]:
    """Run a runner in a thread of this process, unless that is switched off by 0 seconds."""
    if not seconds:
        yield
        return
    stop = threading.Event()
    runner = Runner(service, clock)
    thread = threading.Thread(target=runner.run, args=(stop, seconds), name="runner", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(JOIN_SECONDS)
