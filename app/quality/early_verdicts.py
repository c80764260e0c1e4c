"""Concluding batches early: a worker who hands in gets a verdict on what they have answered."""

from nextpair.app.quality.batch_evaluation import Checking
from nextpair.app.quality.verdicts import take_back
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.storage import assignments
from nextpair.storage.database import Connection


def conclude_batches(service: Service, worker_id: int, now: float) -> None:
    """Check the batches that a worker leaves unfinished, on every topic."""
    with service.database.read() as connection:
        topic_ids = assignments.topics_with_batches(connection, worker_id)
    for topic_id in topic_ids:
        _conclude(service, topic_id, worker_id, now)


def _conclude(service: Service, topic_id: int, worker_id: int, now: float) -> None:
    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[None] | None:
        if not locked:
            return None
        study = service.study(connection, live.head.study_id, live.head.study_version)
        ended = Checking(connection, live, study, worker_id).end(now, handed_in=True)
        if ended is None:
            return Step(None)
        head = live.moved(entries=1 if ended.judgments else 0)
        taken = take_back(ended, head, now + study.settings.lease_seconds, live.hears)
        return Step(
            None,
            Change(head, taken.assignments, retracted=taken.counted),
            changed=taken.assignments,
            retractions=taken.retractions,
            verdict=ended.verdict,
        )

    service.change(topic_id, act)
