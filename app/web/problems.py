"""Every error becomes a problem document: ours, the framework's, and those nobody expected."""

import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from nextpair.app.errors import (
    BadToken,
    HelperLost,
    KeysUnavailable,
    Overloaded,
    RateLimited,
    TooManyHeavyCalls,
    Unauthorized,
    problem_of,
)
from nextpair.app.pages.headers import owner_headers
from nextpair.app.pages.plain import problem_page
from nextpair.app.truncation import shortened
from nextpair.app.validation_messages import findings
from nextpair.selectors.errors import NextpairError
from nextpair.storage.errors import Unavailable, WrongSchema

log = logging.getLogger("nextpair")

MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 20


def add_handlers(app: FastAPI) -> None:
    """Let every error of an application be answered with a problem document."""
    app.add_exception_handler(NextpairError, _on_domain_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(ClientDisconnect, _on_disconnect)


def problem(
    status: int,
    kind: str,
    title: str,
    detail: str,
    *,
    request_id: str | None = None,
    errors: list[dict[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Make a problem document."""
    body: dict[str, Any] = {"type": kind, "title": title, "status": status}
    body["detail"] = shortened(detail)
    if errors:
        body["errors"] = [{name: shortened(text) for name, text in one.items()} for one in errors]
    if request_id:
        body["request_id"] = request_id
    return JSONResponse(body, status, dict(headers or {}), MEDIA_TYPE)


def wants_page(request: Request) -> bool:
    """Say whether a person reads the answer: a browser that opens an address says so."""
    path = request.url.path
    programs_only = path == "/v1" or path.startswith("/v1/")
    return not programs_only and "text/html" in request.headers.get("accept", "")


def refuse(
    request: Request,
    status: int,
    kind: str,
    title: str,
    detail: str,
    *,
    errors: list[dict[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Say what is wrong: as a page to a person, as a problem document to a program."""
    if wants_page(request):
        what = [shortened(one["what"]) for one in errors or ()]
        told = problem_page(title, shortened(detail), what)
        return HTMLResponse(told, status, {**owner_headers(), **(headers or {})})
    return problem(
        status,
        kind,
        title,
        detail,
        request_id=request.scope.get("nextpair.request_id"),
        errors=errors,
        headers=headers,
    )


def _on_domain_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, NextpairError)
    found = problem_of(error)
    headers = {}
    if isinstance(error, (Unauthorized, BadToken)):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, (Unavailable, KeysUnavailable)):
        headers["Retry-After"] = "1"
    if isinstance(error, RateLimited):
        headers |= retry_after(error)
    if isinstance(error, (Overloaded, TooManyHeavyCalls, HelperLost)):
        headers["Retry-After"] = "5"
    if found.status == 500:
        return on_surprise(request, error)
    if isinstance(error, (Unavailable, WrongSchema)):
        log.warning("database: %s", error, extra=_named(request))
    return refuse(
        request,
        found.status,
        found.type,
        found.title,
        found.detail,
        headers=headers,
    )


def retry_after(error: RateLimited) -> dict[str, str]:
    """Say when there is room for the next call."""
    return {"Retry-After": str(max(1, math.ceil(error.seconds)))}


def _named(request: Request) -> dict[str, Any]:
    return {"request_id": request.scope.get("nextpair.request_id")}


def _on_invalid(request: Request, error: Exception) -> Response:
    """Say what is wrong and where, without repeating what was sent."""
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    unreadable = next(filter(None, (_unreadable(request, one) for one in errors)), None)
    found = [unreadable] if unreadable else _findings(errors, error.body)
    first = found[0] if found else {"where": "body", "what": "not valid"}
    where = "this address cannot be right" if wants_page(request) else first["where"]
    return refuse(
        request,
        422,
        "urn:nextpair:invalid",
        "Invalid",
        f"{where}: {first['what']}",
        errors=found,
    )


def _findings(errors: Sequence[Mapping[str, Any]], body: object) -> list[dict[str, str]]:
    said = findings(errors, body, ("body",))
    return [{"where": where, "what": what} for where, what in said[:MOST_ERRORS]]


def _unreadable(request: Request, error: Mapping[str, Any]) -> dict[str, str] | None:
    """Say of a body that is no JSON why it is not, in place of the framework's few words."""
    if error.get("type") == "json_invalid" and error["loc"][0] == "body":
        what = f"not JSON at character {error['loc'][-1] + 1}: {error['ctx']['error']}"
    elif error["loc"] == ("body",) and "json" not in request.headers.get("content-type", "json"):
        what = "must be JSON, sent with Content-Type: application/json"
    else:
        return None
    return {"where": "body", "what": what}


def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    titles = {400: "Unreadable", 404: "Not found", 405: "Method not allowed"}
    title = titles.get(error.status_code, "Error")
    details = {
        400: "the body cannot be read: it must be JSON in UTF-8, and not nested without end",
        404: f"there is nothing at {request.method} {request.url.path}",
        405: f"{request.method} is not possible here",
    }
    if wants_page(request):
        details |= {404: "there is no page at this address: it may have been cut off or misspelt"}
    detail = details.get(error.status_code, str(error.detail))
    return refuse(
        request,
        error.status_code,
        f"urn:nextpair:{title.lower().replace(' ', '-')}",
        title,
        detail,
        headers=error.headers,
    )


def _on_disconnect(request: Request, error: Exception) -> Response:
    """Give up on a body that does not come to its end: nobody may be there to read this."""
    return refuse(
        request,
        400,
        "urn:nextpair:unreadable",
        "Unreadable",
        "the connection was closed before the body had come",
    )


def on_surprise(request: Request, error: Exception) -> Response:
    """Answer what nobody expected, and log it; this is the only place that does."""
    log.error("unexpected error", exc_info=error, extra=_named(request))
    return refuse(
        request,
        500,
        "urn:nextpair:internal",
        "Internal error",
        "something went wrong here; nothing was changed that was not acknowledged",
    )
