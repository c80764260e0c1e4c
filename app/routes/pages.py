"""The judging page: the same for everyone, and what anyone may know before they begin."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.exceptions import HTTPException
from starlette.responses import Response

from nextpair.app.pages.files import File, page, static_files
from nextpair.app.pages.headers import page_headers
from nextpair.app.routes.access import Svc
from nextpair.app.routes.described import StudyName, problem_response
from nextpair.app.routes.sessions import preview
from nextpair.app.wire.sessions import Preview

router = APIRouter(tags=["pages"])

Known = Annotated[str | None, Header(alias="If-None-Match")]


# Coroutines: a page is many small files, and each has only to be handed over.


@router.get("/judge/{study}", include_in_schema=False)
async def judging_page(study: StudyName, service: Svc) -> Response:
    """Show the judging page, which finds its session behind the `#` of its address."""
    return _answer(page("judge.html"), None, page_headers(service.settings))


@router.get("/static/{name}", include_in_schema=False)
async def static_file(name: str, known: Known = None) -> Response:
    """Return a script, a style or a picture of the pages."""
    found = static_files().get(name)
    if found is None:
        raise HTTPException(404)
    return _answer(found, known, {})


@router.get("/judge/{study}/preview", responses=problem_response(404, 422, 503))
def preview_study(study: StudyName, service: Svc) -> Preview:
    """Tell what a study asks of its workers, to anyone who thinks of becoming one."""
    return preview(service, study)


def _answer(file: File, known: str | None, headers: Mapping[str, str]) -> Response:
    """Send a file, unless the browser has it; it asks each time whether it is still the same."""
    told = {"ETag": file.etag, "Cache-Control": "no-cache", **headers}
    if known is not None and file.etag in known:
        return Response(status_code=304, headers=told)
    return Response(file.content, headers=told, media_type=file.media_type)
