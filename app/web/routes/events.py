"""Server-Sent Events: judgments, retractions, documents that settled, topics that finished."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from nextpair.app.events.follower import Follower
from nextpair.app.events.tail import Tail
from nextpair.app.web.access import Reader, Svc
from nextpair.app.web.api_description import StudyName, TopicName, problems
from nextpair.app.web.keyed_route import KeyedRoute

router = APIRouter(prefix="/v1/studies/{study}", tags=["events"], route_class=KeyedRoute)

LastEventId = Annotated[int | None, Header(ge=0, le=2**53, description="sent by browsers")]


class EventStream(StreamingResponse):
    """Sends what a follower is told, and lets it go whatever becomes of the client."""

    media_type = "text/event-stream"

    def __init__(self, tail: Tail, follower: Follower) -> None:
        # No proxy on the way may keep events back.
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        super().__init__(tail.told(follower), headers=headers)
        self._tail, self._follower = tail, follower

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._tail.leave(self._follower)


# Followers begin before the answer does, so that what is not there can still be said.


@router.get("/events", response_class=EventStream, status_code=200, responses=problems(404))
async def watch_study(
    study: StudyName, caller: Reader, service: Svc, request: Request
) -> EventStream:
    """Stream the news of all topics of a study, from now on."""
    tail: Tail = request.app.state.tail
    study_id = await run_in_threadpool(service.study_id, study)
    return EventStream(tail, await tail.follow(caller.key_id, study_id))


@router.get(
    "/topics/{topic}/events", response_class=EventStream, status_code=200, responses=problems(404)
)
async def watch_topic(
    study: StudyName,
    topic: TopicName,
    caller: Reader,
    service: Svc,
    request: Request,
    after: Annotated[
        int | None, Query(ge=0, le=2**53, description="tell what came after this entry of the log")
    ] = None,
    last_event_id: LastEventId = None,
) -> EventStream:
    """Stream a topic's news, from now on or from an entry of its log; reconnecting misses none."""
    tail: Tail = request.app.state.tail
    topic_id = await run_in_threadpool(service.topic_id, study, topic)
    start = last_event_id if last_event_id is not None else after
    follower = await tail.follow(caller.key_id, service.study_id(study), topic_id, start)
    return EventStream(tail, follower)
