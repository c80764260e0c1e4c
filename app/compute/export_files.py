"""Exports: the lines of each file, a piece at a time."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nextpair.app.compute.jobs import Answer
from nextpair.app.designs.base import Design
from nextpair.app.formats.cells import safe_cell
from nextpair.app.formats.trec import qrels_lines, real_qrels_lines, run_lines
from nextpair.app.reports.levels import grades
from nextpair.app.reports.pairs import pair_lines, snapshot
from nextpair.app.results import rankings
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.exports import UNJUDGED, Format
from nextpair.app.schemas.results import LogEntryOut
from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.reported_order import ReportedOrder
from nextpair.storage import judgments, topics
from nextpair.storage.rows import JudgmentRow, Purpose

_BATCH = 1000
_PIECE = 1 << 16
"""Characters that are handed on together."""
RETRACTED = "retracted"
"""Why a judgment was retracted, where a reason in someone's own words could name them."""


@dataclass(frozen=True, slots=True)
class FileWish:
    """What is to be written, and how; None leaves it as the format and the study have it."""

    format: Format
    rating: str | None = None
    levels: int | None = None
    unjudged: bool | None = None
    inferred: bool | None = None
    pseudonyms: bool | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    service: ServiceContext
    study: str
    topics: Sequence[tuple[int, str]]
    wish: FileWish


def export(
    service: ServiceContext, now: float, study: str, topic: str | None, wish: FileWish
) -> Answer:
    """Write a study's results, or those of one topic."""
    asked = _Asked(service, study, _topics(service, study, topic), wish)
    if wish.format in (Format.QRELS, Format.QRELS_REAL, Format.RUN):
        # All of it before the first line: what cannot be written is refused, not broken off.
        lines, unjudged = _file(asked)
        return Answer(_pieces(lines), {UNJUDGED: str(unjudged)})
    return Answer(_pieces(_log_lines(asked)))


def _pieces(lines: Iterable[str]) -> Iterator[bytes]:
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= _PIECE:
            yield "".join(held).encode()
            held, size = [], 0
    if held:
        yield "".join(held).encode()


def _log_lines(asked: _Asked) -> Iterator[str]:
    if asked.wish.format is Format.PAIRS:
        return _pairs(asked)
    log = _log(asked)
    return _csv(log) if asked.wish.format is Format.CSV else _jsonl(log)


def _topics(service: ServiceContext, study: str, topic: str | None) -> list[tuple[int, str]]:
    if topic is not None:
        return [(service.topic_id(study, topic), topic)]
    study_id = service.study_id(study)
    with service.database.read() as connection:
        return [(row.id, row.name) for row in topics.list_topics(connection, study_id)]


def _qrels(wish: FileWish, order: ReportedOrder, design: Design) -> Mapping[str, int]:
    return grades(order, design, wish.levels, unjudged=bool(wish.unjudged))


def _scores(wish: FileWish, order: ReportedOrder) -> Mapping[str, float]:
    scored = order.scored()
    lowest = min(scored.values(), default=0.0)
    return (dict.fromkeys(order.ids, lowest) if wish.unjudged else {}) | dict(scored)


def _file(asked: _Asked) -> tuple[list[str], int]:
    """Return the lines of qrels or of a run, and how many documents nobody has judged."""
    lines: list[str] = []
    unjudged, wish = 0, asked.wish
    for topic_id, topic in asked.topics:
        with asked.service.projection_of(topic_id) as projection:
            said = asked.service.answer_set(projection)
            order = rankings.reported_order(projection, wish.rating, said)
        unjudged += len(order.ids) - int(order.judged.sum())
        if wish.format is Format.QRELS:
            lines += qrels_lines(topic, _qrels(wish, order, said.design))
        elif wish.format is Format.QRELS_REAL:
            lines += real_qrels_lines(topic, _scores(wish, order))
        else:
            # The tag only says whose run it is; unlike an id, it may be written otherwise.
            tag = "_".join(asked.study.split())
            lines += run_lines(topic, _scores(wish, order), tag)
    return lines, unjudged


def _pairs(asked: _Asked) -> Iterator[str]:
    for topic_id, _ in asked.topics:
        with asked.service.projection_of(topic_id) as projection:
            compared = snapshot(projection, asked.service.answer_set(projection))
        yield from pair_lines(compared, inferred=asked.wish.inferred is not False)


def _log(asked: _Asked) -> Iterator[LogEntryOut]:
    """Yield the log a piece at a time: a slow reader keeps no transaction open."""
    service, study_id = asked.service, asked.service.study_id(asked.study)
    for topic_id, topic in asked.topics:
        with service.projection_of(topic_id) as projection:
            name_of = projection.document_name
        after = 0
        while True:
            with service.database.read() as connection:
                found = judgments.list_log(connection, topic_id, after, _BATCH)
            for row, worker, reason in found:
                if asked.wish.pseudonyms:
                    worker = service.pseudonyms.of_worker(study_id, worker)
                    reason = None if reason is None else RETRACTED
                yield log_entry_out(topic, name_of, row, worker, reason)
            if len(found) < _BATCH:
                break
            after = found[-1][0].number


def log_entry_out(
    topic: str,
    name_of: Callable[[int], str],
    row: JudgmentRow,
    worker: str,
    retracted: str | None,
) -> LogEntryOut:
    """Describe an entry of the log."""
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
    csv.writer(buffer, lineterminator="\n").writerow([safe_cell(value) for value in values])
    return buffer.getvalue()


def _jsonl(log: Iterator[LogEntryOut]) -> Iterator[str]:
    for entry in log:
        yield entry.model_dump_json() + "\n"
