"""The runner: one among all processes looks after every study that hires."""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from nextpair.app.errors import Overtaken, PlatformError, PlatformUnreachable
from nextpair.app.hiring import confirmation
from nextpair.app.hiring.decisions import decide_all
from nextpair.app.hiring.dispatcher import Doing
from nextpair.app.hiring.fault_descriptions import describe
from nextpair.app.hiring.guarded_account import GuardedAccount
from nextpair.app.hiring.inbox import OVERTURN_SECONDS, WIDE_SECONDS, Hearing
from nextpair.app.hiring.lapsed_sessions import awaits_late, lapse
from nextpair.app.hiring.offer_status import Standings
from nextpair.app.hiring.offers import offer_more, withdraw, work_left
from nextpair.app.hiring.outbox import Note, note
from nextpair.app.hiring.task_offers import offer_tasks, settle
from nextpair.app.platforms.base import Account, Platform, Shows
from nextpair.app.platforms.registry import read_access
from nextpair.app.runtime.service import Service
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
from nextpair.storage.rows import Status

log = logging.getLogger("nextpair")

LEADER = "runner"
LEASE_SECONDS = 120.0
"""How long a leader that is not heard of keeps others from leading; it is heard of before every
deed, and one that comes back later finds its attempt overtaken."""
JOIN_SECONDS = 8.0
"""How long a call that is being made may hold up the end of a process."""
UNEXPECTED = "something went wrong here that nobody expected: it is tried again, see the log"
RETRY_SECONDS = 60.0
"""When a platform that could not be reached is tried again."""


class Runner:
    """Publishes, polls, decides and pays; all that it knows is in the database."""

    def __init__(self, service: Service, clock: Callable[[], float]) -> None:
        self._service = service
        self._clock = clock
        self._name = secrets.token_hex(8)
        self._looked: dict[int, float] = {}
        # Opening one takes a while, and as good as nothing changes in between.
        self._accounts: dict[int, tuple[Platform, Account]] = {}

    def run(self, stop: threading.Event, seconds: float) -> None:
        """Look after all studies again and again, until stopped."""
        while not stop.wait(seconds):
            try:
                self.tick()
            except Exception as error:
                # As a rule the database is away; what is said of it may repeat what people wrote.
                log.warning("no study is looked after now", extra={"error": describe(error)})
        self.resign()

    def resign(self) -> None:
        """Let another process lead, and give back all connections."""
        for study_id in list(self._accounts):
            self._close(study_id)
        try:
            with self._service.database.write() as connection:
                hirings.resign(connection, LEADER, self._name)
        except NextpairError as error:
            log.warning("the lead was not given back", extra={"error": describe(error)})

    def tick(self) -> bool:
        """Look after every study once; False if that is another process's to do, or nobody's."""
        database = self._service.database
        with database.read() as connection:
            rows = hirings.list_hirings(connection)
        due = [row for row in rows if self._is_due(row)]
        if not due or not self._lead():
            return False
        for row in due:
            if self._lead():
                try:
                    self._look_after(row)
                except NextpairError as error:
                    # Its trouble could not be written down either: the next look will find it.
                    extra = {"study": row.study_id, "error": describe(error)}
                    log.warning("hiring of a study was left for now", extra=extra)
        return True

    def _lead(self) -> bool:
        with self._service.database.write() as connection:
            return hirings.lead(connection, LEADER, self._name, LEASE_SECONDS)

    def _is_due(self, row: HiringRow) -> bool:
        if row.retry_at is not None:
            return row.retry_at <= self._clock()
        if row.state != HiringState.STOPPED:
            return row.state == HiringState.RUNNING
        # Who has stopped still decides on what was begun.
        with self._service.database.read() as connection:
            made = offers.list_offers(connection, row.study_id)
            return bool(
                outbox.intended(connection, row.study_id)
                or offers.submissions_in(connection, row.study_id, UNDECIDED)
                or awaits_late(connection, row.study_id, self._clock())
                or any(one.state == OfferState.OPEN or one.working for one in made)
                or self._may_be_overturned(connection, row.study_id, made)
            )

    def _may_be_overturned(
        self, connection: Connection, study_id: int, made: Sequence[OfferRow]
    ) -> bool:
        """Say whether to ask once more if a person has accepted whom we have rejected."""
        now = self._clock()
        if now - self._looked.get(study_id, 0.0) < WIDE_SECONDS:
            return False
        rejected = offers.submissions_in(connection, study_id, [SubmissionState.REJECTED])
        recent = {one.id for one in made if now - one.created_at < OVERTURN_SECONDS}
        return any(one.offer_id in recent for one in rejected)

    def _look_after(self, row: HiringRow) -> None:
        """Look after one study: whatever goes wrong in it is its own trouble, and no other's."""
        now = self._clock()
        try:
            with self._service.database.read() as connection:
                study = self._service.study(connection, row.study_id)
            self._work(study, row, self._account(study), now)
            self._go_on(row, now)
        except Overtaken:
            log.warning("another process looks after studies now", extra={"study": row.study_id})
        except Exception as error:
            with suppress(Exception):
                self._close(row.study_id)
            self._trouble(row, error, now)

    def _account(self, study: Study) -> Account:
        known = self._accounts.get(study.id)
        if known is not None and known[0] == study.platform:
            return known[1]
        self._close(study.id)
        name = study.settings.platform
        access = read_access(name, self._service.settings.platforms)
        account = GuardedAccount(study.platform.open(access), name)
        self._accounts[study.id] = study.platform, account
        return account

    def _close(self, study_id: int) -> None:
        known = self._accounts.pop(study_id, None)
        if known is not None:
            known[1].close()

    def _work(self, study: Study, row: HiringRow, account: Account, now: float) -> None:
        database = self._service.database
        doing = Doing(self._service, study, row, account, now, self._lead)
        doing.do_all()
        hearing = Hearing(self._service, study, row, account, now)
        hearing.hear_kept()
        # Before the rest: whoever is not at work by then has handed in by the time of the poll.
        goes_on = Standings(self._service, study, row, account, now).ask()
        wide = now - self._looked.get(study.id, 0.0) >= WIDE_SECONDS
        hearing.poll(wide=wide)
        if wide:
            self._looked[study.id] = now
        if confirmation.settle(self._service, study.id, now):
            # Answers that count now may have stopped their workers.
            with database.read() as connection:
                study = self._service.study(connection, study.id)
        lapse(self._service, study, row, now)
        tasks = study.platform.shows is Shows.TASKS
        if tasks:
            settle(self._service, row, now)
        work = work_left(self._service, study.id)
        over = work.finished or study.status != Status.OPEN or row.state == HiringState.STOPPED
        with database.write() as connection:
            studies.lock_study(connection, study.name)
            decide_all(connection, row, study, now)
            if over:
                withdraw(connection, row, now)
            elif goes_on and not tasks:
                offer_more(self._service, connection, row, study, work, now)
        if tasks and goes_on and not over:
            offer_tasks(self._service, row, study, work, now)
        doing.do_all()

    def _trouble(self, row: HiringRow, error: Exception, now: float) -> None:
        """Pause with what went wrong; only a platform that was not there is tried again."""
        passing = isinstance(error, PlatformUnreachable) or not isinstance(error, PlatformError)
        retry_at = now + RETRY_SECONDS if passing else None
        message = str(error) if isinstance(error, NextpairError) else UNEXPECTED
        if row.message != message:
            # Once, and not what the platform said, which may name a worker: the owner reads that.
            extra = {"study": row.study_id, "platform": row.platform, "error": describe(error)}
            log.warning("hiring of a study pauses", extra=extra)
        state = HiringState.STOPPED if row.state == HiringState.STOPPED else HiringState.PAUSED
        with self._service.database.write() as connection:
            hirings.set_hiring_state(
                connection, row.study_id, state, now, message=message, retry_at=retry_at
            )
            if row.message != message:
                note(connection, row, Note.PAUSE, repr(now), message, now)

    def _go_on(self, row: HiringRow, now: float) -> None:
        if row.retry_at is None:
            return
        state = HiringState.STOPPED if row.state == HiringState.STOPPED else HiringState.RUNNING
        with self._service.database.write() as connection:
            found = hirings.find_hiring(connection, row.study_id)
            if found is None or found.retry_at != row.retry_at:
                # Meanwhile it was paused again, by what was refused or by hand.
                return
            hirings.set_hiring_state(connection, row.study_id, state, now)
            note(connection, row, Note.RESUME, repr(now), "the platform is back", now)


@contextmanager
def looked_after(service: Service, clock: Callable[[], float], seconds: float) -> Iterator[None]:
    """Let this process look after platforms in a thread of its own, if it is to at all."""
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
