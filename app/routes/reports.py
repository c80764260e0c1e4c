"""A study's report: how far it can be relied on, and its workers."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse

from nextpair.app.judging.service import Service
from nextpair.app.reports.building import build
from nextpair.app.reports.page import POLICY, render
from nextpair.app.reports.telling import tell
from nextpair.app.reports.wishes import MOST_POINTS, POINTS, Wish
from nextpair.app.routes.access import Now, Reader, Svc
from nextpair.app.routes.described import StudyName, problems
from nextpair.app.routes.keyed_route import KeyedRoute
from nextpair.app.values import Line
from nextpair.app.wire.common import Name
from nextpair.app.wire.reports import FullReportOut, ReportOut

router = APIRouter(prefix="/v1/studies/{study}", tags=["reports"], route_class=KeyedRoute)


def _wish(
    study: StudyName,
    topic: Annotated[Name | None, Query(description="only this topic")] = None,
    rating: Annotated[
        Line | None, Query(description="of the scores; the study's own if left out")
    ] = None,
    points: Annotated[
        int, Query(ge=0, le=MOST_POINTS, description="of the curve of convergence; 0: none")
    ] = POINTS,
    pseudonyms: Annotated[bool, Query(description="not to tell who the workers are")] = False,
) -> Wish:
    return Wish(study, topic, rating, points, pseudonyms)


Wanted = Annotated[Wish, Depends(_wish)]


@router.get("/report", responses=problems(404))
def get_report(wish: Wanted, caller: Reader, service: Svc, now: Now) -> ReportOut:
    """Report on a study: its workers, their agreement, how well audits are foretold."""
    return _tell(service, wish, now)


@router.get("/report.html", response_class=HTMLResponse, responses=problems(404))
def get_report_page(wish: Wanted, caller: Reader, service: Svc, now: Now) -> HTMLResponse:
    """Show the report as one page that needs nothing else."""
    told = _tell(service, wish, now)
    page = render(FullReportOut.model_validate(told, from_attributes=True))
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
    return HTMLResponse(page, headers=headers)


def _tell(service: Service, wish: Wish, now: float) -> ReportOut:
    return tell(build(service, wish, now), wish, now)
