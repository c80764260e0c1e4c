"""Retractions: some judgments, or all of one worker; and a preview of their effects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nextpair.app.errors import UnknownWorker
from nextpair.app.judging.retraction_effects import RankChange, RetractionComparison
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.selectors.errors import UnknownJudgment
from nextpair.selectors.state.rank_bounds import RankBounds, rank_bounds
from nextpair.selectors.state.single_documents import SingleDocumentState
from nextpair.selectors.state.topic_state import Topic
from nextpair.storage import assignments, judgments, studies
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, JudgmentRow, RetractionRow, State


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """Counts that summarise a topic's state."""

    judgments: int
    known_pairs: int
    classes: int
    settled: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class RetractionEffect:
    """The effect of a retraction on one topic."""

    topic: str
    judgments: tuple[int, ...]
    before: TopicSummary
    after: TopicSummary
    moved: tuple[RankChange, ...]


@dataclass(frozen=True, slots=True)
class RetractionCause:
    """Who retracts judgments, and why."""

    by: str
    reason: str = ""


def requested_judgments(
    service: ServiceContext, study: str, worker: str | None, numbers: Mapping[str, Sequence[int]]
) -> dict[int, Sequence[int]]:
    """List the judgments to be retracted, by topic: all of a worker, or some by number."""
    if worker is None:
        return {service.topic_id(study, topic): chosen for topic, chosen in numbers.items()}
    return worker_judgments(service, service.study_id(study), worker)


def worker_judgments(
    service: ServiceContext, study_id: int, worker: str
) -> dict[int, Sequence[int]]:
    """List a worker's judgments that count, by topic."""
    with service.database.read() as connection:
        row = studies.find_worker(connection, study_id, worker)
        if row is None:
            raise UnknownWorker(f"the study has no worker {worker!r}")
        return dict(judgments.counting_by_worker(connection, row.id))


def preview(
    service: ServiceContext, requested_judgments: Mapping[int, Sequence[int]]
) -> list[RetractionEffect]:
    """Return the effects that retracting judgments would have, by topic."""
    return [_plan(service, topic_id, numbers) for topic_id, numbers in requested_judgments.items()]


def _plan(service: ServiceContext, topic_id: int, numbers: Sequence[int]) -> RetractionEffect:
    with service.projection_of(topic_id) as projection:
        with service.database.read() as connection:
            _check_known(connection, topic_id, numbers, projection)
            rows = judgments.counting(connection, topic_id, numbers)
            names = _worker_names(connection, projection)
        # Judgments after the projection's version are not part of the comparison.
        rows = [row for row in rows if row.number <= projection.head.position]
        return _effect(projection, _without(projection, rows), rows, names)


def _without(
    projection: TopicProjection, rows: Sequence[JudgmentRow]
) -> Topic | SingleDocumentState:
    return projection.state.retract(
        *(row.number for row in rows if row.purpose in projection.folded_purposes)
    )


def retract(
    service: ServiceContext,
    requested_judgments: Mapping[int, Sequence[int]],
    retraction: RetractionCause,
    now: float,
) -> dict[str, Sequence[int]]:
    """Retract judgments, by topic; return which they are, without those retracted before.

    All are checked before any is retracted. Each topic is a transaction of its own: if the process
    dies between two of them, the same call does the rest.
    """
    for topic_id, numbers in requested_judgments.items():
        with service.projection_of(topic_id) as projection, service.database.read() as connection:
            _check_known(connection, topic_id, numbers, projection)
    return dict(
        _retract(service, topic_id, numbers, retraction, now)
        for topic_id, numbers in requested_judgments.items()
    )


def _retract(
    service: ServiceContext,
    topic_id: int,
    numbers: Sequence[int],
    retraction: RetractionCause,
    now: float,
) -> tuple[str, Sequence[int]]:
    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[tuple[str, Sequence[int]]]:
        rows = judgments.counting(connection, topic_id, numbers)
        retracted = [row.number for row in rows]
        result = projection.topic.name, retracted
        if not rows:
            return UnitOfWork(result)
        folded = frozenset(row.number for row in rows if row.purpose in projection.folded_purposes)
        head = projection.next_head(entries=1)
        changed = [_retracted(connection, row, head.version) for row in rows]
        entries = [
            RetractionRow(topic_id, number, head.position, retraction.reason, retraction.by, now)
            for number in retracted
        ]
        change = TopicDelta(head, changed, retracted=folded)
        return UnitOfWork(result, change, changed_assignments=changed, retractions=entries)

    return service.transact(topic_id, decide)


def _check_known(
    connection: Connection, topic_id: int, numbers: Sequence[int], projection: TopicProjection
) -> None:
    unknown = sorted(set(numbers) - judgments.existing(connection, topic_id, numbers))
    if unknown:
        raise UnknownJudgment(
            f"topic {projection.topic.name!r} has no judgment {', '.join(map(str, unknown[:10]))}"
        )


def _retracted(connection: Connection, judgment: JudgmentRow, version: int) -> AssignmentRow:
    row = assignments.find_assignment(connection, judgment.topic_id, judgment.assignment)
    assert row is not None
    return replace(row, state=State.RETRACTED, version=version)


def _worker_names(connection: Connection, projection: TopicProjection) -> Mapping[str, str]:
    """Return the names of a topic's workers, by their ids in its state."""
    if isinstance(projection.state, SingleDocumentState):
        return {}
    ids = sorted({int(judgment.worker) for judgment in projection.state.log})
    names = studies.worker_names(connection, ids)
    return {str(worker_id): name for worker_id, name in names.items()}


def _effect(
    projection: TopicProjection,
    after: Topic | SingleDocumentState,
    rows: Sequence[JudgmentRow],
    names: Mapping[str, str],
) -> RetractionEffect:
    if isinstance(after, SingleDocumentState) or isinstance(projection.state, SingleDocumentState):
        numbers = tuple(row.number for row in rows)
        return RetractionEffect(
            projection.topic.name,
            numbers,
            _summary_of_singles(projection.state),
            _summary_of_singles(after),
            (),
        )
    before_ranks, after_ranks = rank_bounds(projection.state.order), rank_bounds(after.order)
    numbers = tuple(row.number for row in rows)
    return RetractionEffect(
        projection.topic.name,
        numbers,
        _summary(projection.state, before_ranks),
        _summary(after, after_ranks),
        RetractionComparison(projection.state, after, numbers, names).moved(),
    )


def _summary_of_singles(state: Topic | SingleDocumentState) -> TopicSummary:
    settled = int(state.settled_documents().sum()) if isinstance(state, SingleDocumentState) else 0
    return TopicSummary(len(state), 0, 0, settled, 0)


def _summary(state: Topic, ranks: RankBounds) -> TopicSummary:
    return TopicSummary(
        len(state),
        ranks.known_pairs,
        len(state.reported().classes),
        state.reported().settled,
        len(state.conflicts),
    )
