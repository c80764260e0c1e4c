"""The context of a change to one assignment: its row, its study, and its topic's projection."""

from typing import NamedTuple

from nextpair.app.errors import (
    NotYours,
    SpentToken,
    StudyClosed,
    TopicClosed,
    UnknownAssignment,
    UnknownTopic,
    WorkerBlocked,
)
from nextpair.app.runtime.projection import TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import Decision, Result
from nextpair.app.security.tokens import AssignmentRef
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, topics
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, StudyStatus, TopicRow


class AssignmentContext(NamedTuple):
    """An assignment, with the study and the projection that it belongs to."""

    projection: TopicProjection
    study: Study
    assignment: AssignmentRow


def transact(service: ServiceContext, ref: AssignmentRef, decide: Decision[Result]) -> Result:
    """Make a decision on the topic of an assignment, and commit it."""
    try:
        return service.transact(ref.topic_id, decide)
    except UnknownTopic:
        raise UnknownAssignment(f"there is no assignment {ref.id!r}") from None


def find_assignment(service: ServiceContext, ref: AssignmentRef) -> tuple[AssignmentRow, TopicRow]:
    """Return an assignment and its topic, as they are in the database."""
    with service.database.read() as connection:
        row = assignments.find_assignment(connection, ref.topic_id, ref.number)
        if row is None:
            raise UnknownAssignment(f"there is no assignment {ref.id!r}")
        return row, topics.get_topic(connection, ref.topic_id)


def load_context(
    service: ServiceContext,
    connection: Connection,
    projection: TopicProjection,
    ref: AssignmentRef,
    worker: str | None,
) -> AssignmentContext:
    """Load the context of an assignment; raise if it is not the named worker's."""
    row = projection.open_assignments.get(ref.number) or projection.quarantine.get(ref.number)
    row = row or assignments.find_assignment(connection, ref.topic_id, ref.number)
    if row is None:
        raise UnknownAssignment(f"there is no assignment {ref.id!r}")
    study = service.study(connection, projection.head.study_id, projection.head.study_version)
    if worker is not None:
        worker_id = service.worker_id(connection, study.id, worker)
        if worker_id != row.worker_id:
            raise NotYours(f"assignment {ref.id!r} is not worker {worker!r}'s")
    return AssignmentContext(projection, study, row)


def check_open(context: AssignmentContext) -> None:
    """Raise if the study or the topic is closed, or the worker is blocked."""
    check_not_blocked(context)
    if context.projection.head.study_status == StudyStatus.CLOSED:
        raise StudyClosed(f"study {context.study.name!r} is closed")
    if context.projection.head.status == StudyStatus.CLOSED:
        raise TopicClosed(f"topic {context.projection.topic.name!r} is closed")


def check_not_blocked(context: AssignmentContext) -> None:
    """Raise if the worker is blocked: their open assignments take no answers any more."""
    if context.assignment.worker_id in context.study.blocked_ids:
        raise WorkerBlocked(f"the worker is blocked in study {context.study.name!r}")


def check_attempt(row: AssignmentRow, ref: AssignmentRef) -> None:
    """Raise if the reference is to another attempt than the assignment's current one."""
    if ref.attempt is not None and ref.attempt != row.attempt:
        raise SpentToken()
