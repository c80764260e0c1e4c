"""Routes of results: ranking, progress, reliability, explanation, conflicts, judgment log."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from nextpair.app.compute import computations
from nextpair.app.compute.export_files import log_entry_out
from nextpair.app.compute.jobs import Job
from nextpair.app.field_types import Line
from nextpair.app.schemas.common import Page
from nextpair.app.schemas.results import (
    ConflictOut,
    ExplanationOut,
    LogEntryOut,
    ProgressOut,
    RankingOut,
    ReliabilitiesOut,
    StudyProgressOut,
)
from nextpair.app.schemas.topics import DocumentName
from nextpair.app.web.access import Reader, Svc
from nextpair.app.web.api_description import Limit, StudyName, TopicName, problems
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.heavy_calls import Heavy
from nextpair.storage import judgments

router = APIRouter(prefix="/v1/studies/{study}", tags=["results"], route_class=AuthenticatedRoute)


@router.get("/topics/{topic}/ranking", response_model=RankingOut, responses=problems(404))
async def get_ranking(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    heavy: Heavy,
    rating: Annotated[
        Line | None,
        Query(description="order, a rating, or one of the design's; the study's own if left out"),
    ] = None,
) -> Response:
    """Rank a topic's documents: classes in order, and a score for each document."""
    return await heavy.respond(Job(computations.ranking, study, topic, (rating,)))


@router.get("/topics/{topic}/progress", response_model=ProgressOut, responses=problems(404))
async def get_progress(
    study: StudyName, topic: TopicName, caller: Reader, heavy: Heavy
) -> Response:
    """Say how far a topic has come."""
    return await heavy.respond(Job(computations.progress, study, topic))


@router.get("/progress", response_model=StudyProgressOut, responses=problems(404))
async def get_study_progress(study: StudyName, caller: Reader, heavy: Heavy) -> Response:
    """Say how far a study has come, topic by topic."""
    return await heavy.respond(Job(computations.study_progress, study))


@router.get("/topics/{topic}/reliability", response_model=ReliabilitiesOut, responses=problems(404))
async def get_reliability(
    study: StudyName, topic: TopicName, caller: Reader, heavy: Heavy
) -> Response:
    """Say how far each worker's answers can be relied on, least first.

    Empty where the selector does not weigh workers.
    """
    return await heavy.respond(Job(computations.reliability, study, topic))


@router.get("/topics/{topic}/explain", response_model=ExplanationOut, responses=problems(404))
async def explain(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    heavy: Heavy,
    first: Annotated[DocumentName, Query(description="a document's id")],
    second: Annotated[DocumentName, Query(description="another's")],
) -> Response:
    """Say how two documents compare, and from which judgments that follows."""
    return await heavy.respond(Job(computations.explanation, study, topic, (first, second)))


@router.get("/topics/{topic}/conflicts", response_model=Page[ConflictOut], responses=problems(404))
async def list_conflicts(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    heavy: Heavy,
    after: Annotated[int, Query(ge=0, le=2**53, description="`next` of the page before")] = 0,
    limit: Limit = 100,
) -> Response:
    """List the findings that contradicted what was known when they came, with what explains it."""
    return await heavy.respond(Job(computations.conflicts, study, topic, (after, limit)))


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
        entries = judgments.list_log(connection, topic_id, after, limit + 1)
    with service.projection_of(topic_id) as projection:
        items = [
            log_entry_out(topic, projection.document_name, *entry) for entry in entries[:limit]
        ]
    return Page(items=items, next=str(items[-1].number) if len(entries) > limit else None)
