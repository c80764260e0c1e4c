"""What the description of the API says of parameters and problems, for all routes."""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import AfterValidator, BaseModel

from nextpair.app.names import LONGEST_NAME, SHAPE, clean_name

_CLEAN = AfterValidator(clean_name)
_TOLD: dict[str, Any] = {"pattern": SHAPE, "minLength": 1, "maxLength": LONGEST_NAME}
StudyName = Annotated[str, _CLEAN, Path(json_schema_extra=_TOLD, examples=["answers"])]
TopicName = Annotated[str, _CLEAN, Path(json_schema_extra=_TOLD, examples=["coffee"])]
WorkerName = Annotated[str, _CLEAN, Path(json_schema_extra=_TOLD, examples=["ann"])]
After = Annotated[
    str,
    Query(max_length=200, pattern=r"^[^\x00]*$", description="`next` of the page before"),
]
Limit = Annotated[int, Query(ge=1, le=1000, description="how many at most")]


def problem_response(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the problems a route may answer with."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemOut"}}}
    return {
        status: {"description": _MEANING[status], "content": content} for status in sorted(statuses)
    }


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the problems of a route that needs a key, besides those that all of them have."""
    return problem_response(*{400, 401, 403, 413, 422, 429, 503, 507, *statuses})


def repeated(shape: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """Describe the answer to what was done before."""
    return {200: {"model": shape, "description": "It was there already; nothing was changed."}}


_MEANING = {
    400: "The request cannot be read.",
    401: "No key, or not one of ours.",
    403: "The key, token or worker may not do this.",
    404: "There is no such thing.",
    409: "It contradicts what is there, or is closed.",
    413: "Larger than this installation allows.",
    422: "Not valid; `errors` says where.",
    429: "Too many calls; wait as long as Retry-After says.",
    502: "A platform cannot be asked at the moment; try again.",
    503: "The database cannot be reached or written to, or too much is being computed; try again.",
    507: "The disk of the database is full; free some space, then try again.",
}
