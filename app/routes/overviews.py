"""What a dashboard looks at: how fast a study goes, what it costs, a topic's pairs."""

from itertools import pairwise
from typing import Annotated

from fastapi import APIRouter, Query

from nextpair.app.hiring.offering import money
from nextpair.app.judging import reporting
from nextpair.app.routes.access import Now, Reader, Svc
from nextpair.app.routes.described import StudyName, TopicName, problems
from nextpair.app.wire.overviews import (
    BinOut,
    ClassesOut,
    HourOut,
    LooseOut,
    MatrixOut,
    PaceOut,
    PaidOut,
)
from nextpair.selectors.topic.pair_counts import count_pairs
from nextpair.storage import hirings, topics
from nextpair.storage import pace as stored
from nextpair.storage.hiring_rows import HiringState

router = APIRouter(prefix="/v1/studies/{study}", tags=["results"])

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
        found = stored.pace(connection, study_id, begins)
        hiring = hirings.find_hiring(connection, study_id)
        paid = money(connection, study_id)
    made = [one - following for one, following in pairwise((*found.since, 0))]
    return PaceOut(
        topics=len(rows),
        documents=sum(row.documents for row in rows),
        judgments=found.judgments,
        latest_at=found.latest,
        last_hour=made[-1],
        workers=found.workers,
        hours=[
            HourOut(begins_at=begin, judgments=count)
            for begin, count in zip(begins, made, strict=True)
        ],
        price=settings.price,
        currency=settings.currency,
        spent=None if settings.price is None else settings.price * found.judgments,
        paid=hiring
        and PaidOut(
            platform=hiring.platform,
            currency=settings.hiring.currency,
            spent=paid.spent / CENTS,
            reserved=paid.reserved / CENTS,
            state=HiringState(hiring.state),
            message=hiring.message,
        ),
    )


@router.get("/topics/{topic}/classes", responses=problems(404))
def get_classes(study: StudyName, topic: TopicName, caller: Reader, service: Svc) -> ClassesOut:
    """Show the classes in order, and between which of them the other documents may belong."""
    with service.look(service.topic_id(study, topic)) as live:
        found, ids, position = live.pairs.picture(), live.pairs.documents.ids, live.head.position
    return ClassesOut(
        position=position,
        boxes=[[ids[place] for place in box] for box in found.boxes],
        loose=[
            LooseOut(documents=[ids[n] for n in one.documents], first=one.first, last=one.last)
            for one in found.loose
        ],
    )


@router.get("/topics/{topic}/matrix", responses=problems(404))
def get_matrix(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    service: Svc,
    bins: Annotated[int, Query(ge=1, le=MOST_BINS, description="rows at most")] = 60,
) -> MatrixOut:
    """Count judged, inferred and open pairs; where there are many documents, they share rows."""
    with service.look(service.topic_id(study, topic)) as live:
        state, position = live.pairs, live.head.position
        ranked = reporting.ranking(live, None, service.said(live)).documents
        places = [state.documents.position(one.document) for one in ranked]
        asked = [(match.first, match.second) for match in state.matches()]
        counted = count_pairs(state.order, asked, places, bins)
    return MatrixOut(
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
