"""What happened to a topic, read from its log: judgments, retractions, and where it has come to."""

import json
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nextpair.app.compute.jobs import Answer
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.selectors.base import End
from nextpair.selectors.state.single_documents import SingleDocumentState
from nextpair.storage import judgments

PAGE = 1000
"""Entries of a log that are read together."""


@dataclass(frozen=True, slots=True)
class Look:
    """Where a topic has come to, at one position of its log."""

    topic: str
    position: int
    settled: int
    documents: int
    judged: int
    ended: End | None


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries of one topic's log, as they are sent.

    Parameters
    ----------
    after, upto
        The position before the first entry, and that of the last one.
    entries
        The number of each entry, and its event without an id.
    look
        Where the topic had come to, at the last entry or before; None where that is told later.
    """

    topic_id: int
    after: int
    upto: int
    entries: tuple[tuple[int, bytes], ...]
    look: Look | None = None


def take_look(service: ServiceContext, topic_id: int) -> Look:
    """Look where a topic has come to."""
    with service.projection_of(topic_id) as projection:
        state = projection.state
        settled = (
            int(state.settled_documents().sum())
            if isinstance(state, SingleDocumentState)
            else state.count_settled()
        )
        size, position = len(state.documents), projection.head.position
        return Look(projection.topic.name, position, settled, size, len(state), state.ended)


def look_from_afar(
    service: ServiceContext, now: float, study: str, topic: None, topic_id: int
) -> Answer:
    """Look where a topic has come to, for another process."""
    return Answer([pickle.dumps(take_look(service, topic_id))])


def read_batch(service: ServiceContext, topic_id: int, after: int, upto: int) -> Batch:
    """Read the entries of a log from one position to another, or as many as a page has."""
    upto = min(upto, after + PAGE)
    with service.projection_of(topic_id) as projection:
        topic, name_of = projection.topic.name, projection.document_name
        # More may have come since it was asked for; less is there only until a read catches up.
        upto = min(upto, projection.head.position)
    with service.database.read() as connection:
        found = judgments.entries_between(connection, topic_id, after, upto)
    entries = []
    for number, content in found:
        kind = "judgment" if "outcome" in content else "retraction"
        for side in ("first", "second"):
            if side in content:
                content[side] = name_of(content[side])
        entries.append((number, event_of(kind, topic, content)))
    return Batch(topic_id, after, upto, tuple(entries))


def event_of(kind: str, topic: str, content: Mapping[str, Any]) -> bytes:
    """Write an event, but for its id and its end."""
    return f"event: {kind}\ndata: {json.dumps({'topic': topic, **content})}\n".encode()
