"""A topic in memory: the mind's state and who holds which question, at one version of the topic."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from nextpair.selectors.topic.documents import Document
from nextpair.selectors.topic.judgments import Judgment, Outcome, Pair
from nextpair.selectors.topic.settings import Lease
from nextpair.selectors.topic.settings import Settings as TopicSettings
from nextpair.selectors.topic.state import Topic
from nextpair.storage import assignments, judgments, topics
from nextpair.storage.database import Connection
from nextpair.storage.judgments import Vote
from nextpair.storage.rows import AssignmentRow, State, TopicHead, TopicRow

_OUTCOMES = {outcome.value: outcome for outcome in Outcome}


@dataclass(frozen=True, slots=True)
class Change:
    """What a transaction changed about a topic, whichever process made it.

    Parameters
    ----------
    assignments
        Those that are new, or other than before.
    votes
        New judgments, in their order.
    retracted
        The numbers of judgments that no longer count.
    """

    version: int
    position: int
    asked: int
    assignments: Sequence[AssignmentRow] = ()
    votes: Iterable[Vote] = ()
    retracted: frozenset[int] = field(default_factory=frozenset)


class LiveTopic:
    """One topic at one version. Who uses it holds its lock."""

    def __init__(
        self, row: TopicRow, documents: Sequence[Document], settings: TopicSettings
    ) -> None:
        self.row = row
        self.state = Topic(documents, settings)
        self.version = -1
        self.position = 0
        self.asked = 0
        self.open: dict[int, AssignmentRow] = {}
        self._barred: defaultdict[int, dict[int, Pair]] = defaultdict(dict)

    def apply(self, change: Change) -> None:
        """Go on to the version after a change."""
        gone = {number for number in change.retracted if number <= self.position}
        if gone:
            self.state = self.state.retract(*gone)
        ids = self.state.documents.ids
        for number, first, second, outcome, worker in change.votes:
            self.state.absorb(
                Judgment(number, ids[first], ids[second], _OUTCOMES[outcome], str(worker))
            )
        for row in change.assignments:
            self._file(row)
        self.version, self.position, self.asked = change.version, change.position, change.asked

    def _file(self, row: AssignmentRow) -> None:
        self.open.pop(row.number, None)
        self._barred[row.worker_id].pop(row.number, None)
        if row.state == State.OPEN:
            self.open[row.number] = row
        elif row.state != State.ANSWERED:
            self._barred[row.worker_id][row.number] = row.pair

    def leases(self, now: float) -> list[Lease]:
        """List the pairs that are in someone's hands."""
        return [
            Lease(row.pair, str(row.worker_id))
            for row in self.open.values()
            if row.expires_at > now
        ]

    def barred(self, worker_id: int) -> Iterable[Pair]:
        """Return the pairs that must not come back to a worker: skipped ones, and retracted."""
        return self._barred[worker_id].values() if worker_id in self._barred else ()

    def ran_out(self, worker_id: int, pair: Pair) -> AssignmentRow | None:
        """Return the assignment of a pair that a worker once held and did not answer."""
        for row in self.open.values():
            if row.worker_id == worker_id and row.pair == pair:
                return row
        return None


def load(connection: Connection, row: TopicRow, settings: TopicSettings) -> LiveTopic:
    """Read a topic's documents; its log is still to be caught up with."""
    documents = [
        Document(name, features or {}, prior)
        for name, features, prior in topics.outlines(connection, row.id)
    ]
    return LiveTopic(row, documents, settings)


def news(connection: Connection, topic_id: int, live: LiveTopic, head: TopicHead) -> Change:
    """Read what happened to a topic since the version in memory."""
    fresh = live.version < 0
    changed = (
        assignments.unanswered(connection, topic_id)
        if fresh
        else assignments.changed_since(connection, topic_id, live.version)
    )
    if head.position == live.position:
        return Change(head.version, head.position, head.asked, changed)
    retracted = (
        frozenset[int]()
        if fresh
        else frozenset(judgments.retracted_after(connection, topic_id, live.position))
    )
    votes = judgments.votes_after(connection, topic_id, live.position)
    return Change(head.version, head.position, head.asked, changed, votes, retracted)


def store(
    connection: Connection,
    topic_id: int,
    change: Change,
    added: Sequence[AssignmentRow] = (),
) -> None:
    """Write a change's assignments and counters; the log is written by whoever adds to it."""
    fresh = {row.number for row in added}
    assignments.add_assignments(connection, added)
    for row in change.assignments:
        if row.number not in fresh:
            assignments.change_assignment(connection, row)
    topics.move_topic(
        connection,
        topic_id,
        version=change.version,
        position=change.position,
        asked=change.asked,
    )
