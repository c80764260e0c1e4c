"""Letting the answers of confirmed sessions count: they go from quarantine into the log."""

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


def settle(service: ServiceContext, study_id: int, now: float) -> int:
    """Let everything count that confirmed sessions have in quarantine; say how much that was.

    Each answer is appended by itself, in the order in which they were given, as if it were given
    now by the ordinary way; what a process that dies leaves over, the next look finds.
    """
    with service.database.read() as connection:
        waiting = quarantine.confirmed_assignments(connection, study_id)
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


def _conclude(service: ServiceContext, study_id: int) -> None:
    """Let the batches of whoever has handed in come to their verdicts, before that is decided on.

    Most have: only what was in quarantine at that time could not be checked then.
    """
    with service.database.read() as connection:
        if not service.study(connection, study_id).settings.quality.checks:
            return
        left = offers.handed_in(connection, study_id)
    for worker_id, finished_at in left:
        conclude_batches(service, worker_id, finished_at)


def _give_verdicts(service: ServiceContext, session: int) -> None:
    """Give a worker the verdicts that their session had."""
    with service.database.read() as connection:
        kept = quarantine.verdicts_of(connection, session)
    for verdict in kept:
        service.transact(verdict.topic_id, partial(_with_verdict, verdict))
    if kept:
        with service.database.write() as connection:
            quarantine.delete_verdicts(connection, session)


def _with_verdict(
    verdict: VerdictRow, connection: Connection, projection: TopicProjection, locked: bool
) -> UnitOfWork[None] | None:
    if not locked:
        return None
    known = checks.verdicts_of(connection, verdict.worker_id, verdict.topic_id)
    same = (one for one in known if (one.check, one.number) == (verdict.check, verdict.number))
    if any(one.attempt >= verdict.attempt or one.passed for one in same):
        return UnitOfWork(None)
    return UnitOfWork(None, TopicDelta(projection.next_head()), verdict=verdict)


def _admit(service: ServiceContext, seen: AssignmentRow, now: float, *, left: bool) -> None:
    ref = AssignmentRef(seen.topic_id, seen.number)

    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[None] | None:
        if not locked:
            return None
        held = load_context(service, connection, projection, ref, None)
        if held.assignment.quarantine != seen.quarantine or held.assignment.state == State.LAPSED:
            return UnitOfWork(None)
        if held.assignment.state == State.HELD:
            return _append(service, connection, held, now)
        head = projection.next_head()
        until = min(held.assignment.expires_at, now) if left else held.assignment.expires_at
        row = replace(held.assignment, quarantine=None, version=head.version, expires_at=until)
        return UnitOfWork(None, TopicDelta(head, [row]), changed_assignments=[row])

    service.transact(seen.topic_id, decide)


def _append(
    service: ServiceContext, connection: Connection, held: AssignmentContext, now: float
) -> UnitOfWork[None]:
    """Append an answer that was held, with what follows from the batch that it completes."""
    projection, study = held.projection, held.study
    closed = Status.CLOSED in (projection.head.status, projection.head.study_status)
    worker = studies.get_worker(connection, held.assignment.worker_id).name
    if closed or worker in study.blocked:
        # A closed topic takes no answers, and one who is blocked gives none.
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
    told = accept_answer(held._replace(assignment=row), judgment, concluded, now)
    return UnitOfWork(
        None,
        told.delta,
        changed_assignments=told.changed_assignments,
        judgment=told.judgment,
        retractions=told.retractions,
        verdict=told.verdict,
    )
