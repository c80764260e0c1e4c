"""Letting the answers of confirmed sessions count: they go from quarantine into the log."""

import logging
from dataclasses import replace
from functools import partial

from nextpair.app.judging.assignment_context import Held, take
from nextpair.app.judging.judgment_record import Reading
from nextpair.app.judging.submit_answer import absorbed
from nextpair.app.quality.batch_evaluation import Checking
from nextpair.app.quality.early_verdicts import conclude_batches
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.security.tokens import AssignmentRef
from nextpair.selectors.errors import NextpairError
from nextpair.storage import checks, offers, quarantine, studies
from nextpair.storage.database import Connection
from nextpair.storage.errors import StorageError
from nextpair.storage.hiring_rows import SubmissionRow, SubmissionState
from nextpair.storage.rows import AssignmentRow, Purpose, State, Status, VerdictRow

log = logging.getLogger("nextpair")


def confirm(connection: Connection, row: SubmissionRow, now: float) -> list[int]:
    """Note that a platform stands by a session; return whose questions are free by it.

    What others claimed of the same session is given back: it has come to another worker.
    """
    if row.confirmed_at is None:
        offers.change_submission(connection, row.id, confirmed_at=now)
    left = []
    for other in offers.submissions_of(connection, row.study_id, row.session):
        if other.id != row.id and other.state == SubmissionState.WORKING:
            offers.change_submission(connection, other.id, state=SubmissionState.RETURNED)
            left.append(other.worker_id)
    return left


def settle(service: Service, study_id: int, now: float) -> int:
    """Let everything count that confirmed sessions have in quarantine; say how much that was.

    Each answer is appended by itself, in the order in which they were given, as if it were given
    now by the ordinary way; what a process that dies leaves over, the next look finds.
    """
    with service.database.read() as connection:
        waiting = quarantine.admissible(connection, study_id)
    for session in {row.quarantine for row, _ in waiting if row.quarantine is not None}:
        _give_verdicts(service, session)
    for row, state in waiting:
        try:
            _admit(service, row, now, left=state != SubmissionState.WORKING)
        except StorageError:
            raise
        except NextpairError as error:
            # The study may ask for other answers by now; this one stays where it is.
            log.warning("an answer stays in quarantine: %s", error)
    _conclude(service, study_id)
    return len(waiting)


def _conclude(service: Service, study_id: int) -> None:
    """Let the batches of whoever has handed in come to their verdicts, before that is decided on.

    Most have: only what was in quarantine at that time could not be checked then.
    """
    with service.database.read() as connection:
        if not service.study(connection, study_id).settings.quality.checks:
            return
        left = offers.handed_in(connection, study_id)
    for worker_id, finished_at in left:
        conclude_batches(service, worker_id, finished_at)


def _give_verdicts(service: Service, session: int) -> None:
    """Give a worker the verdicts that their session had."""
    with service.database.read() as connection:
        kept = quarantine.verdicts_of(connection, session)
    for verdict in kept:
        service.change(verdict.topic_id, partial(_with_verdict, verdict))
    if kept:
        with service.database.write() as connection:
            quarantine.forget_verdicts(connection, session)


def _with_verdict(
    verdict: VerdictRow, connection: Connection, live: LiveTopic, locked: bool
) -> Step[None] | None:
    if not locked:
        return None
    known = checks.verdicts_of(connection, verdict.worker_id, verdict.topic_id)
    same = (one for one in known if (one.check, one.number) == (verdict.check, verdict.number))
    if any(one.attempt >= verdict.attempt or one.passed for one in same):
        return Step(None)
    return Step(None, Change(live.moved()), verdict=verdict)


def _admit(service: Service, seen: AssignmentRow, now: float, *, left: bool) -> None:
    ref = AssignmentRef(seen.topic_id, seen.number)

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[None] | None:
        if not locked:
            return None
        held = take(service, connection, live, ref, None)
        if held.row.quarantine != seen.quarantine or held.row.state == State.LAPSED:
            return Step(None)
        if held.row.state == State.HELD:
            return _append(service, connection, held, now)
        head = live.moved()
        until = min(held.row.expires_at, now) if left else held.row.expires_at
        row = replace(held.row, quarantine=None, version=head.version, expires_at=until)
        return Step(None, Change(head, [row]), changed=[row])

    service.change(seen.topic_id, act)


def _append(service: Service, connection: Connection, held: Held, now: float) -> Step[None]:
    """Append an answer that was held, with what follows from the batch that it completes."""
    live, study = held.live, held.study
    closed = Status.CLOSED in (live.head.status, live.head.study_status)
    worker = studies.get_worker(connection, held.row.worker_id).name
    if closed or worker in study.blocked:
        # A closed topic takes no answers, and one who is blocked gives none.
        return Step(None)
    assert held.row.held is not None
    answer, at = held.row.held["answer"], float(held.row.held["at"])
    row = replace(held.row, state=State.OPEN, quarantine=None, held=None)
    content = study.design.read(answer, review=row.subject is not None)
    reading = Reading(service, connection, live, study, row)
    judgment = reading.judgment(content, answer, at)
    judgment = replace(judgment, seconds=held.row.held["seconds"])
    concluded = None
    if row.batch is not None or row.purpose == Purpose.QUIZ:
        session = held.row.quarantine
        checking = Checking(connection, live, study, row.worker_id, admitted=session)
        concluded = checking.after(replace(row, state=State.ANSWERED), judgment, at)
    told = absorbed(held._replace(row=row), judgment, concluded, now)
    return Step(
        None,
        told.change,
        changed=told.changed,
        judgment=told.judgment,
        retractions=told.retractions,
        verdict=told.verdict,
    )
