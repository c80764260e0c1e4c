"""Releases the leases of a worker who is not coming back: others can be asked at once."""

from dataclasses import replace

from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.storage import assignments
from nextpair.storage.database import Connection
from nextpair.storage.rows import State


def release_leases(service: ServiceContext, worker_id: int, now: float) -> int:
    """End every lease of a worker now, and return how many there were.

    The assignments stay open: an answer that comes all the same still counts.
    """
    with service.database.read() as connection:
        held = assignments.leased_by(connection, worker_id, now)
    return sum(_release(service, topic, worker_id, now) for topic in {row.topic_id for row in held})


def _release(service: ServiceContext, topic_id: int, worker_id: int, now: float) -> int:
    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[int]:
        head = projection.next_head()
        rows = [
            replace(row, expires_at=now, version=head.version)
            for row in projection.open_assignments.values()
            if row.worker_id == worker_id and row.state == State.OPEN and row.expires_at > now
        ]
        if not rows:
            return UnitOfWork(0)
        return UnitOfWork(len(rows), TopicDelta(head, rows), changed_assignments=rows)

    return service.transact(topic_id, decide)
