"""Server-Sent Events: judgments, retractions, documents that settled, topics that finished."""

from collections.abc import AsyncIterator
from itertools import zip_longest
from typing import Annotated

import anyio
from fastapi import APIRouter, Depends, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from nextpair.app.judging.service import Service
from nextpair.app.judging.watching import Watch
from nextpair.app.routes.access import Reader, Svc
from nextpair.app.routes.described import StudyName, TopicName, problems
from nextpair.app.routes.keyed_route import KeyedRoute

router = APIRouter(prefix="/v1/studies/{study}", tags=["events"], route_class=KeyedRoute)

LastEventId = Annotated[int | None, Header(ge=0, le=2**53, description="sent by browsers")]


# Watches are made before the answer begins, so that what is not there can still be said.


def _study_watch(study: StudyName, caller: Reader, service: Svc) -> Watch:
    return Watch(service, service.study_id(study))


def _topic_watch(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    service: Svc,
    after: Annotated[
        int | None, Query(ge=0, le=2**53, description="tell what came after this entry of the log")
    ] = None,
    last_event_id: LastEventId = None,
) -> Watch:
    start = last_event_id if last_event_id is not None else after
    return Watch(service, service.study_id(study), service.topic_id(study, topic), start)


@router.get("/events", response_class=EventSourceResponse, responses=problems(404))
async def watch_study(
    service: Svc, watch: Annotated[Watch, Depends(_study_watch)]
) -> AsyncIterator[ServerSentEvent]:
    """Stream the news of all topics of a study, from now on."""
    async for event in _stream(service, watch, numbered=False):
        yield event


@router.get("/topics/{topic}/events", response_class=EventSourceResponse, responses=problems(404))
async def watch_topic(
    service: Svc, watch: Annotated[Watch, Depends(_topic_watch)]
) -> AsyncIterator[ServerSentEvent]:
    """Stream a topic's news, from now on or from an entry of its log; reconnecting misses none."""
    async for event in _stream(service, watch, numbered=True):
        yield event


async def _stream(
    service: Service, watch: Watch, *, numbered: bool
) -> AsyncIterator[ServerSentEvent]:
    while not service.stopping.is_set():
        news = await run_in_threadpool(watch.news)
        for event, following in zip_longest(news, news[1:]):
            # Only the last event of a position has it as its id: whoever is cut off before that
            # comes back with the position before, and hears all of this one.
            last = following is None or following.position != event.position
            yield ServerSentEvent(
                event=event.kind,
                data={"topic": event.topic, **event.content},
                id=str(event.position) if numbered and last else None,
            )
        await anyio.sleep(service.settings.events_seconds)
