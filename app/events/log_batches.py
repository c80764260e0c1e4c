"""Batches of log entries as events (judgments, retractions), and snapshots of progress."""

import json
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nextpair.app.compute.jobs import JobResult
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.selectors.base import End
from nextpair.selectors.state.single_documents import SingleDocumentState
from nextpair.storage import judgments

PAGE = 1000
"""Log entries per read."""


@dataclass(frozen=True, slots=True)
class ProgressSnapshot:
    """The progress of a topic at one position of its log."""

    topic: str
    position: int
    settled: int
    documents: int
    judged: int
    ended: End | None


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Consecutive entries of one topic's log, as they are sent.

    Parameters
    ----------
    after, upto
        The position before the first entry, and that of the last one.
    entries
        The number of each entry, and its event without an id.
    snapshot
        The progress at the last entry or before; None where it is sent later.
    """

    topic_id: int
    after: int
    upto: int
    entries: tuple[tuple[int, bytes], ...]
    snapshot: ProgressSnapshot | None = None


def take_snapshot(service: ServiceContext, topic_id: int) -> ProgressSnapshot:
    """Take the progress of a topic at its current position."""
    with service.projection_of(topic_id) as projection:
        state = projection.state
        settled = (
            int(state.settled_documents().sum())
            if isinstance(state, SingleDocumentState)
            else state.count_settled()
        )
        size, position = len(state.documents), projection.head.position
        return ProgressSnapshot(
            projection.topic.name, position, settled, size, len(state), state.ended
        )


def pickled_snapshot(
    service: ServiceContext, now: float, study: str, topic: None, topic_id: int
) -> JobResult:
    """Take the progress of a topic in a helper process, pickled for the service."""
    return JobResult([pickle.dumps(take_snapshot(service, topic_id))])


def read_batch(service: ServiceContext, topic_id: int, after: int, upto: int) -> LogBatch:
    """Read the entries of a log between two positions, one page at most."""
    upto = min(upto, after + PAGE)
    with service.projection_of(topic_id) as projection:
        topic, name_of = projection.topic.name, projection.document_name
        # The projection may be ahead of the requested position, or behind it for a moment.
        upto = min(upto, projection.head.position)
    with service.database.read() as connection:
        rows = judgments.entries_between(connection, topic_id, after, upto)
    entries = []
    for number, content in rows:
        kind = "judgment" if "outcome" in content else "retraction"
        for side in ("first", "second"):
            if side in content:
                content[side] = name_of(content[side])
        entries.append((number, format_event(kind, topic, content)))
    return LogBatch(topic_id, after, upto, tuple(entries))


def format_event(kind: str, topic: str, content: Mapping[str, Any]) -> bytes:
    """Format a server-sent event, without its id and the blank line that ends it."""
    return f"event: {kind}\ndata: {json.dumps({'topic': topic, **content})}\n".encode()
