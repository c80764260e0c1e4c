"""What is computed of a study for a heavy call: rankings, progress, pictures, reports, dry runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import pairwise

from pydantic import BaseModel

from nextpair.app.compute.jobs import Answer
from nextpair.app.judging import retractions
from nextpair.app.judging.retractions import RetractionEffect
from nextpair.app.reports.page import render
from nextpair.app.reports.presenter import tell
from nextpair.app.reports.report import build
from nextpair.app.reports.request import Wish
from nextpair.app.results import rankings
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


def as_json(model: BaseModel) -> Answer:
    """Write what goes over the wire."""
    return Answer([model.model_dump_json(by_alias=True).encode()])


def ranking(
    service: ServiceContext, now: float, study: str, topic: str, rating: str | None
) -> Answer:
    """Rank a topic's documents."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        found = rankings.ranking(projection, rating, service.answer_set(projection))
    return as_json(
        RankingOut(
            rating=found.rating,
            position=found.position,
            complete=found.complete,
            classes=[list(names) for names in found.classes],
            documents=[RankedOut(**asdict(one)) for one in found.documents],
        )
    )


def progress(service: ServiceContext, now: float, study: str, topic: str) -> Answer:
    """Say how far a topic has come."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        found = rankings.progress(projection, now)
    return as_json(_progress_out(topic, found))


def study_progress(service: ServiceContext, now: float, study: str, topic: None) -> Answer:
    """Say how far a study has come, topic by topic."""
    study_id = service.study_id(study)
    with service.database.read() as connection:
        rows = topics.list_topics(connection, study_id)
    found, forecasts = [], []
    for row in rows:
        with service.projection_of(row.id) as projection:
            one = rankings.progress(projection, now)
        found.append(_progress_out(row.name, one))
        forecasts.append(Forecast(0, 0, 0) if one.finished else one.forecast)
    finished = sum(one.finished for one in found)
    forecast = None if finished == len(found) else rankings.sum_forecasts(forecasts)
    return as_json(
        StudyProgressOut(
            documents=sum(one.documents for one in found),
            judgments=sum(one.judgments for one in found),
            conflicts=sum(one.conflicts for one in found),
            open=sum(one.open for one in found),
            judged_pairs=sum(one.judged_pairs for one in found),
            inferred_pairs=sum(one.inferred_pairs for one in found),
            unknown_pairs=sum(one.unknown_pairs for one in found),
            settled=sum(one.settled for one in found),
            finished=finished,
            ended=Counter(one.ended for one in found if one.ended is not None),
            forecast=None if forecast is None else ForecastOut(**asdict(forecast)),
            topics=found,
        )
    )


def _progress_out(topic: str, found: Progress) -> ProgressOut:
    return ProgressOut(topic=topic, **asdict(found))


def reliability(service: ServiceContext, now: float, study: str, topic: str) -> Answer:
    """Say how far each worker's answers can be relied on, least first."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        found = projection.pairwise_state.reliabilities()
    with service.database.read() as connection:
        names = studies.worker_names(connection, [int(one.worker) for one in found])
    told = [ReliabilityOut(**asdict(replace(one, worker=names[int(one.worker)]))) for one in found]
    told.sort(key=lambda one: (one.information, one.worker))
    return as_json(ReliabilitiesOut(workers=told))


def explanation(
    service: ServiceContext, now: float, study: str, topic: str, first: str, second: str
) -> Answer:
    """Say how two documents compare, and from which judgments that follows."""
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
) -> Answer:
    """List a page of the findings that contradicted what was known when they came."""
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


def classes(service: ServiceContext, now: float, study: str, topic: str) -> Answer:
    """Show the classes in order, and between which of them the other documents may belong."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        found, ids, position = (
            projection.pairwise_state.layout(),
            projection.pairwise_state.documents.ids,
            projection.head.position,
        )
    return as_json(
        ClassesOut(
            position=position,
            boxes=[[ids[place] for place in box] for box in found.classes],
            loose=[
                LooseOut(documents=[ids[n] for n in one.documents], first=one.first, last=one.last)
                for one in found.unplaced
            ],
        )
    )


def matrix(service: ServiceContext, now: float, study: str, topic: str, bins: int) -> Answer:
    """Count judged, inferred and open pairs; where there are many documents, they share rows."""
    with service.projection_of(service.topic_id(study, topic)) as projection:
        state, position = projection.pairwise_state, projection.head.position
        ranked = rankings.ranking(projection, None, service.answer_set(projection)).documents
        places = [state.documents.position(one.document) for one in ranked]
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
    service: ServiceContext, now: float, study: str, topic: str | None, wish: Wish
) -> Answer:
    """Report on a study."""
    return as_json(tell(build(service, wish, now), wish, now))


def report_page(
    service: ServiceContext, now: float, study: str, topic: str | None, wish: Wish
) -> Answer:
    """Report on a study, as one page that needs nothing else."""
    told = tell(build(service, wish, now), wish, now)
    page = render(FullReportOut.model_validate(told, from_attributes=True))
    return Answer([page.encode()])


def dry_run(
    service: ServiceContext,
    now: float,
    study: str,
    topic: None,
    worker: str | None,
    numbers: tuple[tuple[str, tuple[int, ...]], ...],
) -> Answer:
    """Say what retracting all of a worker's judgments, or some by topic, would change."""
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
