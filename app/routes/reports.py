"""A study's report: how far it can be relied on, and its workers."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from nextpair.app.reports.building import Wish, build
from nextpair.app.reports.convergence import MOST_POINTS, POINTS
from nextpair.app.reports.page import POLICY, render
from nextpair.app.reports.telling import tell
from nextpair.app.routes.access import Now, Reader, Svc
from nextpair.app.routes.described import StudyName, problems
from nextpair.app.values import Line
from nextpair.app.wire.common import Name
from nextpair.app.wire.reports import FullReportOut, ReportOut

router = APIRouter(prefix="/v1/studies/{study}", tags=["reports"])

Topic = Annotated[Name | None, Query(description="only this topic")]
Rating = Annotated[Line | None, Query(description="of the scores; the study's own if left out")]
Points = Annotated[
    int, Query(ge=0, le=MOST_POINTS, description="of the curve of convergence; 0: none")
]
Hidden = Annotated[bool, Query(alias="pseudonyms", description="not to tell who the workers are")]


@router.get("/report", responses=problems(404))
def get_report(
    study: StudyName,
    caller: Reader,
    service: Svc,
    now: Now,
    topic: Topic = None,
    rating: Rating = None,
    points: Points = POINTS,
    pseudonyms: Hidden = False,
) -> ReportOut:
    """Report on a study: its workers, their agreement, how well audits are foretold."""
    wish = Wish(study, topic, rating, points, pseudonyms)
    return tell(build(service, wish, now), wish, now)


@router.get("/report.html", response_class=HTMLResponse, responses=problems(404))
def get_report_page(
    study: StudyName,
    caller: Reader,
    service: Svc,
    now: Now,
    topic: Topic = None,
    rating: Rating = None,
    points: Points = POINTS,
    pseudonyms: Hidden = False,
) -> HTMLResponse:
    """Show the report as one page that needs nothing else."""
    wish = Wish(study, topic, rating, points, pseudonyms)
    told = tell(build(service, wish, now), wish, now)
    page = render(FullReportOut.model_validate(told, from_attributes=True))
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
    return HTMLResponse(page, headers=headers)
