"""Exception handlers: every error becomes a problem document (RFC 9457), or a page for a person."""

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
from nextpair.app.pages.headers import dashboard_headers
from nextpair.app.pages.plain import problem_page
from nextpair.app.truncation import shortened
from nextpair.app.validation_messages import errors_by_place
from nextpair.selectors.errors import NextpairError
from nextpair.storage.errors import Unavailable, WrongSchema

log = logging.getLogger("nextpair")

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 20


def add_handlers(app: FastAPI) -> None:
    """Register the exception handlers of an application."""
    app.add_exception_handler(NextpairError, _on_domain_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(ClientDisconnect, _on_disconnect)


def problem_document(
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
        body["errors"] = [
            {name: shortened(text) for name, text in error.items()} for error in errors
        ]
    if request_id:
        body["request_id"] = request_id
    return JSONResponse(body, status, dict(headers or {}), MEDIA_TYPE)


def prefers_html(request: Request) -> bool:
    """Say whether a person reads the response: browsers accept HTML when they open an address."""
    path = request.url.path
    programs_only = path == "/v1" or path.startswith("/v1/")
    return not programs_only and "text/html" in request.headers.get("accept", "")


def error_response(
    request: Request,
    status: int,
    kind: str,
    title: str,
    detail: str,
    *,
    errors: list[dict[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Describe an error: as a page for a person, as a problem document for a program."""
    if prefers_html(request):
        what = [shortened(error["what"]) for error in errors or ()]
        page = problem_page(title, shortened(detail), what)
        return HTMLResponse(page, status, {**dashboard_headers(), **(headers or {})})
    return problem_document(
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
    problem = problem_of(error)
    headers = {}
    if isinstance(error, (Unauthorized, BadToken)):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, (Unavailable, KeysUnavailable)):
        headers["Retry-After"] = "1"
    if isinstance(error, RateLimited):
        headers |= retry_after(error)
    if isinstance(error, (Overloaded, TooManyHeavyCalls, HelperLost)):
        headers["Retry-After"] = "5"
    if problem.status == 500:
        return on_unexpected_error(request, error)
    if isinstance(error, (Unavailable, WrongSchema)):
        log.warning("database: %s", error, extra=_request_id_fields(request))
    return error_response(
        request,
        problem.status,
        problem.type,
        problem.title,
        problem.detail,
        headers=headers,
    )


def retry_after(error: RateLimited) -> dict[str, str]:
    """Return the header that says after how many seconds the next call is allowed."""
    return {"Retry-After": str(max(1, math.ceil(error.seconds)))}


def _request_id_fields(request: Request) -> dict[str, Any]:
    return {"request_id": request.scope.get("nextpair.request_id")}


def _on_invalid(request: Request, error: Exception) -> Response:
    """Describe validation errors and their places, without repeating the input."""
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    unreadable = next(filter(None, (_unreadable(request, item) for item in errors)), None)
    described = [unreadable] if unreadable else _findings(errors, error.body)
    first = described[0] if described else {"where": "body", "what": "not valid"}
    where = "this address cannot be right" if prefers_html(request) else first["where"]
    return error_response(
        request,
        422,
        "urn:nextpair:invalid",
        "Invalid",
        f"{where}: {first['what']}",
        errors=described,
    )


def _findings(errors: Sequence[Mapping[str, Any]], body: object) -> list[dict[str, str]]:
    by_place = errors_by_place(errors, body, ("body",))
    return [{"where": where, "what": what} for where, what in by_place[:MAX_ERRORS]]


def _unreadable(request: Request, error: Mapping[str, Any]) -> dict[str, str] | None:
    """Describe why a body is not JSON, better than the framework does."""
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
    if prefers_html(request):
        details |= {404: "there is no page at this address: it may have been cut off or misspelt"}
    detail = details.get(error.status_code, str(error.detail))
    return error_response(
        request,
        error.status_code,
        f"urn:nextpair:{title.lower().replace(' ', '-')}",
        title,
        detail,
        headers=error.headers,
    )


def _on_disconnect(request: Request, error: Exception) -> Response:
    """Answer a request whose body was cut off; the client may be gone."""
    return error_response(
        request,
        400,
        "urn:nextpair:unreadable",
        "Unreadable",
        "the connection was closed before the body had come",
    )


def on_unexpected_error(request: Request, error: Exception) -> Response:
    """Answer an unexpected error with 500, and log it; this is the only place that does."""
    log.error("unexpected error", exc_info=error, extra=_request_id_fields(request))
    return error_response(
        request,
        500,
        "urn:nextpair:internal",
        "Internal error",
        "something went wrong here; nothing was changed that was not acknowledged",
    )
