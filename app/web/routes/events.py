"""Routes of server-sent events: judgments, retractions, settled documents, finished topics."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from nextpair.app.events.hub import EventHub
from nextpair.app.events.subscription import Subscription
from nextpair.app.web.access import Reader, Svc
from nextpair.app.web.api_description import StudyName, TopicName, problems
from nextpair.app.web.authenticated_route import AuthenticatedRoute

router = APIRouter(prefix="/v1/studies/{study}", tags=["events"], route_class=AuthenticatedRoute)

LastEventId = Annotated[int | None, Header(ge=0, le=2**53, description="sent by browsers")]


class EventStream(StreamingResponse):
    """Streams the events of a subscription, and ends it when the client is gone."""

    media_type = "text/event-stream"

    def __init__(self, hub: EventHub, subscription: Subscription) -> None:
        # Proxies must not buffer events.
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        super().__init__(hub.events(subscription), headers=headers)
        self._hub, self._subscription = hub, subscription

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._hub.unsubscribe(self._subscription)


# Subscriptions start before the response, so that errors can still become problem documents.


@router.get("/events", response_class=EventStream, status_code=200, responses=problems(404))
async def watch_study(
    study: StudyName, caller: Reader, service: Svc, request: Request
) -> EventStream:
    """Stream the news of all topics of a study, from now on."""
    hub: EventHub = request.app.state.event_hub
    study_id = await run_in_threadpool(service.study_id, study)
    return EventStream(hub, await hub.subscribe(caller.key_id, study_id))


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
    hub: EventHub = request.app.state.event_hub
    topic_id = await run_in_threadpool(service.topic_id, study, topic)
    start = last_event_id if last_event_id is not None else after
    subscription = await hub.subscribe(caller.key_id, service.study_id(study), topic_id, start)
    return EventStream(hub, subscription)
