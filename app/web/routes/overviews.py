"""Routes of overviews for dashboards: pace and cost of a study, classes and pairs of a topic."""

from itertools import pairwise
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from nextpair.app.compute import computations
from nextpair.app.compute.jobs import Job
from nextpair.app.hiring.management import hiring_warnings
from nextpair.app.hiring.offers import budget_use
from nextpair.app.schemas.overviews import (
    ClassesOut,
    HourOut,
    MatrixOut,
    PaceOut,
    PaidOut,
)
from nextpair.app.web.access import Now, Reader, Svc
from nextpair.app.web.api_description import StudyName, TopicName, problems
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.heavy_calls import Heavy
from nextpair.storage import hirings, topics
from nextpair.storage import pace as stored
from nextpair.storage.hiring_rows import HiringState

router = APIRouter(prefix="/v1/studies/{study}", tags=["results"], route_class=AuthenticatedRoute)

HOUR = 3600.0
CENTS = 100
MOST_HOURS = 168
MOST_BINS = 200


@router.get("/pace", responses=problems(404))
def get_pace(
    study: StudyName,
    caller: Reader,
    service: Svc,
    now: Now,
    hours: Annotated[int, Query(ge=1, le=MOST_HOURS, description="how far to look back")] = 24,
) -> PaceOut:
    """Say how fast a study is judged, hour by hour, and what it has cost so far."""
    study_id = service.study_id(study)
    begins = [now - HOUR * back for back in range(hours, 0, -1)]
    with service.database.read() as connection:
        settings = service.study(connection, study_id).settings
        rows = topics.list_topics(connection, study_id)
        pace = stored.pace(connection, study_id, begins)
        hiring = hirings.find_hiring(connection, study_id)
        paid = budget_use(connection, study_id)
        messages = hiring_warnings(hiring, hirings.count_dead_letters(connection, study_id))
    per_hour = [since - following for since, following in pairwise((*pace.since, 0))]
    return PaceOut(
        topics=len(rows),
        documents=sum(row.documents for row in rows),
        judgments=pace.judgments,
        latest_at=pace.latest,
        last_hour=per_hour[-1],
        workers=pace.workers,
        hours=[
            HourOut(begins_at=begin, judgments=count)
            for begin, count in zip(begins, per_hour, strict=True)
        ],
        price=settings.price,
        currency=settings.currency,
        spent=None if settings.price is None else settings.price * pace.judgments,
        paid=hiring
        and PaidOut(
            platform=hiring.platform,
            currency=settings.hiring.currency,
            spent=paid.spent / CENTS,
            reserved=paid.reserved / CENTS,
            warnings=messages,
            state=HiringState(hiring.state),
            message=hiring.message,
        ),
    )


@router.get("/topics/{topic}/classes", response_model=ClassesOut, responses=problems(404))
async def get_classes(study: StudyName, topic: TopicName, caller: Reader, heavy: Heavy) -> Response:
    """Show the classes in order, and between which of them the other documents may belong."""
    return await heavy.respond(Job(computations.classes, study, topic))


@router.get("/topics/{topic}/matrix", response_model=MatrixOut, responses=problems(404))
async def get_matrix(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    heavy: Heavy,
    bins: Annotated[int, Query(ge=1, le=MOST_BINS, description="rows at most")] = 60,
) -> Response:
    """Count judged, inferred and open pairs; where there are many documents, they share rows."""
    return await heavy.respond(Job(computations.matrix, study, topic, (bins,)))
