"""Early verdicts: a worker who hands in gets a verdict on batches that are not full."""

from nextpair.app.quality.batch_evaluation import BatchEvaluation
from nextpair.app.quality.verdicts import retract_answers
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.storage import assignments
from nextpair.storage.database import Connection


def conclude_batches(service: ServiceContext, worker_id: int, now: float) -> None:
    """Evaluate the batches that a worker leaves unfinished, on every topic."""
    with service.database.read() as connection:
        topic_ids = assignments.topics_with_batches(connection, worker_id)
    for topic_id in topic_ids:
        _evaluate_newest(service, topic_id, worker_id, now)


def _evaluate_newest(service: ServiceContext, topic_id: int, worker_id: int, now: float) -> None:
    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[None] | None:
        if not locked:
            return None
        study = service.study(connection, projection.head.study_id, projection.head.study_version)
        consequences = BatchEvaluation(connection, projection, study, worker_id).end(
            now, handed_in=True
        )
        if consequences is None:
            return UnitOfWork(None)
        head = projection.next_head(entries=1 if consequences.judgments else 0)
        retracted = retract_answers(
            consequences, head, now + study.settings.lease_seconds, projection.folded_purposes
        )
        return UnitOfWork(
            None,
            TopicDelta(head, retracted.assignments, retracted=retracted.counted),
            changed_assignments=retracted.assignments,
            retractions=retracted.retractions,
            verdict=consequences.verdict,
        )

    service.transact(topic_id, decide)
