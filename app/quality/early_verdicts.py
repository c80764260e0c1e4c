"""Concluding batches early: a worker who hands in gets a verdict on what they have answered."""

from nextpair.app.quality.batch_evaluation import BatchEvaluation
from nextpair.app.quality.verdicts import retract_answers
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.storage import assignments
from nextpair.storage.database import Connection


def conclude_batches(service: ServiceContext, worker_id: int, now: float) -> None:
    """Check the batches that a worker leaves unfinished, on every topic."""
    with service.database.read() as connection:
        topic_ids = assignments.topics_with_batches(connection, worker_id)
    for topic_id in topic_ids:
        _conclude(service, topic_id, worker_id, now)


def _conclude(service: ServiceContext, topic_id: int, worker_id: int, now: float) -> None:
    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[None] | None:
        if not locked:
            return None
        study = service.study(connection, projection.head.study_id, projection.head.study_version)
        ended = BatchEvaluation(connection, projection, study, worker_id).end(now, handed_in=True)
        if ended is None:
            return UnitOfWork(None)
        head = projection.next_head(entries=1 if ended.judgments else 0)
        taken = retract_answers(
            ended, head, now + study.settings.lease_seconds, projection.folded_purposes
        )
        return UnitOfWork(
            None,
            TopicDelta(head, taken.assignments, retracted=taken.counted),
            changed_assignments=taken.assignments,
            retractions=taken.retractions,
            verdict=ended.verdict,
        )

    service.transact(topic_id, decide)
