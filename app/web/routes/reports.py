"""A study's report: how far it can be relied on, and its workers."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse, Response

from nextpair.app.compute import computations
from nextpair.app.compute.jobs import Job
from nextpair.app.field_types import Line
from nextpair.app.reports.page import POLICY
from nextpair.app.reports.request import MOST_POINTS, POINTS, Wish
from nextpair.app.schemas.common import Name
from nextpair.app.schemas.reports import ReportOut
from nextpair.app.web.access import Reader
from nextpair.app.web.api_description import StudyName, problems
from nextpair.app.web.heavy_calls import Heavy
from nextpair.app.web.keyed_route import KeyedRoute

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


CONVERGENCE = 5.0
"""How many times as long as a ranking a report takes: it folds the log again, point by point."""


@router.get("/report", response_model=ReportOut, responses=problems(404))
async def get_report(wish: Wanted, caller: Reader, heavy: Heavy) -> Response:
    """Report on a study: its workers, their agreement, how well audits are foretold."""
    return await heavy.answer(
        Job(computations.report, wish.study, wish.topic, (wish,), CONVERGENCE)
    )


@router.get("/report.html", response_class=HTMLResponse, responses=problems(404))
async def get_report_page(wish: Wanted, caller: Reader, heavy: Heavy) -> Response:
    """Show the report as one page that needs nothing else."""
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
    job = Job(computations.report_page, wish.study, wish.topic, (wish,), CONVERGENCE)
    return await heavy.answer(job, "text/html; charset=utf-8", headers)
