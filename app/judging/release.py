"""Letting go of what a worker holds who is not coming back: others can be asked at once."""

from dataclasses import replace

from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.storage import assignments
from nextpair.storage.database import Connection
from nextpair.storage.rows import State


def release(service: Service, worker_id: int, now: float) -> int:
    """Let every lease of a worker run out now, and say how many there were.

    Nothing is taken from them: an answer that comes all the same still counts.
    """
    with service.database.read() as connection:
        held = assignments.held_by(connection, worker_id, now)
    return sum(_release(service, topic, worker_id, now) for topic in {row.topic_id for row in held})


def _release(service: Service, topic_id: int, worker_id: int, now: float) -> int:
    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[int]:
        head = live.moved()
        rows = [
            replace(row, expires_at=now, version=head.version)
            for row in live.open.values()
            if row.worker_id == worker_id and row.state == State.OPEN and row.expires_at > now
        ]
        if not rows:
            return Step(0)
        return Step(len(rows), Change(head, rows), changed=rows)

    return service.change(topic_id, act)
