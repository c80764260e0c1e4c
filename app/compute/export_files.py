"""Export files, written in chunks: qrels, runs, preference pairs and the judgment log."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nextpair.app.compute.jobs import JobResult
from nextpair.app.designs.base import Design
from nextpair.app.formats.cells import escape_cell
from nextpair.app.formats.trec import qrels_lines, real_qrels_lines, run_lines
from nextpair.app.reports.levels import grades
from nextpair.app.reports.pairs import pair_lines, take_preference_snapshot
from nextpair.app.results import rankings
from nextpair.app.results.loading import load_answer_set
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.exports import UNJUDGED, Format
from nextpair.app.schemas.results import LogEntryOut
from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.reported_order import ReportedOrder
from nextpair.storage import judgments, topics
from nextpair.storage.rows import JudgmentRow, Purpose

_BATCH = 1000
_CHUNK = 1 << 16
"""Characters per chunk."""
RETRACTED = "retracted"
"""Replaces the reason of a retraction in pseudonymous exports: free text could name a worker."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """The format of an export and its options; None is the default of the format or study."""

    format: Format
    rating: str | None = None
    levels: int | None = None
    unjudged: bool | None = None
    inferred: bool | None = None
    pseudonyms: bool | None = None


@dataclass(frozen=True, slots=True)
class _Export:
    service: ServiceContext
    study: str
    topics: Sequence[tuple[int, str]]
    request: ExportRequest


def export(
    service: ServiceContext, now: float, study: str, topic: str | None, request: ExportRequest
) -> JobResult:
    """Write the results of a study, or of one topic."""
    export_job = _Export(service, study, _topics(service, study, topic), request)
    if request.format in (Format.QRELS, Format.QRELS_REAL, Format.RUN):
        # Everything is computed before the first line: what cannot be written is refused with a
        # status code, not broken off in the middle.
        lines, unjudged = _file(export_job)
        return JobResult(_chunks(lines), {UNJUDGED: str(unjudged)})
    return JobResult(_chunks(_log_lines(export_job)))


def _chunks(lines: Iterable[str]) -> Iterator[bytes]:
    buffered: list[str] = []
    size = 0
    for line in lines:
        buffered.append(line)
        size += len(line)
        if size >= _CHUNK:
            yield "".join(buffered).encode()
            buffered, size = [], 0
    if buffered:
        yield "".join(buffered).encode()


def _log_lines(export_job: _Export) -> Iterator[str]:
    if export_job.request.format is Format.PAIRS:
        return _pairs(export_job)
    log = _log(export_job)
    return _csv(log) if export_job.request.format is Format.CSV else _jsonl(log)


def _topics(service: ServiceContext, study: str, topic: str | None) -> list[tuple[int, str]]:
    if topic is not None:
        return [(service.topic_id(study, topic), topic)]
    study_id = service.study_id(study)
    with service.database.read() as connection:
        return [(row.id, row.name) for row in topics.list_topics(connection, study_id)]


def _qrels(request: ExportRequest, order: ReportedOrder, design: Design) -> Mapping[str, int]:
    return grades(order, design, request.levels, unjudged=bool(request.unjudged))


def _scores(request: ExportRequest, order: ReportedOrder) -> Mapping[str, float]:
    scored = order.scored()
    lowest = min(scored.values(), default=0.0)
    return (dict.fromkeys(order.ids, lowest) if request.unjudged else {}) | dict(scored)


def _file(export_job: _Export) -> tuple[list[str], int]:
    """Return the lines of qrels or of a run, and the number of unjudged documents."""
    lines: list[str] = []
    unjudged, request = 0, export_job.request
    for topic_id, topic in export_job.topics:
        with export_job.service.projection_of(topic_id) as projection:
            answer_set = load_answer_set(export_job.service, projection)
            order = rankings.reported_order(projection, request.rating, answer_set)
        unjudged += len(order.ids) - int(order.judged.sum())
        if request.format is Format.QRELS:
            lines += qrels_lines(topic, _qrels(request, order, answer_set.design))
        elif request.format is Format.QRELS_REAL:
            lines += real_qrels_lines(topic, _scores(request, order))
        else:
            # Unlike an id, the tag may be changed: it only names the run.
            tag = "_".join(export_job.study.split())
            lines += run_lines(topic, _scores(request, order), tag)
    return lines, unjudged


def _pairs(export_job: _Export) -> Iterator[str]:
    for topic_id, _ in export_job.topics:
        with export_job.service.projection_of(topic_id) as projection:
            compared = take_preference_snapshot(
                projection, load_answer_set(export_job.service, projection)
            )
        yield from pair_lines(compared, inferred=export_job.request.inferred is not False)


def _log(export_job: _Export) -> Iterator[LogEntryOut]:
    """Yield the log, one transaction per batch: a slow reader keeps no transaction open."""
    service, study_id = export_job.service, export_job.service.study_id(export_job.study)
    for topic_id, topic in export_job.topics:
        with service.projection_of(topic_id) as projection:
            name_of = projection.document_name
        after = 0
        while True:
            with service.database.read() as connection:
                batch = judgments.list_log(connection, topic_id, after, _BATCH)
            for row, worker, reason in batch:
                if export_job.request.pseudonyms:
                    worker = service.pseudonyms.of_worker(study_id, worker)
                    reason = None if reason is None else RETRACTED
                yield log_entry_out(topic, name_of, row, worker, reason)
            if len(batch) < _BATCH:
                break
            after = batch[-1][0].number


def log_entry_out(
    topic: str,
    name_of: Callable[[int], str],
    row: JudgmentRow,
    worker: str,
    retracted: str | None,
) -> LogEntryOut:
    """Return an entry of the log as it is sent."""
    return LogEntryOut(
        topic=topic,
        number=row.number,
        assignment=f"{row.topic_id}-{row.assignment}",
        attempt=row.attempt,
        worker=worker,
        first=name_of(row.first),
        second=name_of(row.second),
        outcome=None if row.outcome is None else Outcome(row.outcome),
        answer=row.answer,
        purpose=Purpose(row.purpose),
        reviews=row.subject,
        correct=row.correct,
        seconds=row.seconds,
        created_at=row.created_at,
        retracted=retracted,
    )


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
    csv.writer(buffer, lineterminator="\n").writerow([escape_cell(value) for value in values])
    return buffer.getvalue()


def _jsonl(log: Iterator[LogEntryOut]) -> Iterator[str]:
    for entry in log:
        yield entry.model_dump_json() + "\n"
