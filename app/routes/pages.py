"""The judging page: the same for everyone, and what anyone may know before they begin."""

from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from nextpair.app.pages.headers import page_headers
from nextpair.app.routes.access import Svc
from nextpair.app.routes.described import StudyName, problem_response
from nextpair.app.routes.sessions import preview
from nextpair.app.wire.sessions import Preview

router = APIRouter(tags=["pages"])

_PAGES = files("nextpair.app.pages")


class Static(StaticFiles):
    """The scripts and styles of the pages; a browser asks whether they are still the same."""

    def __init__(self) -> None:
        super().__init__(packages=[("nextpair.app.pages", "static")])

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


@router.get("/judge/{study}", response_class=HTMLResponse, include_in_schema=False)
def judging_page(study: StudyName, service: Svc) -> HTMLResponse:
    """Show the judging page, which finds its session behind the `#` of its address."""
    page = (_PAGES / "judge.html").read_text(encoding="utf-8")
    return HTMLResponse(page, headers=page_headers(service.settings))


@router.get("/judge/{study}/preview", responses=problem_response(404, 422, 503))
def preview_study(study: StudyName, service: Svc) -> Preview:
    """Tell what a study asks of its workers, to anyone who thinks of becoming one."""
    return preview(service, study)
