"""The pages: the same for everyone, and what anyone may know of a study before they begin."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Header, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from nextpair.app.errors import BadArrival, RateLimited, UnknownStudy, problem_of
from nextpair.app.hiring import arrivals
from nextpair.app.pages.file_help import file_help_page
from nextpair.app.pages.files import File, page, static_files
from nextpair.app.pages.headers import dashboard_headers, page_headers
from nextpair.app.pages.plain import home_page
from nextpair.app.platforms.registry import read_access
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.sessions import Preview
from nextpair.app.security.api_keys import RateLimit, network_of
from nextpair.app.web.access import Now, Svc
from nextpair.app.web.api_description import StudyName, TopicName, problem_response
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.problems import error_response, prefers_html, retry_after
from nextpair.app.web.routes.sessions import preview
from nextpair.selectors.errors import BadOption
from nextpair.storage.errors import Unavailable

router = APIRouter(tags=["pages"], route_class=AuthenticatedRoute)

Known = Annotated[str | None, Header(alias="If-None-Match")]


# Coroutines: a page is many small files, and each has only to be handed over.


@router.get("/judge/{study}", include_in_schema=False)
async def judging_page(study: StudyName, service: Svc) -> Response:
    """Show the judging page, which finds its session behind the `#` of its address."""
    headers = await run_in_threadpool(_page_headers, service, study)
    return _answer(page("judge"), None, headers)


def _page_headers(service: ServiceContext, name: str) -> dict[str, str]:
    """Return the page's headers; whoever is lost, or comes at a bad moment, still gets a page."""
    with suppress(UnknownStudy, Unavailable, BadOption):
        with service.database.read() as connection:
            study = service.study(connection, service.study_id(name))
        access = read_access(study.settings.platform, service.settings.platforms)
        platform = study.platform
        frames, forms = platform.frame_ancestors(access), platform.form_targets(access)
        return page_headers(service.settings, frames, forms)
    return page_headers(service.settings)


@router.get(
    "/judge/{study}/enter",
    status_code=303,
    responses=problem_response(403, 404, 422, 429, 503, 507),
)
def enter(study: StudyName, request: Request, service: Svc, now: Now) -> Response:
    """Let someone in whom a platform sends, as its parameters say, and go on to the page."""
    limit: RateLimit = request.app.state.arrival_limit
    try:
        limit.spend(network_of(request.client.host if request.client else ""))
        session = arrivals.arrive(service, study, request.query_params, now)
    except (BadArrival, RateLimited) as error:
        return _refused(service, study, request, error)
    page = f"/judge/{quote(study, safe='')}"
    if session is None:
        return RedirectResponse(f"{page}?preview=1", 303)
    # Behind the #, where no log sees it.
    return RedirectResponse(f"{page}#{service.sessions.sign(session)}", 303)


def _refused(
    service: ServiceContext, study: str, request: Request, error: BadArrival | RateLimited
) -> Response:
    """Say what is wrong where it can be seen, which may be in a platform's frame."""
    found = problem_of(error)
    headers = _page_headers(service, study)
    if isinstance(error, RateLimited):
        headers |= retry_after(error)
    return error_response(
        request, found.status, found.type, found.title, found.detail, headers=headers
    )


@router.get("/", include_in_schema=False)
async def front_page() -> Response:
    """Say what this is, and where to go on."""
    return HTMLResponse(home_page(), headers=dashboard_headers())


@router.get("/help/files", include_in_schema=False)
async def files_page() -> Response:
    """Say which files can be imported, and which fields they have."""
    return HTMLResponse(file_help_page(), headers=dashboard_headers())


@router.get("/sign-in", include_in_schema=False)
async def sign_in_page() -> Response:
    """Show the dashboard, which signs in with the one-time code behind the `#` of the address."""
    return _dashboard()


@router.get("/studies", include_in_schema=False)
async def studies_page() -> Response:
    """Show the dashboard, which asks for a key before it asks for anything else."""
    return _dashboard()


@router.get("/studies/{study}", include_in_schema=False)
async def study_page(study: StudyName) -> Response:
    """Show the dashboard's page of a study."""
    return _dashboard()


@router.get("/studies/{study}/report", include_in_schema=False)
async def report_page(study: StudyName) -> Response:
    """Show the dashboard's page of a study's report."""
    return _dashboard()


@router.get("/studies/{study}/topics/{topic}", include_in_schema=False)
async def topic_page(study: StudyName, topic: TopicName) -> Response:
    """Show the dashboard's page of a topic."""
    return _dashboard()


@router.get("/static/{room}/{name}", include_in_schema=False)
async def static_file(room: str, name: str, known: Known = None) -> Response:
    """Return a script, a style sheet or an icon of the pages."""
    found = static_files().get(f"{room}/{name}")
    if found is None:
        raise HTTPException(404)
    return _answer(found, known, {})


@router.get(
    "/judge/{study}/preview", response_model=Preview, responses=problem_response(404, 422, 503, 507)
)
def preview_study(study: StudyName, request: Request, service: Svc) -> Any:
    """Tell what a study asks of its workers, to anyone who thinks of becoming one."""
    if prefers_html(request):
        return RedirectResponse(f"/judge/{quote(study, safe='')}?preview=1", 303)
    return preview(service, study)


def _dashboard() -> Response:
    return _answer(page("dashboard"), None, dashboard_headers())


def _answer(file: File, known: str | None, headers: Mapping[str, str]) -> Response:
    """Send a file, unless the browser has it; it asks each time whether it is still the same."""
    told = {"ETag": file.etag, "Cache-Control": "no-cache", **headers}
    if known is not None and file.etag in known:
        return Response(status_code=304, headers=told)
    return Response(file.content, headers=told, media_type=file.media_type)
