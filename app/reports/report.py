"""A study's report, put together topic by topic."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from nextpair.app.designs.base import Shape
from nextpair.app.reports.agreement import Agreement, Question, agree, answers_of, scale_of
from nextpair.app.reports.convergence import Point, curve, mean_curve, points_for
from nextpair.app.reports.levels import ends_of, grade_ends
from nextpair.app.reports.prediction import Prediction, predict
from nextpair.app.reports.request import Wish
from nextpair.app.reports.topic_snapshot import Facts, gather, start_anew
from nextpair.app.reports.workers import Tallies, Tally, tally, weighed_by
from nextpair.app.results.rankings import Progress
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.storage import studies, topics
from nextpair.storage.rows import Purpose, WorkerRow

BEST = 3
"""Documents named at the top of each topic."""


@dataclass(frozen=True, slots=True)
class TopicReport:
    """What there is to say of one topic."""

    topic: str
    title: str
    status: str
    workers: int
    best: list[str]
    progress: Progress
    alpha: float
    audits: Prediction
    in_sample: Prediction
    convergence: list[Point]


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """What there is to say of one worker."""

    worker: str
    status: str
    tally: Tally


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say of a study."""

    study: Study
    rating: str | None
    scale: tuple[float, float] | None
    grades: tuple[float, float] | None
    weighed_by: str | None
    agreement: Agreement
    audits: Prediction
    in_sample: Prediction
    convergence: list[Point]
    workers: list[WorkerReport]
    topics: list[TopicReport]
    name_of: Callable[[int], str]


class _Parts:
    """What the topics have in common, as far as they have been read."""

    def __init__(self) -> None:
        self.topics: list[TopicReport] = []
        self.tallies: Tallies = defaultdict(Tally)
        self.given: dict[Question, dict[int, float]] = {}
        self.rating: str | None = None
        self.scale: tuple[float, float] | None = None
        self.grades: tuple[float, float] | None = None
        self.weighed_by: str | None = None

    def add(self, facts: Facts, points: list[Point]) -> None:
        """Add a topic."""
        given, found = answers_of(facts), tally(facts)
        self.given |= given
        for worker, one in found.items():
            self.tallies[worker].add(one)
        self.rating = facts.rating
        self.scale = ends_of(facts.design, facts.rating)
        self.grades = grade_ends(facts.design, facts.rating)
        # Before the first answer a selector weighs nobody.
        self.weighed_by = weighed_by(facts) if facts.work else self.weighed_by
        self.topics.append(
            TopicReport(
                facts.topic.name,
                facts.topic.title,
                facts.topic.status,
                len(found),
                _best(facts),
                facts.progress,
                agree(given, scale_of(facts.design)).alpha,
                _prediction(facts, Purpose.AUDIT),
                _prediction(facts, Purpose.WORK),
                points,
            )
        )


def build(service: ServiceContext, wish: Wish, now: float) -> Report:
    """Put a report together; of a large study that takes seconds, and holds up nobody."""
    study_id = service.study_id(wish.study)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        rows = topics.list_topics(connection, study_id)
    wanted = [row.id for row in rows]
    if wish.topic is not None:
        wanted = [service.topic_id(wish.study, wish.topic)]
    points = points_for(sum(row.position for row in rows if row.id in wanted), wish.points)
    parts = _Parts()
    for topic_id in wanted:
        facts = gather(service, topic_id, wish.rating, now)
        folded = points and facts.work
        parts.add(facts, curve(start_anew(service, facts), facts, points) if folded else [])
    return _conclude(service, study, wish, parts)


def _conclude(service: ServiceContext, study: Study, wish: Wish, parts: _Parts) -> Report:
    rows = _workers(service, study.id)

    def name_of(worker_id: int) -> str:
        name = rows[worker_id].name
        return service.pseudonyms.of_worker(study.id, name) if wish.pseudonyms else name

    workers = [
        WorkerReport(name_of(worker_id), rows[worker_id].status, one)
        for worker_id, one in parts.tallies.items()
    ]
    workers.sort(key=lambda one: (-one.tally.judgments, one.worker))
    found = parts.topics
    return Report(
        study,
        parts.rating,
        parts.scale,
        parts.grades,
        parts.weighed_by,
        agree(parts.given, scale_of(study.design)),
        sum((one.audits for one in found), Prediction()),
        sum((one.in_sample for one in found), Prediction()),
        mean_curve([one.convergence for one in found if one.convergence]),
        workers,
        found,
        name_of,
    )


def _workers(service: ServiceContext, study_id: int) -> dict[int, WorkerRow]:
    found: dict[int, WorkerRow] = {}
    after = ""
    while True:
        with service.database.read() as connection:
            page = studies.list_workers(connection, study_id, after, 1000)
        found |= {row.id: row for row in page}
        if len(page) < 1000:
            return found
        after = page[-1].name


def _best(facts: Facts) -> list[str]:
    order = facts.order
    return [order.ids[place] for place in order.best_first if order.levels[place]][:BEST]


def _prediction(facts: Facts, purpose: Purpose) -> Prediction:
    if facts.design.shape is Shape.SINGLE:
        return Prediction()
    return predict(facts.scores, facts.of(purpose))
