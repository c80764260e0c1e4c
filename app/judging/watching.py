"""News of topics as they come: judgments, retractions, documents settled, topics finished."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nextpair.app.judging.live import LiveTopic
from nextpair.app.judging.service import Service
from nextpair.selectors.base import End
from nextpair.selectors.topic.singles import Singles
from nextpair.storage import judgments, topics


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a topic, and how long its log was then."""

    kind: str
    topic: str
    position: int
    content: Mapping[str, Any]


@dataclass(slots=True)
class _Seen:
    position: int
    settled: int
    ended: End | None


class Watch:
    """Looks at topics again and again, and tells what is new each time.

    Parameters
    ----------
    only
        One topic, or none for all of the study's.
    after
        The position of the log from which on that topic's news are told; from now on if not given.
    """

    def __init__(
        self,
        service: Service,
        study_id: int,
        only: int | None = None,
        after: int | None = None,
    ) -> None:
        self._service = service
        self._study_id = study_id
        self._only = only
        self._seen: dict[int, _Seen] = {}
        for topic_id, position in self._positions().items():
            if after is not None and after < position:
                self._seen[topic_id] = _Seen(after, -1, None)
            else:
                self._seen[topic_id] = self._now(topic_id)

    def _positions(self) -> dict[int, int]:
        with self._service.database.read() as connection:
            found = topics.topic_positions(connection, self._study_id)
        return found if self._only is None else {self._only: found[self._only]}

    def _now(self, topic_id: int) -> _Seen:
        with self._service.look(topic_id) as live:
            return _look(live)

    def news(self) -> list[Event]:
        """Return what happened since the last time."""
        found: list[Event] = []
        for topic_id, position in self._positions().items():
            seen = self._seen.setdefault(topic_id, _Seen(0, -1, None))
            if position > seen.position:
                found += self._news_of(topic_id, seen)
        return found

    def _news_of(self, topic_id: int, seen: _Seen) -> Iterator[Event]:
        with self._service.look(topic_id) as live:
            name, name_of, now = live.row.name, live.name_of, _look(live)
            documents, judged = len(live.state.documents), len(live.state)
        with self._service.database.read() as connection:
            entries = judgments.entries_between(connection, topic_id, seen.position, now.position)
        for number, content in entries:
            kind = "judgment" if "outcome" in content else "retraction"
            for side in ("first", "second"):
                if side in content:
                    content[side] = name_of(content[side])
            yield Event(kind, name, number, content)
        if now.settled != seen.settled:
            content = {"settled": now.settled, "documents": documents}
            yield Event("settled", name, now.position, content)
        if now.ended is not None and seen.ended is None:
            content = {"judgments": judged, "ended": now.ended.value}
            yield Event("finished", name, now.position, content)
        self._seen[topic_id] = now


def _look(live: LiveTopic) -> _Seen:
    state = live.state
    settled = (
        int(state.settled_documents().sum())
        if isinstance(state, Singles)
        else state.reported().settled
    )
    return _Seen(live.head.position, settled, state.ended)
