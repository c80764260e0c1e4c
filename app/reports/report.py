"""Builds the report on a study, topic by topic."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from nextpair.app.designs.base import Shape
from nextpair.app.reports.agreement import (
    Agreement,
    Question,
    answers_by_question,
    measure_agreement,
    scale_of,
)
from nextpair.app.reports.convergence import (
    ConvergencePoint,
    convergence_curve,
    mean_curve,
    points_for,
)
from nextpair.app.reports.levels import grade_bounds, score_bounds
from nextpair.app.reports.prediction import Prediction, predict
from nextpair.app.reports.request import ReportRequest
from nextpair.app.reports.topic_snapshot import (
    TopicSnapshot,
    load_initial_projection,
    take_topic_snapshot,
)
from nextpair.app.reports.workers import (
    CountsByWorker,
    WorkerCounts,
    count_by_worker,
    reliability_source,
)
from nextpair.app.results.rankings import Progress
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.storage import studies, topics
from nextpair.storage.rows import Purpose, WorkerRow

TOP_DOCUMENTS = 3
"""Documents named at the top of each topic."""


@dataclass(frozen=True, slots=True)
class TopicReport:
    """The part of the report about one topic."""

    topic: str
    title: str
    status: str
    workers: int
    best: list[str]
    progress: Progress
    alpha: float
    audits: Prediction
    in_sample: Prediction
    convergence: list[ConvergencePoint]


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """The part of the report about one worker."""

    worker: str
    status: str
    counts: WorkerCounts


@dataclass(frozen=True, slots=True)
class Report:
    """The report on a study."""

    study: Study
    rating: str | None
    scale: tuple[float, float] | None
    grades: tuple[float, float] | None
    weighed_by: str | None
    agreement: Agreement
    audits: Prediction
    in_sample: Prediction
    convergence: list[ConvergencePoint]
    workers: list[WorkerReport]
    topics: list[TopicReport]
    name_of: Callable[[int], str]


class _ReportBuilder:
    """Accumulates the report while topics are read one by one."""

    def __init__(self) -> None:
        self.topics: list[TopicReport] = []
        self.counts_by_worker: CountsByWorker = defaultdict(WorkerCounts)
        self.answers: dict[Question, dict[int, float]] = {}
        self.rating: str | None = None
        self.scale: tuple[float, float] | None = None
        self.grades: tuple[float, float] | None = None
        self.weighed_by: str | None = None

    def add(self, snapshot: TopicSnapshot, points: list[ConvergencePoint]) -> None:
        """Add a topic."""
        answers, counts_by_worker = answers_by_question(snapshot), count_by_worker(snapshot)
        self.answers |= answers
        for worker, counts in counts_by_worker.items():
            self.counts_by_worker[worker].add(counts)
        self.rating = snapshot.rating
        self.scale = score_bounds(snapshot.design, snapshot.rating)
        self.grades = grade_bounds(snapshot.design, snapshot.rating)
        # A selector estimates no reliability before the first answer.
        self.weighed_by = reliability_source(snapshot) if snapshot.work else self.weighed_by
        self.topics.append(
            TopicReport(
                snapshot.topic.name,
                snapshot.topic.title,
                snapshot.topic.status,
                len(counts_by_worker),
                _best(snapshot),
                snapshot.progress,
                measure_agreement(answers, scale_of(snapshot.design)).alpha,
                _prediction(snapshot, Purpose.AUDIT),
                _prediction(snapshot, Purpose.WORK),
                points,
            )
        )


def build_report(service: ServiceContext, request: ReportRequest, now: float) -> Report:
    """Build a report; for a large study that takes seconds, without holding any lock."""
    study_id = service.study_id(request.study)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        rows = topics.list_topics(connection, study_id)
    wanted = [row.id for row in rows]
    if request.topic is not None:
        wanted = [service.topic_id(request.study, request.topic)]
    points = points_for(sum(row.position for row in rows if row.id in wanted), request.points)
    builder = _ReportBuilder()
    for topic_id in wanted:
        snapshot = take_topic_snapshot(service, topic_id, request.rating, now)
        folded = points and snapshot.work
        builder.add(
            snapshot,
            convergence_curve(load_initial_projection(service, snapshot), snapshot, points)
            if folded
            else [],
        )
    return _assemble(service, study, request, builder)


def _assemble(
    service: ServiceContext, study: Study, request: ReportRequest, builder: _ReportBuilder
) -> Report:
    rows = _workers(service, study.id)

    def name_of(worker_id: int) -> str:
        name = rows[worker_id].name
        return service.pseudonyms.of_worker(study.id, name) if request.pseudonyms else name

    workers = [
        WorkerReport(name_of(worker_id), rows[worker_id].status, counts)
        for worker_id, counts in builder.counts_by_worker.items()
    ]
    workers.sort(key=lambda worker: (-worker.counts.judgments, worker.worker))
    by_topic = builder.topics
    return Report(
        study,
        builder.rating,
        builder.scale,
        builder.grades,
        builder.weighed_by,
        measure_agreement(builder.answers, scale_of(study.design)),
        sum((topic.audits for topic in by_topic), Prediction()),
        sum((topic.in_sample for topic in by_topic), Prediction()),
        mean_curve([topic.convergence for topic in by_topic if topic.convergence]),
        workers,
        by_topic,
        name_of,
    )


def _workers(service: ServiceContext, study_id: int) -> dict[int, WorkerRow]:
    workers: dict[int, WorkerRow] = {}
    after = ""
    while True:
        with service.database.read() as connection:
            page = studies.list_workers(connection, study_id, after, 1000)
        workers |= {row.id: row for row in page}
        if len(page) < 1000:
            return workers
        after = page[-1].name


def _best(snapshot: TopicSnapshot) -> list[str]:
    order = snapshot.order
    return [order.ids[place] for place in order.best_first if order.levels[place]][:TOP_DOCUMENTS]


def _prediction(snapshot: TopicSnapshot, purpose: Purpose) -> Prediction:
    if snapshot.design.shape is Shape.SINGLE:
        return Prediction()
    return predict(snapshot.scores, snapshot.for_purposes(purpose))
