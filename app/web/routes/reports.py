"""Routes of the report on a study: reliability, agreement, workers."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse, Response

from nextpair.app.compute import computations
from nextpair.app.compute.jobs import Job
from nextpair.app.field_types import Line
from nextpair.app.reports.page import POLICY
from nextpair.app.reports.request import MAX_POINTS, POINTS, ReportRequest
from nextpair.app.schemas.common import Name
from nextpair.app.schemas.reports import ReportOut
from nextpair.app.web.access import Reader
from nextpair.app.web.api_description import StudyName, problems
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.heavy_calls import Heavy

router = APIRouter(prefix="/v1/studies/{study}", tags=["reports"], route_class=AuthenticatedRoute)


def _report_request(
    study: StudyName,
    topic: Annotated[Name | None, Query(description="only this topic")] = None,
    rating: Annotated[
        Line | None, Query(description="of the scores; the study's own if left out")
    ] = None,
    points: Annotated[
        int, Query(ge=0, le=MAX_POINTS, description="of the curve of convergence; 0: none")
    ] = POINTS,
    pseudonyms: Annotated[bool, Query(description="not to tell who the workers are")] = False,
) -> ReportRequest:
    return ReportRequest(study, topic, rating, points, pseudonyms)


RequestedReport = Annotated[ReportRequest, Depends(_report_request)]


REPORT_COST = 5.0
"""The cost of a report relative to a ranking: it folds the log again, point by point."""


@router.get("/report", response_model=ReportOut, responses=problems(404))
async def get_report(request: RequestedReport, caller: Reader, heavy: Heavy) -> Response:
    """Report on a study: its workers, their agreement, how well audits are foretold."""
    return await heavy.respond(
        Job(computations.report, request.study, request.topic, (request,), REPORT_COST)
    )


@router.get("/report.html", response_class=HTMLResponse, responses=problems(404))
async def get_report_page(request: RequestedReport, caller: Reader, heavy: Heavy) -> Response:
    """Show the report as one page that needs nothing else."""
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
    job = Job(computations.report_page, request.study, request.topic, (request,), REPORT_COST)
    return await heavy.respond(job, "text/html; charset=utf-8", headers)
