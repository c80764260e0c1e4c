"""An assignment in hand: found, its worker known, and its topic ready to be changed."""

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
from nextpair.app.runtime.projection import LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Act, Result
from nextpair.app.security.tokens import AssignmentRef
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, topics
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, Status, TopicRow


class Held(NamedTuple):
    """An assignment of a topic."""

    live: LiveTopic
    study: Study
    row: AssignmentRow


def change(service: Service, ref: AssignmentRef, act: Act[Result]) -> Result:
    """Let an act change the topic of an assignment."""
    try:
        return service.change(ref.topic_id, act)
    except UnknownTopic:
        raise UnknownAssignment(f"there is no assignment {ref.id!r}") from None


def find(service: Service, ref: AssignmentRef) -> tuple[AssignmentRow, TopicRow]:
    """Return an assignment as it stands."""
    with service.database.read() as connection:
        row = assignments.find_assignment(connection, ref.topic_id, ref.number)
        if row is None:
            raise UnknownAssignment(f"there is no assignment {ref.id!r}")
        return row, topics.get_topic(connection, ref.topic_id)


def take(
    service: Service,
    connection: Connection,
    live: LiveTopic,
    ref: AssignmentRef,
    worker: str | None,
) -> Held:
    """Find an assignment; it must be the worker's who is said to have it."""
    row = live.open.get(ref.number) or live.quarantine.get(ref.number)
    row = row or assignments.find_assignment(connection, ref.topic_id, ref.number)
    if row is None:
        raise UnknownAssignment(f"there is no assignment {ref.id!r}")
    study = service.study(connection, live.head.study_id, live.head.study_version)
    if worker is not None:
        worker_id = service.worker_id(connection, study.id, worker)
        if worker_id != row.worker_id:
            raise NotYours(f"assignment {ref.id!r} is not worker {worker!r}'s")
    return Held(live, study, row)


def check_open(held: Held) -> None:
    """Raise if the study or the topic takes no answers, or none from this worker."""
    check_not_blocked(held)
    if held.live.head.study_status == Status.CLOSED:
        raise StudyClosed(f"study {held.study.name!r} is closed")
    if held.live.head.status == Status.CLOSED:
        raise TopicClosed(f"topic {held.live.row.name!r} is closed")


def check_not_blocked(held: Held) -> None:
    """Raise if the worker was blocked: what they hold is worth nothing any more."""
    if held.row.worker_id in held.study.blocked_ids:
        raise WorkerBlocked(f"the worker is blocked in study {held.study.name!r}")


def check_attempt(row: AssignmentRow, ref: AssignmentRef) -> None:
    """Raise if another attempt is meant than the one the assignment is at."""
    if ref.attempt is not None and ref.attempt != row.attempt:
        raise SpentToken()
