"""What is known: ranking, progress, why, conflicts, and the judgment log itself."""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Annotated

from fastapi import APIRouter, Query

from nextpair.app.judging import reporting
from nextpair.app.judging.reporting import Progress
from nextpair.app.routes.access import Now, Reader, Svc
from nextpair.app.routes.described import Limit, StudyName, TopicName, problems
from nextpair.app.routes.keyed_route import KeyedRoute
from nextpair.app.values import Line
from nextpair.app.wire.common import Page
from nextpair.app.wire.results import (
    ConflictOut,
    ExplanationOut,
    ForecastOut,
    LogEntryOut,
    ProgressOut,
    RankedOut,
    RankingOut,
    ReasonOut,
    ReliabilitiesOut,
    ReliabilityOut,
    StudyProgressOut,
)
from nextpair.app.wire.topics import DocumentName
from nextpair.selectors.topic.judgments import Finding, Outcome
from nextpair.selectors.topic.settings import Forecast
from nextpair.storage import judgments, studies, topics
from nextpair.storage.rows import JudgmentRow, Purpose

router = APIRouter(prefix="/v1/studies/{study}", tags=["results"], route_class=KeyedRoute)


@router.get("/topics/{topic}/ranking", responses=problems(404))
def get_ranking(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    service: Svc,
    rating: Annotated[
        Line | None,
        Query(description="order, a rating, or one of the design's; the study's own if left out"),
    ] = None,
) -> RankingOut:
    """Rank a topic's documents: classes in order, and a score for each document."""
    with service.look(service.topic_id(study, topic)) as live:
        ranking = reporting.ranking(live, rating, service.said(live))
    return RankingOut(
        rating=ranking.rating,
        position=ranking.position,
        complete=ranking.complete,
        classes=[list(names) for names in ranking.classes],
        documents=[RankedOut(**asdict(one)) for one in ranking.documents],
    )


@router.get("/topics/{topic}/progress", responses=problems(404))
def get_progress(
    study: StudyName, topic: TopicName, caller: Reader, service: Svc, now: Now
) -> ProgressOut:
    """Say how far a topic has come."""
    with service.look(service.topic_id(study, topic)) as live:
        return progress_out(topic, reporting.progress(live, now))


@router.get("/progress", responses=problems(404))
def get_study_progress(
    study: StudyName, caller: Reader, service: Svc, now: Now
) -> StudyProgressOut:
    """Say how far a study has come, topic by topic."""
    study_id = service.study_id(study)
    with service.database.read() as connection:
        rows = topics.list_topics(connection, study_id)
    found, forecasts = [], []
    for row in rows:
        with service.look(row.id) as live:
            progress = reporting.progress(live, now)
        found.append(progress_out(row.name, progress))
        forecasts.append(Forecast(0, 0, 0) if progress.finished else progress.forecast)
    finished = sum(one.finished for one in found)
    forecast = None if finished == len(found) else reporting.together(forecasts)
    return StudyProgressOut(
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


@router.get("/topics/{topic}/reliability", responses=problems(404))
def get_reliability(
    study: StudyName, topic: TopicName, caller: Reader, service: Svc
) -> ReliabilitiesOut:
    """Say how far each worker's answers can be relied on, least first.

    Empty where the selector does not weigh workers.
    """
    topic_id = service.topic_id(study, topic)
    with service.look(topic_id) as live:
        found = live.pairs.reliabilities()
    with service.database.read() as connection:
        names = studies.worker_names(connection, [int(one.worker) for one in found])
    told = [ReliabilityOut(**asdict(replace(one, worker=names[int(one.worker)]))) for one in found]
    told.sort(key=lambda one: (one.information, one.worker))
    return ReliabilitiesOut(workers=told)


def progress_out(topic: str, progress: Progress) -> ProgressOut:
    """Describe how far a topic has come."""
    return ProgressOut(topic=topic, **asdict(progress))


@router.get("/topics/{topic}/explain", responses=problems(404))
def explain(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    service: Svc,
    first: Annotated[DocumentName, Query(description="a document's id")],
    second: Annotated[DocumentName, Query(description="another's")],
) -> ExplanationOut:
    """Say how two documents compare, and from which judgments that follows."""
    with service.look(service.topic_id(study, topic)) as live:
        relation = live.pairs.relation(first, second)
        reasons = live.pairs.explain(first, second)
        chance = live.pairs.chance(first, second)
    return ExplanationOut(
        first=first,
        second=second,
        relation=relation,
        chance=chance,
        because=[ReasonOut(**asdict(reason)) for reason in reasons],
    )


@router.get("/topics/{topic}/conflicts", responses=problems(404))
def list_conflicts(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    service: Svc,
    after: Annotated[int, Query(ge=0, le=2**53, description="`next` of the page before")] = 0,
    limit: Limit = 100,
) -> Page[ConflictOut]:
    """List the findings that contradicted what was known when they came, with what explains it."""
    with service.look(service.topic_id(study, topic)) as live:
        ids, every = live.pairs.documents.ids, live.pairs.conflicts
    conflicts = every[after : after + limit]

    def told(finding: Finding) -> ReasonOut:
        return ReasonOut(
            first=ids[finding.first],
            second=ids[finding.second],
            outcome=finding.outcome,
            judgments=list(finding.judgments),
        )

    items = [
        ConflictOut(
            finding=told(conflict.finding),
            known=conflict.known,
            because=[told(finding) for finding in conflict.because],
            reopened=None if conflict.reopened is None else ids[conflict.reopened],
        )
        for conflict in conflicts
    ]
    return Page(items=items, next=str(after + limit) if len(every) > after + limit else None)


@router.get("/topics/{topic}/judgments", responses=problems(404))
def list_judgments(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    service: Svc,
    after: Annotated[int, Query(ge=0, le=2**53, description="`next` of the page before")] = 0,
    limit: Limit = 100,
) -> Page[LogEntryOut]:
    """List the judgment log in its order, retracted judgments included."""
    topic_id = service.topic_id(study, topic)
    with service.database.read() as connection:
        found = judgments.list_log(connection, topic_id, after, limit + 1)
    with service.look(topic_id) as live:
        items = [log_entry_out(topic, live.name_of, *entry) for entry in found[:limit]]
    return Page(items=items, next=str(items[-1].number) if len(found) > limit else None)


def log_entry_out(
    topic: str,
    name_of: Callable[[int], str],
    row: JudgmentRow,
    worker: str,
    retracted: str | None,
) -> LogEntryOut:
    """Describe an entry of the log."""
    return LogEntryOut(
        topic=topic,
        number=row.number,
        assignment=f"{row.topic_id}-{row.assignment}",
        attempt=row.attempt,
        worker=worker,
        first=name_of(row.first),
        second=name_of(row.second),
        outcome=None if row.outcome is None else Outcome(row.outcome),
        answer=row.answer,
        purpose=Purpose(row.purpose),
        reviews=row.subject,
        correct=row.correct,
        seconds=row.seconds,
        created_at=row.created_at,
        retracted=retracted,
    )
