"""Judging sessions: what a worker's page may do in one study, for one worker, for some hours."""

from collections.abc import Collection
from dataclasses import dataclass, field

from nextpair.app.enums import Reason
from nextpair.app.judging.issuer import Handed
from nextpair.app.judging.next_question import next_in_study, next_in_topic
from nextpair.app.judging.next_request import Wish
from nextpair.app.runtime.service import Service
from nextpair.app.security.tokens import Session
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, checks, topics
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, Status, VerdictRow


@dataclass(slots=True)
class Turn:
    """What a session's worker got, and how far they are.

    Parameters
    ----------
    verdict
        What came of checking the worker the last time, where there is nothing to ask them.
    """

    handed: Handed
    answered: int = 0
    verdict: VerdictRow | None = None
    topics: dict[int, str] = field(default_factory=dict)


def answered_in(service: Service, session: Session) -> int:
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
    service: Service, session: Session, count: int, held: Collection[str], now: float
) -> Turn:
    """Hand out questions: first what the worker holds and the page has lost, then new ones.

    So a page that was left and opened again, or whose answer got lost, wastes no question.

    Parameters
    ----------
    held
        The ids of the assignments that the page still has.
    """
    turn, room = _resume(service, session, count, held, now)
    handed = turn.handed
    if room > 0:
        _ask(service, session, handed, room, held, now)
    elif not handed.assignments and len(held) == 0:
        handed.reason = Reason.CAP
    if not handed.assignments:
        _look_up_verdict(service, session, turn)
    return turn


def _resume(
    service: Service, session: Session, count: int, held: Collection[str], now: float
) -> tuple[Turn, int]:
    """Find what the worker holds, and how many questions they may have besides."""
    turn = Turn(Handed())
    study_id = service.study_id(session.study)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        worker_id = service.worker_id(connection, study_id, session.worker)
        if worker_id is None:
            return turn, count if session.count is None else min(count, session.count)
        turn.answered = _answered(connection, worker_id, session)
        quarantined = session.quarantine is not None
        own = (session.quarantine,) if quarantined else (None, session.submission)
        held_rows = assignments.held_by(connection, worker_id, now)
        open_rows = [row for row in held_rows if row.quarantine in own]
        if _is_served(study, session.worker):
            lost = [row for row in open_rows if _id(row) not in held]
            _give_again(connection, session, turn.handed, lost, count)
    room = count - len(turn.handed.assignments)
    if session.count is not None:
        room = min(room, session.count - turn.answered - len(open_rows))
    return turn, room


def _is_served(study: Study, worker: str) -> bool:
    return study.status == Status.OPEN and worker not in (*study.blocked, *study.stopped)


def _give_again(
    connection: Connection, session: Session, handed: Handed, rows: list[AssignmentRow], most: int
) -> None:
    for row in rows:
        if len(handed.assignments) == most:
            return
        topic = topics.get_topic(connection, row.topic_id)
        if topic.status == Status.OPEN and session.topic in (None, topic.name):
            handed.assignments.append(row)
            handed.topics[topic.id] = topic


def _ask(
    service: Service,
    session: Session,
    handed: Handed,
    count: int,
    held: Collection[str],
    now: float,
) -> None:
    wish = Wish(session.worker, count, quarantine=session.quarantine)
    if session.topic is None:
        new = next_in_study(service, service.study_id(session.study), wish, now)
    else:
        new = next_in_topic(service, service.topic_id(session.study, session.topic), wish, now)
    known = {*held, *(_id(row) for row in handed.assignments)}
    handed.assignments += [row for row in new.assignments if _id(row) not in known]
    handed.topics |= new.topics
    handed.reason = new.reason


def _look_up_verdict(service: Service, session: Session, turn: Turn) -> None:
    study_id = service.study_id(session.study)
    with service.database.read() as connection:
        worker_id = service.worker_id(connection, study_id, session.worker)
        found = [] if worker_id is None else checks.verdicts_of(connection, worker_id)
        if found:
            turn.verdict = found[-1]
            topic = topics.get_topic(connection, found[-1].topic_id)
            turn.topics = {topic.id: topic.name}


def _id(row: AssignmentRow) -> str:
    return f"{row.topic_id}-{row.number}"
