"""Next question: the next assignments of a worker, in one topic or over all of a study."""

import zlib
from dataclasses import replace

from nextpair.app.enums import Reason
from nextpair.app.errors import StudyClosed, TopicClosed, WorkerBlocked
from nextpair.app.judging.issuer import AssignmentIssuer, IssuedAssignments
from nextpair.app.judging.next_request import NextRequest
from nextpair.app.judging.worker_gate import WorkerGate, checks_workers
from nextpair.app.runtime.projection import TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.app.studies.study import Study
from nextpair.selectors.base import Idle
from nextpair.storage import assignments, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, StudyStatus, TopicRow

_FINAL = frozenset((Reason.CAP, Reason.STOPPED, Reason.UNDERSTANDING, Reason.QUIZ, Reason.HELD))
"""With these reasons no other topic is tried, unless it was the selector that gave them."""
_OVER_TOPICS = (Reason.DONE, Reason.SEEN, Reason.HELD, Reason.WAIT, Reason.PAUSED).index
"""Precedence of the reasons of several topics: the last one of these is returned."""


def next_in_study(
    service: ServiceContext, study_id: int, request: NextRequest, now: float
) -> IssuedAssignments:
    """Issue assignments of any topic of a study.

    Each worker goes through the topics from another start, by a hash of their name, so that many
    workers spread over many topics, and each stays with one topic while it has questions.
    """
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        open_topics = topics.topic_versions(connection, study_id)
        worker_id = service.worker_id(connection, study_id, request.worker)
    _check_study(study, request.worker)
    if request.worker in study.stopped:
        return IssuedAssignments(reason=Reason.STOPPED)
    start = zlib.crc32(request.worker.encode()) % max(len(open_topics), 1)
    issued = IssuedAssignments(reason=Reason.DONE)
    for topic_id, version in (*open_topics[start:], *open_topics[:start]):
        idle = _known_idle(service, study, (topic_id, version), worker_id, request, now)
        if idle is None:
            part = _next_of(service, topic_id, request, issued, now)
            if part.reason is Reason.DONE and not part.assignments:
                checked = worker_id if study.settings.quality.checks else None
                service.remember_exhausted(topic_id, part.version, checked)
            full = part.repeated or len(issued.assignments) == request.count
            if full or (part.reason in _FINAL and part.idle is None):
                issued.reason = part.reason
                break
            idle = part.reason
        issued.reason = max(issued.reason or Reason.DONE, idle or Reason.DONE, key=_OVER_TOPICS)
    if request.request_id is not None and not issued.assignments:
        return _issued_before(service, study_id, request) or issued
    return issued


def _next_of(
    service: ServiceContext,
    topic_id: int,
    request: NextRequest,
    issued: IssuedAssignments,
    now: float,
) -> IssuedAssignments:
    """Issue what one topic has, up to the count that the topics before it have left."""
    left = replace(request, count=request.count - len(issued.assignments))
    try:
        part = next_in_topic(service, topic_id, left, now, repeatable=not issued.assignments)
    except TopicClosed:
        # Closed a moment ago: it was open when the topics were listed.
        return IssuedAssignments(reason=Reason.DONE)
    issued.assignments += part.assignments
    issued.topics |= part.topics
    issued.ids |= part.ids
    return part


def _known_idle(
    service: ServiceContext,
    study: Study,
    topic: tuple[int, int],
    worker_id: int | None,
    request: NextRequest,
    now: float,
) -> Reason | None:
    """Return why a topic has nothing for a worker, if that is certain without a transaction.

    The projection is only looked at where it is at the listed version.
    """
    topic_id, version = topic
    checks = study.settings.quality.checks
    if checks and worker_id is None:
        return None
    if service.is_exhausted(topic_id, version, worker_id if checks else None):
        return Reason.DONE
    if worker_id is None or not service.topics.has(topic_id):
        return None
    with service.topics.hold(topic_id) as slot:
        projection = slot.projection
        if (
            projection is None
            or projection.head.version != version
            or projection.head.status != StudyStatus.OPEN
        ):
            return None
        if checks:
            # A worker with nothing left to do here may have a batch that is to be evaluated.
            return None
        rng = projection.state.settings.question_rng(projection.head.asked)
        leases = projection.leases(now, study.unserved, study.settings.lease_seconds)
        barred = projection.excluded_pairs(worker_id, request.quarantine)
        choice = projection.state.select(str(worker_id), leases, rng, barred)
    return Reason(choice.value) if isinstance(choice, Idle) else None


def _issued_before(
    service: ServiceContext, study_id: int, request: NextRequest
) -> IssuedAssignments | None:
    """Return what the same call was given before, from topics that have nothing left to ask."""
    with service.database.read() as connection:
        worker_id = service.worker_id(connection, study_id, request.worker)
        if worker_id is None:
            return None
        earlier = assignments.of_request(connection, worker_id, request.request_id or "")
        return (
            IssuedAssignments(earlier, _topics_of(connection, earlier), repeated=True)
            if earlier
            else None
        )


def next_in_topic(
    service: ServiceContext,
    topic_id: int,
    request: NextRequest,
    now: float,
    *,
    repeatable: bool = True,
) -> IssuedAssignments:
    """Issue assignments of one topic.

    Parameters
    ----------
    repeatable
        Whether a repeated call, by its request id, gets what it was given before.
    """

    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[IssuedAssignments] | None:
        study = service.study(connection, projection.head.study_id, projection.head.study_version)
        check_admitted(study, projection, request.worker)
        worker_id = service.worker_id(connection, study.id, request.worker)
        if not locked and (worker_id is None or _locks_worker(study, projection)):
            # The worker's row is to be written or locked, and always after the topic: no deadlock.
            return None
        if worker_id is None:
            worker_id = studies.enlist_worker(connection, study.id, request.worker, now).id
        if repeatable and request.request_id is not None:
            earlier = assignments.of_request(connection, worker_id, request.request_id)
            if earlier:
                return UnitOfWork(
                    IssuedAssignments(earlier, _topics_of(connection, earlier), repeated=True)
                )
        if request.worker in study.stopped:
            return UnitOfWork(IssuedAssignments(reason=Reason.STOPPED))
        if StudyStatus.PAUSED in (projection.head.status, projection.head.study_status):
            return UnitOfWork(IssuedAssignments(reason=Reason.PAUSED))
        room = _room(connection, study, worker_id, request, now)
        capped = Reason.CAP if room < request.count else None
        if checks_workers(study, projection):
            gate = WorkerGate(connection, projection, study, worker_id, request, now)
            return gate.unit_of_work(room, capped)
        issuer = AssignmentIssuer(projection, study, worker_id, request, now)
        issuer.issue_next(room)
        return issuer.unit_of_work(capped)

    return service.transact(topic_id, decide)


def _locks_worker(study: Study, projection: TopicProjection) -> bool:
    return study.settings.judgments_per_worker is not None or checks_workers(study, projection)


def check_admitted(study: Study, projection: TopicProjection, worker: str) -> None:
    """Raise if the study or the topic is closed, or the worker is blocked."""
    _check_study(study, worker)
    if projection.head.status == StudyStatus.CLOSED:
        raise TopicClosed(f"topic {projection.topic.name!r} is closed")


def _check_study(study: Study, worker: str) -> None:
    if study.status == StudyStatus.CLOSED:
        raise StudyClosed(f"study {study.name!r} is closed")
    if worker in study.blocked:
        raise WorkerBlocked(f"worker {worker!r} is blocked in study {study.name!r}")


def _topics_of(connection: Connection, rows: list[AssignmentRow]) -> dict[int, TopicRow]:
    return {
        topic_id: topics.get_topic(connection, topic_id)
        for topic_id in {row.topic_id for row in rows}
    }


def _room(
    connection: Connection, study: Study, worker_id: int, request: NextRequest, now: float
) -> int:
    """Return how many assignments a worker may still get; locks the worker where that is capped."""
    cap = study.settings.judgments_per_worker
    if cap is None:
        return request.count
    studies.lock_worker(connection, worker_id)
    taken = assignments.count_taken(connection, worker_id, now, request.quarantine)
    return max(0, min(request.count, cap - taken))
