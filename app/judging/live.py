"""A topic in memory: the mind's state and who holds which question, at one version of the topic."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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
    head
        How far the topic has come by it.
    assignments
        Those that are new, or other than before.
    votes
        New judgments, in their order.
    retracted
        The numbers of judgments that no longer count.
    """

    head: TopicHead
    assignments: Sequence[AssignmentRow] = ()
    votes: Iterable[Vote] = ()
    retracted: frozenset[int] = frozenset()


class LiveTopic:
    """One topic at one version. Who uses it holds its lock."""

    def __init__(
        self, row: TopicRow, documents: Sequence[Document], settings: TopicSettings
    ) -> None:
        self.row = row
        self.state = Topic(documents, settings)
        self.head = TopicHead(row.study_id, -1, row.status, row.status, -1, 0, 0)
        self.open: dict[int, AssignmentRow] = {}
        self._barred: defaultdict[int, dict[int, Pair]] = defaultdict(dict)

    def apply(self, change: Change) -> None:
        """Go on to the version after a change."""
        gone = {number for number in change.retracted if number <= self.head.position}
        if gone:
            self.state = self.state.retract(*gone)
        ids = self.state.documents.ids
        for number, first, second, outcome, worker in change.votes:
            self.state.absorb(
                Judgment(number, ids[first], ids[second], _OUTCOMES[outcome], str(worker))
            )
        for row in change.assignments:
            self._file(row)
        self.head = change.head

    def moved(self, *, asked: int = 0, entries: int = 0) -> TopicHead:
        """Return how far the topic will have come after a change."""
        head = self.head
        return replace(
            head,
            version=head.version + 1,
            position=head.position + entries,
            asked=head.asked + asked,
        )

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
    seen, fresh = live.head, live.head.version < 0
    changed = (
        assignments.unanswered(connection, topic_id)
        if fresh
        else assignments.changed_since(connection, topic_id, seen.version)
    )
    if head.position == seen.position:
        return Change(head, changed)
    votes = judgments.votes_after(connection, topic_id, seen.position)
    if fresh:
        return Change(head, changed, votes)
    retracted = judgments.retracted_after(connection, topic_id, seen.position)
    return Change(head, changed, votes, frozenset(retracted))
