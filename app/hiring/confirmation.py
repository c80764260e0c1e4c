"""Confirmation of sessions: their answers move from quarantine into the judgment log."""

import logging
from dataclasses import replace
from functools import partial

from nextpair.app.judging.assignment_context import AssignmentContext, load_context
from nextpair.app.judging.judgment_builder import JudgmentBuilder
from nextpair.app.judging.submit_answer import accept_answer
from nextpair.app.quality.batch_evaluation import BatchEvaluation
from nextpair.app.quality.early_verdicts import conclude_batches
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.app.security.tokens import AssignmentRef
from nextpair.selectors.errors import NextpairError
from nextpair.storage import checks, offers, quarantine, studies
from nextpair.storage.database import Connection
from nextpair.storage.errors import StorageError
from nextpair.storage.hiring_rows import SubmissionRow, SubmissionState
from nextpair.storage.rows import AssignmentRow, Purpose, State, StudyStatus, VerdictRow

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


def admit_confirmed_answers(service: ServiceContext, study_id: int, now: float) -> int:
    """Append the quarantined answers of confirmed sessions to the log; return how many there were.

    Each answer is appended in a transaction of its own, in the order in which they were given and
    by the ordinary way; the next run continues where a process has died.
    """
    with service.database.read() as connection:
        admissible = quarantine.confirmed_assignments(connection, study_id)
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


def _conclude_batches(service: ServiceContext, study_id: int) -> None:
    """Conclude the batches of workers who have handed in, before they are decided on.

    Most are concluded: only what was in quarantine at the hand-in could not be checked then.
    """
    with service.database.read() as connection:
        if not service.study(connection, study_id).settings.quality.checks:
            return
        finished = offers.workers_handed_in(connection, study_id)
    for worker_id, finished_at in finished:
        conclude_batches(service, worker_id, finished_at)


def _release_verdicts(service: ServiceContext, session: int) -> None:
    """Make the verdicts of a quarantined session those of its worker."""
    with service.database.read() as connection:
        verdicts = quarantine.verdicts_of(connection, session)
    for verdict in verdicts:
        service.transact(verdict.topic_id, partial(_add_verdict, verdict))
    if verdicts:
        with service.database.write() as connection:
            quarantine.delete_verdicts(connection, session)


def _add_verdict(
    verdict: VerdictRow, connection: Connection, projection: TopicProjection, locked: bool
) -> UnitOfWork[None] | None:
    if not locked:
        return None
    existing = checks.verdicts_of(connection, verdict.worker_id, verdict.topic_id)
    key = (verdict.check, verdict.number)
    same = (other for other in existing if (other.check, other.number) == key)
    if any(other.attempt >= verdict.attempt or other.passed for other in same):
        return UnitOfWork(None)
    return UnitOfWork(None, TopicDelta(projection.next_head()), verdict=verdict)


def _admit(service: ServiceContext, quarantined: AssignmentRow, now: float, *, ended: bool) -> None:
    ref = AssignmentRef(quarantined.topic_id, quarantined.number)

    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[None] | None:
        if not locked:
            return None
        held = load_context(service, connection, projection, ref, None)
        if (
            held.assignment.quarantine != quarantined.quarantine
            or held.assignment.state == State.LAPSED
        ):
            return UnitOfWork(None)
        if held.assignment.state == State.HELD:
            return _append(service, connection, held, now)
        head = projection.next_head()
        until = min(held.assignment.expires_at, now) if ended else held.assignment.expires_at
        row = replace(held.assignment, quarantine=None, version=head.version, expires_at=until)
        return UnitOfWork(None, TopicDelta(head, [row]), changed_assignments=[row])

    service.transact(quarantined.topic_id, decide)


def _append(
    service: ServiceContext, connection: Connection, held: AssignmentContext, now: float
) -> UnitOfWork[None]:
    """Append a quarantined answer, with the verdict of the batch that it completes."""
    projection, study = held.projection, held.study
    closed = StudyStatus.CLOSED in (projection.head.status, projection.head.study_status)
    worker = studies.get_worker(connection, held.assignment.worker_id).name
    if closed or worker in study.blocked:
        # A closed topic takes no answers, and a blocked worker's are not taken.
        return UnitOfWork(None)
    assert held.assignment.held is not None
    answer, at = held.assignment.held["answer"], float(held.assignment.held["at"])
    row = replace(held.assignment, state=State.OPEN, quarantine=None, held=None)
    content = study.design.read(answer, review=row.subject is not None)
    reading = JudgmentBuilder(service, connection, projection, study, row)
    judgment = reading.build(content, answer, at)
    judgment = replace(judgment, seconds=held.assignment.held["seconds"])
    concluded = None
    if row.batch is not None or row.purpose == Purpose.QUIZ:
        session = held.assignment.quarantine
        checking = BatchEvaluation(connection, projection, study, row.worker_id, admitted=session)
        concluded = checking.after(replace(row, state=State.ANSWERED), judgment, at)
    step = accept_answer(held._replace(assignment=row), judgment, concluded, now)
    return UnitOfWork(
        None,
        step.delta,
        changed_assignments=step.changed_assignments,
        judgment=step.judgment,
        retractions=step.retractions,
        verdict=step.verdict,
    )
