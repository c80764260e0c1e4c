"""Taking the results home: qrels and runs for TREC's tools, CSV and JSON Lines for all others."""

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from nextpair.app.formats.trec import qrels_lines, run_lines
from nextpair.app.judging import reporting
from nextpair.app.judging.service import Service
from nextpair.app.routes.access import Reader, Svc
from nextpair.app.routes.described import StudyName, problems
from nextpair.app.routes.results import log_entry_out
from nextpair.app.values import Line
from nextpair.app.wire.common import Name
from nextpair.app.wire.exports import Format
from nextpair.app.wire.results import LogEntryOut
from nextpair.storage import judgments, topics

router = APIRouter(prefix="/v1/studies/{study}", tags=["exports"])

_BATCH = 1000


MEDIA_TYPES = {
    Format.QRELS: "text/plain",
    Format.RUN: "text/plain",
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
    rating: Annotated[Line | None, Query(description="of a run's scores")] = None,
) -> StreamingResponse:
    """Write a study's results: grades, ranks, or every judgment."""
    wanted = _topics(service, study, topic)
    media = MEDIA_TYPES[format]
    headers = {"Content-Disposition": f'attachment; filename="{study}.{format.value}"'}
    lines: Iterator[str]
    if format is Format.QRELS:
        lines = iter([line for one in wanted for line in _qrels(service, *one)])
    elif format is Format.RUN:
        lines = iter([line for one in wanted for line in _run(service, *one, study, rating)])
    elif format is Format.CSV:
        lines = _csv(service, wanted)
    else:
        lines = _jsonl(service, wanted)
    return StreamingResponse(lines, media_type=media, headers=headers)


Wanted = tuple[int, str]


def _topics(service: Service, study: str, topic: str | None) -> list[Wanted]:
    if topic is not None:
        return [(service.topic_id(study, topic), topic)]
    study_id = service.study_id(study)
    with service.database.read() as connection:
        return [(row.id, row.name) for row in topics.list_topics(connection, study_id)]


def _qrels(service: Service, topic_id: int, topic: str) -> list[str]:
    with service.look(topic_id) as live:
        classes = reporting.ranking(live, None, service.said(live)).classes
    worse = {name: len(classes) - place for place, names in enumerate(classes, 1) for name in names}
    return qrels_lines(topic, worse)


def _run(service: Service, topic_id: int, topic: str, study: str, rating: str | None) -> list[str]:
    with service.look(topic_id) as live:
        scores = reporting.scores(live, rating, service.said(live)).tolist()
        ids = live.state.documents.ids
    found = {name: score for name, score in zip(ids, scores, strict=True) if not math.isnan(score)}
    return run_lines(topic, found, study)


def _log(service: Service, wanted: Sequence[Wanted]) -> Iterator[LogEntryOut]:
    """Yield the log a piece at a time: a slow reader keeps no transaction open."""
    for topic_id, topic in wanted:
        with service.look(topic_id) as live:
            name_of = live.name_of
        after = 0
        while True:
            with service.database.read() as connection:
                found = judgments.list_log(connection, topic_id, after, _BATCH)
            for entry in found:
                yield log_entry_out(topic, name_of, *entry)
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


def _csv(service: Service, wanted: Sequence[Wanted]) -> Iterator[str]:
    yield _row(COLUMNS)
    for entry in _log(service, wanted):
        flat = entry.model_dump(mode="json")
        flat["preference"] = entry.answer.get("preference")
        flat["answer"] = json.dumps(entry.answer, ensure_ascii=False)
        yield _row([flat[column] for column in COLUMNS])


def _row(values: Sequence[object]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)
    return buffer.getvalue()


def _jsonl(service: Service, wanted: Sequence[Wanted]) -> Iterator[str]:
    for entry in _log(service, wanted):
        yield entry.model_dump_json() + "\n"
