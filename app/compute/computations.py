"""The computations of heavy calls: rankings, progress, layouts, reports, dry runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import pairwise

from pydantic import BaseModel

from nextpair.app.compute.jobs import JobResult
from nextpair.app.judging import retractions
from nextpair.app.judging.retractions import RetractionEffect
from nextpair.app.reports.page import render
from nextpair.app.reports.presenter import report_out
from nextpair.app.reports.report import build_report
from nextpair.app.reports.request import ReportRequest
from nextpair.app.results import rankings
from nextpair.app.results.loading import load_answer_set
from nextpair.app.results.rankings import Progress
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.common import Page
from nextpair.app.schemas.overviews import BinOut, ClassesOut, LooseOut, MatrixOut
from nextpair.app.schemas.reports import FullReportOut
from nextpair.app.schemas.results import (
    ConflictOut,
    ExplanationOut,
    ForecastOut,
    ProgressOut,
    RankedOut,
    RankingOut,
    ReasonOut,
    ReliabilitiesOut,
    ReliabilityOut,
    StudyProgressOut,
)
from nextpair.app.schemas.retractions import MOST_MOVED, EffectOut, MovedOut, RetractionOut, SumOut
from nextpair.selectors.state.judgments import Comparison
from nextpair.selectors.state.pair_counts import count_pairs
from nextpair.selectors.state.settings import Forecast
from nextpair.storage import studies, topics


def as_json(model: BaseModel) -> JobResult:
    """Serialise a response model as a result."""
    return JobResult([model.model_dump_json(by_alias=True).encode()])


def ranking(
    service: ServiceContext, now: float, study: str, topic: str, rating: str | None
) -> JobResult:
    """Rank a topic's documents."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        ranked = rankings.ranking(projection, rating, load_answer_set(service, projection))
    return as_json(
        RankingOut(
            rating=ranked.rating,
            position=ranked.position,
            complete=ranked.complete,
            classes=[list(names) for names in ranked.classes],
            documents=[RankedOut(**asdict(document)) for document in ranked.documents],
        )
    )


def progress(service: ServiceContext, now: float, study: str, topic: str) -> JobResult:
    """Measure the progress of a topic."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        measured = rankings.progress(projection, now)
    return as_json(_progress_out(topic, measured))


def study_progress(service: ServiceContext, now: float, study: str, topic: None) -> JobResult:
    """Measure the progress of a study, topic by topic."""
    study_id = service.study_id(study)
    with service.database.read() as connection:
        rows = topics.list_topics(connection, study_id)
    by_topic, forecasts = [], []
    for row in rows:
        with service.projection_of(row.id) as projection:
            measured = rankings.progress(projection, now)
        by_topic.append(_progress_out(row.name, measured))
        forecasts.append(Forecast(0, 0, 0) if measured.finished else measured.forecast)
    finished = sum(topic_progress.finished for topic_progress in by_topic)
    forecast = None if finished == len(by_topic) else rankings.sum_forecasts(forecasts)
    return as_json(
        StudyProgressOut(
            documents=sum(topic_progress.documents for topic_progress in by_topic),
            judgments=sum(topic_progress.judgments for topic_progress in by_topic),
            conflicts=sum(topic_progress.conflicts for topic_progress in by_topic),
            open=sum(topic_progress.open for topic_progress in by_topic),
            judged_pairs=sum(topic_progress.judged_pairs for topic_progress in by_topic),
            inferred_pairs=sum(topic_progress.inferred_pairs for topic_progress in by_topic),
            unknown_pairs=sum(topic_progress.unknown_pairs for topic_progress in by_topic),
            settled=sum(topic_progress.settled for topic_progress in by_topic),
            finished=finished,
            ended=Counter(
                topic_progress.ended
                for topic_progress in by_topic
                if topic_progress.ended is not None
            ),
            forecast=None if forecast is None else ForecastOut(**asdict(forecast)),
            topics=by_topic,
        )
    )


def _progress_out(topic: str, measured: Progress) -> ProgressOut:
    return ProgressOut(topic=topic, **asdict(measured))


def reliability(service: ServiceContext, now: float, study: str, topic: str) -> JobResult:
    """Estimate the reliability of each worker, least informative first."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        estimates = projection.pairwise_state.reliabilities()
    with service.database.read() as connection:
        names = studies.worker_names(connection, [int(estimate.worker) for estimate in estimates])
    workers = [
        ReliabilityOut(**asdict(replace(estimate, worker=names[int(estimate.worker)])))
        for estimate in estimates
    ]
    workers.sort(key=lambda worker: (worker.information, worker.worker))
    return as_json(ReliabilitiesOut(workers=workers))


def explanation(
    service: ServiceContext, now: float, study: str, topic: str, first: str, second: str
) -> JobResult:
    """Explain how two documents compare: the relation, and the judgments that imply it."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        relation = projection.pairwise_state.relation(first, second)
        reasons = projection.pairwise_state.explain(first, second)
        chance = projection.pairwise_state.win_probability(first, second)
    return as_json(
        ExplanationOut(
            first=first,
            second=second,
            relation=relation,
            chance=chance,
            because=[ReasonOut(**asdict(reason)) for reason in reasons],
        )
    )


def conflicts(
    service: ServiceContext, now: float, study: str, topic: str, after: int, limit: int
) -> JobResult:
    """List a page of the findings that contradicted the order when they were absorbed."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        ids, every = projection.pairwise_state.documents.ids, projection.pairwise_state.conflicts
        page = every[after : after + limit]
        items = [
            ConflictOut(
                finding=_reason(ids, conflict.comparison),
                known=conflict.known,
                because=[_reason(ids, finding) for finding in conflict.explanation],
                reopened=None if conflict.reopened is None else ids[conflict.reopened],
            )
            for conflict in page
        ]
    more = len(every) > after + limit
    return as_json(Page[ConflictOut](items=items, next=str(after + limit) if more else None))


def _reason(ids: Sequence[str], finding: Comparison) -> ReasonOut:
    return ReasonOut(
        first=ids[finding.first],
        second=ids[finding.second],
        outcome=finding.outcome,
        judgments=list(finding.judgments),
    )


def classes(service: ServiceContext, now: float, study: str, topic: str) -> JobResult:
    """Lay out the classes in order, and the range of classes of each unplaced document."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        layout, ids, position = (
            projection.pairwise_state.layout(),
            projection.pairwise_state.documents.ids,
            projection.head.position,
        )
    return as_json(
        ClassesOut(
            position=position,
            boxes=[[ids[place] for place in members] for members in layout.classes],
            loose=[
                LooseOut(
                    documents=[ids[place] for place in group.documents],
                    first=group.first,
                    last=group.last,
                )
                for group in layout.unplaced
            ],
        )
    )


def matrix(service: ServiceContext, now: float, study: str, topic: str, bins: int) -> JobResult:
    """Count judged, inferred and open pairs, with documents binned by rank."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        state, position = projection.pairwise_state, projection.head.position
        ranked = rankings.ranking(projection, None, load_answer_set(service, projection)).documents
        places = [state.documents.position(document.document) for document in ranked]
        asked = [(match.first, match.second) for match in state.matches()]
        counted = count_pairs(state.order, asked, places, bins)
    return as_json(
        MatrixOut(
            position=position,
            bins=[
                BinOut(
                    documents=end - begin,
                    first=ranked[begin].document,
                    last=ranked[end - 1].document,
                    level=ranked[begin].level,
                )
                for begin, end in pairwise(counted.bins)
            ],
            judged=counted.judged.tolist(),
            inferred=counted.inferred.tolist(),
            pairs=counted.pairs.tolist(),
        )
    )


def report(
    service: ServiceContext, now: float, study: str, topic: str | None, request: ReportRequest
) -> JobResult:
    """Report on a study."""
    return as_json(report_out(build_report(service, request, now), request, now))


def report_page(
    service: ServiceContext, now: float, study: str, topic: str | None, request: ReportRequest
) -> JobResult:
    """Render the report on a study as a self-contained page."""
    out = report_out(build_report(service, request, now), request, now)
    page = render(FullReportOut.model_validate(out, from_attributes=True))
    return JobResult([page.encode()])


def dry_run(
    service: ServiceContext,
    now: float,
    study: str,
    topic: None,
    worker: str | None,
    numbers: tuple[tuple[str, tuple[int, ...]], ...],
) -> JobResult:
    """Preview what retracting all of a worker's judgments, or some by topic, would change."""
    wanted = retractions.requested_judgments(service, study, worker, dict(numbers))
    return as_json(retraction_out(retractions.preview(service, wanted), dry_run=True))


def retraction_out(effects: Sequence[RetractionEffect], *, dry_run: bool) -> RetractionOut:
    """Describe what a retraction changes."""
    return RetractionOut(
        dry_run=dry_run,
        judgments=sum(len(effect.judgments) for effect in effects),
        topics=[
            EffectOut(
                topic=effect.topic,
                judgments=list(effect.judgments),
                before=SumOut(**asdict(effect.before)),
                after=SumOut(**asdict(effect.after)),
                moved=[MovedOut(**asdict(one)) for one in effect.moved[:MOST_MOVED]],
                moved_documents=len(effect.moved),
            )
            for effect in effects
        ],
    )
