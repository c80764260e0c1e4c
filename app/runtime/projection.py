"""A topic in memory: the mind's state and who holds which question, at one version of the topic."""

import gc
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from nextpair.app.designs.base import Shape
from nextpair.app.errors import NoPairs
from nextpair.app.runtime.quarantine import Quarantine
from nextpair.app.studies.study import Study
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, Pair
from nextpair.selectors.state.settings import Lease
from nextpair.selectors.state.single_documents import Single, Singles
from nextpair.selectors.state.topic_state import Topic
from nextpair.storage import assignments, checks, judgments, topics
from nextpair.storage.database import Connection
from nextpair.storage.judgments import Vote
from nextpair.storage.rows import (
    ASIDE,
    AssignmentRow,
    GoldRow,
    Purpose,
    State,
    TopicHead,
    TopicRow,
)

_WORK = frozenset([Purpose.WORK.value])
_WORK_AND_TRAPS = _WORK | {Purpose.TRAP.value}
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
        New judgments, in their order, of those that the mind hears.
    retracted
        The numbers of judgments that no longer count; of those that did.
    golds, names
        All questions with known answers and the ids of the documents that only they show, where
        there are new ones.
    """

    head: TopicHead
    assignments: Sequence[AssignmentRow] = ()
    votes: Iterable[Vote] = ()
    retracted: frozenset[int] = frozenset()
    golds: Sequence[GoldRow] | None = None
    names: Mapping[int, str] = field(default_factory=dict)


Aside = tuple[str, Pair]
"""A question that checks a worker: its purpose and its documents."""


class LiveTopic:
    """One topic at one version. Who uses it holds its lock."""

    def __init__(self, row: TopicRow, documents: Sequence[Document], study: Study) -> None:
        self.row = row
        settings = study.settings.for_topic(row.seed)
        self.state: Topic | Singles = (
            Singles(documents, settings, stages=study.design.stages)
            if study.design.shape is Shape.SINGLE
            else Topic(documents, settings)
        )
        self.head = TopicHead(row.study_id, -1, row.status, row.status, -1, 0, 0)
        self.open: dict[int, AssignmentRow] = {}
        self._lease_seconds = study.settings.lease_seconds
        # When leases end here that were given by a clock that is set back by now.
        self._capped: dict[int, float] = {}
        self.quarantine = Quarantine()
        self.golds: Sequence[GoldRow] = ()
        self.names: Mapping[int, str] = {}
        self.hears = _WORK if isinstance(self.state, Singles) else _WORK_AND_TRAPS
        """The purposes of the judgments that the state is folded from: where documents are
        compared, a question whose answer is known tells of the worker."""
        self._known = study.design.known
        self._truths: dict[Pair, Outcome] = {}
        self._barred: defaultdict[int, dict[int, Pair]] = defaultdict(dict)
        self._asides: defaultdict[int, set[Aside]] = defaultdict(set)

    @property
    def pairs(self) -> Topic:
        """What is known of how the documents compare."""
        if isinstance(self.state, Singles):
            raise NoPairs(f"topic {self.row.name!r} is judged one document at a time")
        return self.state

    def name_of(self, place: int) -> str:
        """Return the id of the document at a position, which may stand outside the pool."""
        if place < ASIDE:
            return self.state.documents.ids[place]
        return self.names[place]

    def apply(self, change: Change) -> None:
        """Go on to the version after a change."""
        if change.golds is not None:
            self.golds, self.names = change.golds, change.names
            self._truths = self._known_outcomes()
        gone = {number for number in change.retracted if number <= self.head.position}
        if gone:
            self.state = self.state.retract(*gone)
        for vote in change.votes:
            self._absorb(vote)
        for row in change.assignments:
            self._file(row)
        self.head = change.head

    def _known_outcomes(self) -> dict[Pair, Outcome]:
        if isinstance(self.state, Singles):
            return {}
        known = {gold.pair: self._known(gold.answer) for gold in self.golds if not gold.quiz}
        return {pair: truth for pair, truth in known.items() if isinstance(truth, Outcome)}

    def _absorb(self, vote: Vote) -> None:
        number, first, second, outcome, worker, subject, purpose = vote
        if isinstance(self.state, Singles):
            self.state.absorb(Single(number, first, str(worker), subject))
        else:
            assert outcome is not None
            truth = self._truths[first, second] if purpose == Purpose.TRAP else None
            names = self.name_of(first), self.name_of(second)
            self.state.absorb(Judgment(number, *names, _OUTCOMES[outcome], str(worker), truth))

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
        self._capped.pop(row.number, None)
        if self.quarantine.file(row):
            return
        if row.purpose != Purpose.WORK:
            self._asides[row.worker_id].add((row.purpose, row.pair))
            if row.state == State.OPEN:
                self.open[row.number] = row
            return
        self._barred[row.worker_id].pop(row.number, None)
        if row.state == State.OPEN:
            self.open[row.number] = row
        elif row.state != State.ANSWERED:
            self._barred[row.worker_id][row.number] = row.pair

    def leases(
        self, now: float, unserved: Collection[int] = (), lease_seconds: float = 0.0
    ) -> list[Lease]:
        """List the pairs that are in someone's hands.

        Parameters
        ----------
        unserved
            The ids of workers for whose answers nobody waits: they may not judge any more.
        lease_seconds
            How long a lease of the study is now.
        """
        self._lease_seconds = max(self._lease_seconds, lease_seconds)
        return [
            Lease(row.pair, str(row.worker_id), row.subject)
            for row in self.open.values()
            if self._end_of(row, now) > now
            and row.purpose == Purpose.WORK
            and row.worker_id not in unserved
        ]

    def _end_of(self, row: AssignmentRow, now: float) -> float:
        """Return when a lease ends: at most one lease from now, should the clock be set back."""
        latest = now + self._lease_seconds
        if row.expires_at <= latest:
            return row.expires_at
        self._capped[row.number] = min(self._capped.get(row.number, latest), latest)
        return self._capped[row.number]

    def asides(self, worker_id: int, session: int | None = None) -> frozenset[Aside]:
        """Return the questions by which a worker, or their unconfirmed session, was checked."""
        known = frozenset(self._asides.get(worker_id, ()))
        return known if session is None else known.union(self.quarantine.asides(worker_id))

    def barred(self, worker_id: int, session: int | None = None) -> Iterable[Pair]:
        """Return the pairs that must not come back to a worker: skipped ones, and retracted.

        Parameters
        ----------
        session
            The worker's unconfirmed session that asks, if it is one: what the worker holds
            otherwise is not for it.
        """
        known = self._barred[worker_id].values() if worker_id in self._barred else ()
        if session is None:
            return known
        mine = (row for row in self.open.values() if row.worker_id == worker_id)
        held = (row.pair for row in mine if row.purpose == Purpose.WORK)
        return [*known, *held, *self.quarantine.barred(session, worker_id)]

    def ran_out(self, worker_id: int, pair: Pair) -> AssignmentRow | None:
        """Return the assignment of a pair that a worker once held and did not answer."""
        for row in self.open.values():
            if (row.worker_id, row.pair, row.purpose) == (worker_id, pair, Purpose.WORK):
                return row
        return None


@contextmanager
def unswept() -> Iterator[None]:
    """Read a long log without looking for garbage again and again: all that is read is kept."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def load(connection: Connection, row: TopicRow, study: Study) -> LiveTopic:
    """Read a topic's documents; its log is still to be caught up with."""
    documents = [
        Document(name, features or {}, prior)
        for name, features, prior in topics.outlines(connection, row.id)
    ]
    return LiveTopic(row, documents, study)


def news(connection: Connection, topic_id: int, live: LiveTopic, head: TopicHead) -> Change:
    """Read what happened to a topic since the version in memory."""
    seen, fresh = live.head, live.head.version < 0
    golds, names = None, dict[int, str]()
    if head.golds != len(live.golds):
        golds = checks.golds_of(connection, topic_id)
        names = topics.names_aside(connection, topic_id)
    if fresh:
        changed = assignments.unanswered(connection, topic_id)
        asides = assignments.aside(connection, topic_id)
        changed += [row for row in asides if row.state == State.ANSWERED]
    else:
        changed = assignments.changed_since(connection, topic_id, seen.version)
    if head.position == seen.position:
        return Change(head, changed, golds=golds, names=names)
    votes = judgments.votes_after(connection, topic_id, seen.position, live.hears)
    if fresh:
        return Change(head, changed, votes, golds=golds, names=names)
    retracted = judgments.retracted_after(connection, topic_id, seen.position, live.hears)
    return Change(head, changed, votes, frozenset(retracted), golds, names)
