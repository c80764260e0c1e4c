"""Routes of liveness and readiness (without a key), metrics and the OpenAPI description."""

from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel

from nextpair.app.web.access import Anyone, Reader, Svc
from nextpair.app.web.api_description import problem_response, problems
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.storage.schema_revisions import check_schema

router = APIRouter(tags=["health"], route_class=AuthenticatedRoute)


class Health(BaseModel):
    """All is well."""

    status: Literal["ok"] = "ok"


@router.get("/healthz", responses=problem_response(422))
async def health() -> Health:
    """Say that the process lives."""
    return Health()


@router.get("/readyz", responses=problem_response(422, 503, 507))
def readiness(service: Svc) -> Health:
    """Say that the database answers and has the tables this program knows."""
    check_schema(service.database)
    return Health()


@router.get("/openapi.json", include_in_schema=False)
def description(caller: Anyone, request: Request) -> JSONResponse:
    """Describe the API, for programs."""
    return JSONResponse(request.app.openapi())


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    tags=["metrics"],
    responses=problems(),
)
def metrics(caller: Reader, request: Request) -> PlainTextResponse:
    """Count requests and how long they took, for Prometheus."""
    page: bytes = request.app.state.metrics.page()
    return PlainTextResponse(page, media_type="text/plain; version=0.0.4; charset=utf-8")
