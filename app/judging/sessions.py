"""Judging sessions: one worker's page in one study, for some hours."""

from collections.abc import Collection
from dataclasses import dataclass, field

from nextpair.app.enums import Reason
from nextpair.app.judging.issuer import IssuedAssignments
from nextpair.app.judging.next_question import next_in_study, next_in_topic
from nextpair.app.judging.next_request import NextRequest
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.security.tokens import Session
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, checks, topics
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, StudyStatus, VerdictRow


@dataclass(slots=True)
class SessionQuestions:
    """The assignments that a session got, and how many it has answered.

    Parameters
    ----------
    verdict
        The latest verdict on the worker, where there is nothing to ask them.
    topics
        The name of the verdict's topic, by its id.
    """

    issued: IssuedAssignments
    answered: int = 0
    verdict: VerdictRow | None = None
    topics: dict[int, str] = field(default_factory=dict)


def answered_in(service: ServiceContext, session: Session) -> int:
    """Count what a session's worker has answered in it."""
    study_id = service.study_id(session.study)
    with service.database.read() as connection:
        worker_id = service.worker_id(connection, study_id, session.worker)
        if worker_id is None:
            return 0
        return _answered(connection, worker_id, session)


def _answered(connection: Connection, worker_id: int, session: Session) -> int:
    return assignments.count_answered(connection, worker_id, session.begun_at, session.submission)


def next_in_session(
    service: ServiceContext, session: Session, count: int, held: Collection[str], now: float
) -> SessionQuestions:
    """Return open assignments that the page has lost, then issue new ones.

    So a page that was closed and opened again, or whose response got lost, wastes no assignment.

    Parameters
    ----------
    held
        The ids of the assignments that the page still has.
    """
    questions, room = _resume(service, session, count, held, now)
    issued = questions.issued
    if room > 0:
        _ask(service, session, issued, room, held, now)
    elif not issued.assignments and len(held) == 0:
        issued.reason = Reason.CAP
    if not issued.assignments:
        _look_up_verdict(service, session, questions)
    return questions


def _resume(
    service: ServiceContext, session: Session, count: int, held: Collection[str], now: float
) -> tuple[SessionQuestions, int]:
    """Find the worker's open assignments, and how many more they may get."""
    questions = SessionQuestions(IssuedAssignments())
    study_id = service.study_id(session.study)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        worker_id = service.worker_id(connection, study_id, session.worker)
        if worker_id is None:
            return questions, count if session.count is None else min(count, session.count)
        questions.answered = _answered(connection, worker_id, session)
        quarantined = session.quarantine is not None
        own = (session.quarantine,) if quarantined else (None, session.submission)
        held_rows = assignments.leased_by(connection, worker_id, now)
        open_rows = [row for row in held_rows if row.quarantine in own]
        if _is_served(study, session.worker):
            lost = [row for row in open_rows if _id(row) not in held]
            _reissue(connection, session, questions.issued, lost, count)
    room = count - len(questions.issued.assignments)
    if session.count is not None:
        room = min(room, session.count - questions.answered - len(open_rows))
    return questions, room


def _is_served(study: Study, worker: str) -> bool:
    return study.status == StudyStatus.OPEN and worker not in (*study.blocked, *study.stopped)


def _reissue(
    connection: Connection,
    session: Session,
    issued: IssuedAssignments,
    rows: list[AssignmentRow],
    most: int,
) -> None:
    for row in rows:
        if len(issued.assignments) == most:
            return
        topic = topics.get_topic(connection, row.topic_id)
        if topic.status == StudyStatus.OPEN and session.topic in (None, topic.name):
            issued.assignments.append(row)
            issued.topics[topic.id] = topic


def _ask(
    service: ServiceContext,
    session: Session,
    issued: IssuedAssignments,
    count: int,
    held: Collection[str],
    now: float,
) -> None:
    request = NextRequest(session.worker, count, quarantine=session.quarantine)
    if session.topic is None:
        new = next_in_study(service, service.study_id(session.study), request, now)
    else:
        new = next_in_topic(service, service.topic_id(session.study, session.topic), request, now)
    known = {*held, *(_id(row) for row in issued.assignments)}
    issued.assignments += [row for row in new.assignments if _id(row) not in known]
    issued.topics |= new.topics
    issued.reason = new.reason


def _look_up_verdict(
    service: ServiceContext, session: Session, questions: SessionQuestions
) -> None:
    study_id = service.study_id(session.study)
    with service.database.read() as connection:
        worker_id = service.worker_id(connection, study_id, session.worker)
        verdicts = [] if worker_id is None else checks.verdicts_of(connection, worker_id)
        if verdicts:
            questions.verdict = verdicts[-1]
            topic = topics.get_topic(connection, verdicts[-1].topic_id)
            questions.topics = {topic.id: topic.name}


def _id(row: AssignmentRow) -> str:
    return f"{row.topic_id}-{row.number}"
