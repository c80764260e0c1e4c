"""Exports: qrels and runs for TREC's tools, CSV and JSON Lines for all others."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from nextpair.app.designs.base import Design
from nextpair.app.formats.cells import safe_cell
from nextpair.app.formats.trec import qrels_lines, real_qrels_lines, run_lines
from nextpair.app.judging import reporting
from nextpair.app.judging.service import Service
from nextpair.app.reports.levels import MOST_LEVELS, grades
from nextpair.app.reports.pairs import pair_lines, snapshot
from nextpair.app.routes.access import Reader, Svc
from nextpair.app.routes.described import StudyName, problems
from nextpair.app.routes.keyed_route import KeyedRoute
from nextpair.app.routes.results import log_entry_out
from nextpair.app.values import Line
from nextpair.app.wire.common import Name
from nextpair.app.wire.exports import UNJUDGED, Format, idle_option
from nextpair.app.wire.results import LogEntryOut
from nextpair.selectors.errors import BadOption
from nextpair.selectors.topic.reported import ReportedOrder
from nextpair.storage import judgments, topics

router = APIRouter(prefix="/v1/studies/{study}", tags=["exports"], route_class=KeyedRoute)

_BATCH = 1000
RETRACTED = "retracted"
"""Why a judgment was retracted, where a reason in someone's own words could name them."""


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
def export(
    study: StudyName,
    format: Format,
    caller: Reader,
    service: Svc,
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
) -> StreamingResponse:
    """Write a study's results: grades, scores, ranks, pairs, or every judgment."""
    given = {"rating": rating, "levels": levels, "unjudged": unjudged}
    given |= {"inferred": inferred, "pseudonyms": pseudonyms}
    idle = idle_option(format, given)
    if idle is not None:
        raise BadOption(f"{idle!r} has no effect with the format {format.value!r}")
    found = _topics(service, study, topic)
    asked = Asked(service, study, found, rating, levels, bool(unjudged))
    headers = {"Content-Disposition": attachment(f"{study}.{format.value}")}
    if format in (Format.QRELS, Format.QRELS_REAL, Format.RUN):
        # All of it before the first line: what cannot be written is refused, not broken off.
        whole, count = _file(format, asked)
        lines: Iterator[str] = iter(whole)
        headers[UNJUDGED] = str(count)
    else:
        lines = _log_lines(format, asked, inferred is not False, bool(pseudonyms))
    return StreamingResponse(lines, media_type=MEDIA_TYPES[format], headers=headers)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be written: some topics of a study, and how."""

    service: Service
    study: str
    topics: Sequence[tuple[int, str]]
    rating: str | None
    levels: int | None
    unjudged: bool


def attachment(name: str) -> str:
    """Tell a browser how to call a file: in ASCII, and to those that know how, exactly.

    >>> attachment("a b.csv")
    'attachment; filename="a b.csv"'
    """
    plain = re.sub(r"[^\x20-\x7e]|[\"\\\\]", "_", name)
    exact = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return f'attachment; filename="{plain}"{exact}'


def _log_lines(form: Format, asked: Asked, inferred: bool, pseudonyms: bool) -> Iterator[str]:
    if form is Format.PAIRS:
        return _pairs(asked, inferred)
    log = _log(asked, pseudonyms)
    return _csv(log) if form is Format.CSV else _jsonl(log)


def _topics(service: Service, study: str, topic: str | None) -> list[tuple[int, str]]:
    if topic is not None:
        return [(service.topic_id(study, topic), topic)]
    study_id = service.study_id(study)
    with service.database.read() as connection:
        return [(row.id, row.name) for row in topics.list_topics(connection, study_id)]


def _qrels(asked: Asked, order: ReportedOrder, design: Design) -> Mapping[str, int]:
    return grades(order, design, asked.levels, unjudged=asked.unjudged)


def _scores(asked: Asked, order: ReportedOrder, design: Design) -> Mapping[str, float]:
    scored = order.scored()
    lowest = min(scored.values(), default=0.0)
    return (dict.fromkeys(order.ids, lowest) if asked.unjudged else {}) | dict(scored)


def _file(form: Format, asked: Asked) -> tuple[list[str], int]:
    """Return the lines of qrels or of a run, and how many documents nobody has judged."""
    lines: list[str] = []
    unjudged = 0
    for topic_id, topic in asked.topics:
        with asked.service.look(topic_id) as live:
            said = asked.service.said(live)
            order = reporting.reported(live, asked.rating, said)
        unjudged += len(order.ids) - int(order.judged.sum())
        if form is Format.QRELS:
            lines += qrels_lines(topic, _qrels(asked, order, said.design))
        elif form is Format.QRELS_REAL:
            lines += real_qrels_lines(topic, _scores(asked, order, said.design))
        else:
            # The tag only says whose run it is; unlike an id, it may be written otherwise.
            tag = "_".join(asked.study.split())
            lines += run_lines(topic, _scores(asked, order, said.design), tag)
    return lines, unjudged


def _pairs(asked: Asked, inferred: bool) -> Iterator[str]:
    for topic_id, _ in asked.topics:
        with asked.service.look(topic_id) as live:
            compared = snapshot(live, asked.service.said(live))
        yield from pair_lines(compared, inferred=inferred)


def _log(asked: Asked, pseudonyms: bool) -> Iterator[LogEntryOut]:
    """Yield the log a piece at a time: a slow reader keeps no transaction open."""
    service, study_id = asked.service, asked.service.study_id(asked.study)
    for topic_id, topic in asked.topics:
        with service.look(topic_id) as live:
            name_of = live.name_of
        after = 0
        while True:
            with service.database.read() as connection:
                found = judgments.list_log(connection, topic_id, after, _BATCH)
            for row, worker, reason in found:
                if pseudonyms:
                    worker = service.pseudonyms.of(study_id, worker)
                    reason = None if reason is None else RETRACTED
                yield log_entry_out(topic, name_of, row, worker, reason)
            if len(found) < _BATCH:
                break
            after = found[-1][0].number


COLUMNS = (
    "topic",
    "number",
    "worker",
    "first",
    "second",
    "outcome",
    "preference",
    "purpose",
    "reviews",
    "correct",
    "answer",
    "seconds",
    "assignment",
    "attempt",
    "created_at",
    "retracted",
)


def _csv(log: Iterator[LogEntryOut]) -> Iterator[str]:
    yield _row(COLUMNS)
    for entry in log:
        flat = entry.model_dump(mode="json")
        flat["preference"] = entry.answer.get("preference")
        flat["answer"] = json.dumps(entry.answer, ensure_ascii=False)
        yield _row([flat[column] for column in COLUMNS])


def _row(values: Sequence[object]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow([safe_cell(value) for value in values])
    return buffer.getvalue()


def _jsonl(log: Iterator[LogEntryOut]) -> Iterator[str]:
    for entry in log:
        yield entry.model_dump_json() + "\n"
