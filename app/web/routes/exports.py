"""Exports: qrels and runs for TREC's tools, CSV and JSON Lines for all others."""

import re
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse

from nextpair.app.compute.export_files import FileWish
from nextpair.app.compute.export_files import export as write_file
from nextpair.app.compute.jobs import Job
from nextpair.app.field_types import Line
from nextpair.app.reports.levels import MOST_LEVELS
from nextpair.app.schemas.common import Name
from nextpair.app.schemas.exports import Format, idle_option
from nextpair.app.web.access import Reader
from nextpair.app.web.api_description import StudyName, problems
from nextpair.app.web.heavy_calls import Heavy
from nextpair.app.web.keyed_route import KeyedRoute
from nextpair.selectors.errors import BadOption

router = APIRouter(prefix="/v1/studies/{study}", tags=["exports"], route_class=KeyedRoute)

MEDIA_TYPES = {
    Format.QRELS: "text/plain",
    Format.QRELS_REAL: "text/plain",
    Format.RUN: "text/plain",
    Format.PAIRS: "application/jsonl",
    Format.CSV: "text/csv",
    Format.JSONL: "application/jsonl",
}
_CONTENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {media: {"schema": {"type": "string"}} for media in MEDIA_TYPES.values()},
    }
}


@router.get(
    "/export/{format}",
    response_class=StreamingResponse,
    responses={**_CONTENT, **problems(404)},
)
async def export(
    study: StudyName,
    format: Format,
    caller: Reader,
    heavy: Heavy,
    topic: Annotated[Name | None, Query(description="only this topic")] = None,
    rating: Annotated[
        Line | None, Query(description="what to grade or score by; the topic's own if left out")
    ] = None,
    levels: Annotated[
        int | None, Query(ge=2, le=MOST_LEVELS, description="of qrels: so many grades")
    ] = None,
    unjudged: Annotated[
        bool | None,
        Query(description="of qrels and runs: include documents nobody judged, as the lowest"),
    ] = None,
    inferred: Annotated[
        bool | None, Query(description="of pairs: whether also those nobody was asked about")
    ] = None,
    pseudonyms: Annotated[
        bool | None, Query(description="of csv and jsonl: whether not to tell who the workers are")
    ] = None,
) -> Response:
    """Write a study's results: grades, scores, ranks, pairs, or every judgment."""
    given = {"rating": rating, "levels": levels, "unjudged": unjudged}
    given |= {"inferred": inferred, "pseudonyms": pseudonyms}
    idle = idle_option(format, given)
    if idle is not None:
        raise BadOption(f"{idle!r} has no effect with the format {format.value!r}")
    wish = FileWish(format, rating, levels, unjudged, inferred, pseudonyms)
    headers = {"Content-Disposition": attachment(f"{study}.{format.value}")}
    warm = format not in (Format.CSV, Format.JSONL)
    job = Job(write_file, study, topic, (wish,), warm=warm)
    return await heavy.stream(job, MEDIA_TYPES[format], headers)


def attachment(name: str) -> str:
    """Tell a browser how to call a file: in ASCII, and to those that know how, exactly.

    >>> attachment("a b.csv")
    'attachment; filename="a b.csv"'
    """
    plain = re.sub(r"[^\x20-\x7e]|[\"\\\\]", "_", name)
    exact = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return f'attachment; filename="{plain}"{exact}'
