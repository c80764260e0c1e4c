"""Confirmation of sessions: their answers move from quarantine into the judgment log."""

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


def confirm_session(connection: Connection, row: SubmissionRow, now: float) -> list[int]:
    """Mark a session as confirmed; return the workers whose questions are to be released.

    Other workers' claims to the same session are returned: it has passed to this worker.
    """
    if row.confirmed_at is None:
        offers.change_submission(connection, row.id, confirmed_at=now)
    released = []
    for other in offers.submissions_of(connection, row.study_id, row.session):
        if other.id != row.id and other.state == SubmissionState.WORKING:
            offers.change_submission(connection, other.id, state=SubmissionState.RETURNED)
            released.append(other.worker_id)
    return released


def admit_confirmed_answers(service: Service, study_id: int, now: float) -> int:
    """Append the quarantined answers of confirmed sessions to the log; return how many there were.

    Each answer is appended in a transaction of its own, in the order in which they were given and
    by the ordinary way; the next run continues where a process has died.
    """
    with service.database.read() as connection:
        admissible = quarantine.admissible(connection, study_id)
    for session in {row.quarantine for row, _ in admissible if row.quarantine is not None}:
        _release_verdicts(service, session)
    for row, state in admissible:
        try:
            _admit(service, row, now, ended=state != SubmissionState.WORKING)
        except StorageError:
            raise
        except NextpairError as error:
            # The study's settings may have changed since; this answer stays in quarantine.
            log.warning("an answer stays in quarantine: %s", error)
    _conclude_batches(service, study_id)
    return len(admissible)


def _conclude_batches(service: Service, study_id: int) -> None:
    """Conclude the batches of workers who have handed in, before they are decided on.

    Most are concluded: only what was in quarantine at the hand-in could not be checked then.
    """
    with service.database.read() as connection:
        if not service.study(connection, study_id).settings.quality.checks:
            return
        finished = offers.workers_handed_in(connection, study_id)
    for worker_id, finished_at in finished:
        conclude_batches(service, worker_id, finished_at)


def _release_verdicts(service: Service, session: int) -> None:
    """Make the verdicts of a quarantined session those of its worker."""
    with service.database.read() as connection:
        verdicts = quarantine.verdicts_of(connection, session)
    for verdict in verdicts:
        service.change(verdict.topic_id, partial(_add_verdict, verdict))
    if verdicts:
        with service.database.write() as connection:
            quarantine.forget_verdicts(connection, session)


def _add_verdict(
    verdict: VerdictRow, connection: Connection, live: LiveTopic, locked: bool
) -> Step[None] | None:
    if not locked:
        return None
    existing = checks.verdicts_of(connection, verdict.worker_id, verdict.topic_id)
    key = (verdict.check, verdict.number)
    same = (other for other in existing if (other.check, other.number) == key)
    if any(other.attempt >= verdict.attempt or other.passed for other in same):
        return Step(None)
    return Step(None, Change(live.moved()), verdict=verdict)


def _admit(service: Service, quarantined: AssignmentRow, now: float, *, ended: bool) -> None:
    ref = AssignmentRef(quarantined.topic_id, quarantined.number)

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[None] | None:
        if not locked:
            return None
        held = take(service, connection, live, ref, None)
        if held.row.quarantine != quarantined.quarantine or held.row.state == State.LAPSED:
            return Step(None)
        if held.row.state == State.HELD:
            return _append(service, connection, held, now)
        head = live.moved()
        until = min(held.row.expires_at, now) if ended else held.row.expires_at
        row = replace(held.row, quarantine=None, version=head.version, expires_at=until)
        return Step(None, Change(head, [row]), changed=[row])

    service.change(quarantined.topic_id, act)


def _append(service: Service, connection: Connection, held: Held, now: float) -> Step[None]:
    """Append a quarantined answer, with the verdict of the batch that it completes."""
    live, study = held.live, held.study
    closed = Status.CLOSED in (live.head.status, live.head.study_status)
    worker = studies.get_worker(connection, held.row.worker_id).name
    if closed or worker in study.blocked:
        # A closed topic takes no answers, and a blocked worker's are not taken.
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
    step = absorbed(held._replace(row=row), judgment, concluded, now)
    return Step(
        None,
        step.change,
        changed=step.changed,
        judgment=step.judgment,
        retractions=step.retractions,
        verdict=step.verdict,
    )
