"""The composition root: creates the application and wires its parts."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version

import anyio.to_thread
from fastapi import APIRouter, FastAPI
from fastapi.middleware.cors import CORSMiddleware

from nextpair.app.compute.pool import ComputePool
from nextpair.app.events.hub import EventHub
from nextpair.app.hiring.runner import runner_thread
from nextpair.app.provisioning.upload_sweep import uploads_swept
from nextpair.app.runtime.process_watch import exit_with_parent
from nextpair.app.runtime.schema_watch import schema_watched
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.shutdown import set_on_shutdown_signal
from nextpair.app.runtime.single_flight import SingleFlight
from nextpair.app.runtime.threads import limit_library_threads, limit_threads, take_short_turns
from nextpair.app.security.api_keys import KeyRing, RateLimit
from nextpair.app.settings import ServiceSettings
from nextpair.app.web.metrics import Metrics, remove_folder
from nextpair.app.web.middleware import RequestMiddleware, start_logging
from nextpair.app.web.openapi import describe
from nextpair.app.web.problems import add_handlers
from nextpair.app.web.routes import (
    designs,
    events,
    exports,
    health,
    hiring,
    imports,
    judging,
    keys,
    overviews,
    pages,
    reports,
    results,
    retractions,
    sessions,
    signing_in,
    studies,
    topics,
)
from nextpair.selectors.base import load_selectors
from nextpair.storage.rows import KeyRow
from nextpair.storage.schema_revisions import check_schema

WORKER_AT_ONCE = 10
"""The burst of one worker's requests: a page begins with several."""
ARRIVALS_AT_ONCE = 60
"""The burst of arrivals from one address: all students of a class open one link."""
ROUTERS = (
    # Routes are matched in this order, so those of the judging loop come first.
    judging.router,
    sessions.router,
    pages.router,
    health.router,
    keys.router,
    signing_in.router,
    studies.router,
    topics.router,
    imports.router,
    designs.router,
    results.router,
    overviews.router,
    retractions.router,
    exports.router,
    reports.router,
    hiring.router,
    events.router,
)
_ALL = APIRouter()
"""All routes: FastAPI analyses them once, for any number of applications (in tests)."""
for _router in ROUTERS:
    _ALL.include_router(_router)


def create_app(
    settings: ServiceSettings | None = None, clock: Callable[[], float] = time.time
) -> FastAPI:
    """Create the application; the database must have been migrated (`nextpair serve` does it)."""
    settings = settings or ServiceSettings()
    limit_library_threads()
    # Before any request: threads that import parts of a library at the same moment can fail.
    load_selectors()
    service = ServiceContext(settings, clock)
    check_schema(service.database)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        start_logging(settings.log_level)
        # One BLAS thread per request: requests run concurrently anyway, and sums are reproducible.
        limit_threads()
        take_short_turns()
        exit_with_parent(remove_folder)
        set_on_shutdown_signal(service.stopping)
        limiter = anyio.to_thread.current_default_thread_limiter()
        # The GIL lets one thread run at a time: more threads than bridge waiting times only cost.
        # The number is per process, since connections are not distributed evenly.
        limiter.total_tokens = max(2, settings.threads)
        with (
            schema_watched(service.database),
            uploads_swept(service.database),
            runner_thread(service, clock, settings.runner_seconds),
        ):
            yield
        await event_hub.close()
        await compute_pool.close()
        service.close()

    app = FastAPI(
        title="nextpair",
        version=version("nextpair"),
        description="Ask a person about the pair that teaches most, and conclude all that follows.",
        lifespan=lifespan,
        redirect_slashes=False,
        # The OpenAPI description has a route of its own, which needs a key; the framework's
        # documentation pages would load scripts from a CDN.
        openapi_url=None,
    )
    metrics = Metrics()
    compute_pool = app.state.compute_pool = ComputePool(settings, metrics.set_heavy_calls)
    event_hub = app.state.event_hub = EventHub(service, compute_pool, clock)
    app.state.service = service
    app.state.clock = clock
    app.state.keys = KeyRing(service.database, clock)
    app.state.key_checks = SingleFlight[KeyRow]()
    each = settings.processes
    app.state.rate_limit = RateLimit(settings.rate_per_key / each)
    app.state.worker_limit = RateLimit(
        settings.rate_per_worker / each, who="a worker", at_once=WORKER_AT_ONCE
    )
    app.state.arrival_limit = RateLimit(
        settings.rate_per_address / each, who="an address", at_once=ARRIVALS_AT_ONCE / each
    )
    app.state.metrics = metrics
    app.router.routes.extend(_ALL.routes)
    add_handlers(app)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["*"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key"],
        )
    app.add_middleware(RequestMiddleware, metrics=metrics)
    # FastAPI's documented way to customise the OpenAPI description.
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]
    return app
