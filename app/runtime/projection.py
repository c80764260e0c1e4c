"""The projection of a topic: a fold over its log of judgments, and its assignments, in memory.

A projection is at one version of its topic. Deltas bring it to later versions: those that this
process has just committed, and those that it reads of other processes' commits.
"""

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
from nextpair.selectors.state.single_documents import SingleDocumentState, SingleJudgment
from nextpair.selectors.state.topic_state import Topic
from nextpair.storage import assignments, checks, judgments, topics
from nextpair.storage.database import Connection
from nextpair.storage.judgments import JudgmentRecord
from nextpair.storage.rows import (
    FIRST_GOLD_POSITION,
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
class TopicDelta:
    """What changed between two versions of a topic, whichever process committed it.

    Parameters
    ----------
    head
        The head of the topic after the change.
    assignments
        Those that are new or have changed.
    records
        New judgments that are folded into the state, in the order of the log.
    retracted
        The numbers of judgments that were folded, and no longer count.
    golds, gold_document_names
        All gold questions, and the ids of the documents outside the pool that they show, by
        position; None and empty where there are no new ones.
    """

    head: TopicHead
    assignments: Sequence[AssignmentRow] = ()
    records: Iterable[JudgmentRecord] = ()
    retracted: frozenset[int] = frozenset()
    golds: Sequence[GoldRow] | None = None
    gold_document_names: Mapping[int, str] = field(default_factory=dict)


CheckQuestion = tuple[str, Pair]
"""A check question, as a worker was asked it: its purpose and its pair of documents."""


class TopicProjection:
    """One topic at one version. Whoever uses it holds the lock of its slot.

    Attributes
    ----------
    state
        The fold over the judgments that count.
    open_assignments
        Assignments without an answer, by number; leases that ran out are among them.
    quarantine
        Assignments of sessions that their platform has not confirmed.
    """

    def __init__(self, topic: TopicRow, documents: Sequence[Document], study: Study) -> None:
        self.topic = topic
        settings = study.settings.for_topic(topic.seed)
        self.state: Topic | SingleDocumentState = (
            SingleDocumentState(documents, settings, stages=study.design.stages)
            if study.design.shape is Shape.SINGLE
            else Topic(documents, settings)
        )
        self.head = TopicHead(topic.study_id, -1, topic.status, topic.status, -1, 0, 0)
        self.open_assignments: dict[int, AssignmentRow] = {}
        self._lease_seconds = study.settings.lease_seconds
        # The ends of leases that were given before the clock was set back.
        self._capped_ends: dict[int, float] = {}
        self.quarantine = Quarantine()
        self.golds: Sequence[GoldRow] = ()
        self.gold_document_names: Mapping[int, str] = {}
        self.folded_purposes = (
            _WORK if isinstance(self.state, SingleDocumentState) else _WORK_AND_TRAPS
        )
        """The purposes of the judgments that are folded into the state. Where pairs are compared,
        gold questions are folded, too: they are evidence about the worker."""
        self._gold_answer = study.design.known_answer
        self._gold_outcomes: dict[Pair, Outcome] = {}
        self._excluded: defaultdict[int, dict[int, Pair]] = defaultdict(dict)
        self._check_questions: defaultdict[int, set[CheckQuestion]] = defaultdict(set)

    @property
    def pairwise_state(self) -> Topic:
        """The state of a topic whose documents are compared in pairs."""
        if isinstance(self.state, SingleDocumentState):
            raise NoPairs(f"topic {self.topic.name!r} is judged one document at a time")
        return self.state

    def document_name(self, position: int) -> str:
        """Return the id of the document at a position, inside or outside the pool."""
        if position < FIRST_GOLD_POSITION:
            return self.state.documents.ids[position]
        return self.gold_document_names[position]

    def apply(self, delta: TopicDelta) -> None:
        """Advance to the version after a delta."""
        if delta.golds is not None:
            self.golds, self.gold_document_names = delta.golds, delta.gold_document_names
            self._gold_outcomes = self._read_gold_outcomes()
        retracted = {number for number in delta.retracted if number <= self.head.position}
        if retracted:
            self.state = self.state.retract(*retracted)
        for record in delta.records:
            self._fold(record)
        for row in delta.assignments:
            self._apply_assignment(row)
        self.head = delta.head

    def _read_gold_outcomes(self) -> dict[Pair, Outcome]:
        if isinstance(self.state, SingleDocumentState):
            return {}
        answers = {
            gold.pair: self._gold_answer(gold.answer) for gold in self.golds if not gold.quiz
        }
        return {pair: truth for pair, truth in answers.items() if isinstance(truth, Outcome)}

    def _fold(self, record: JudgmentRecord) -> None:
        number, first, second, outcome, worker, subject, purpose = record
        if isinstance(self.state, SingleDocumentState):
            self.state.absorb(SingleJudgment(number, first, str(worker), subject))
        else:
            assert outcome is not None
            truth = self._gold_outcomes[first, second] if purpose == Purpose.TRAP else None
            names = self.document_name(first), self.document_name(second)
            self.state.absorb(Judgment(number, *names, _OUTCOMES[outcome], str(worker), truth))

    def next_head(self, *, issued: int = 0, entries: int = 0) -> TopicHead:
        """Return the head after a change that issues assignments, or adds entries to the log."""
        head = self.head
        return replace(
            head,
            version=head.version + 1,
            position=head.position + entries,
            asked=head.asked + issued,
        )

    def _apply_assignment(self, row: AssignmentRow) -> None:
        self.open_assignments.pop(row.number, None)
        self._capped_ends.pop(row.number, None)
        if self.quarantine.apply(row):
            return
        if row.purpose != Purpose.WORK:
            self._check_questions[row.worker_id].add((row.purpose, row.pair))
            if row.state == State.OPEN:
                self.open_assignments[row.number] = row
            return
        self._excluded[row.worker_id].pop(row.number, None)
        if row.state == State.OPEN:
            self.open_assignments[row.number] = row
        elif row.state != State.ANSWERED:
            self._excluded[row.worker_id][row.number] = row.pair

    def leases(
        self, now: float, unserved: Collection[int] = (), lease_seconds: float = 0.0
    ) -> list[Lease]:
        """List the leases that have not expired: nobody else is asked these pairs.

        Parameters
        ----------
        unserved
            The ids of workers who may not judge any more: their leases are ignored.
        lease_seconds
            The study's current duration of a lease.
        """
        self._lease_seconds = max(self._lease_seconds, lease_seconds)
        return [
            Lease(row.pair, str(row.worker_id), row.subject)
            for row in self.open_assignments.values()
            if self._end_of(row, now) > now
            and row.purpose == Purpose.WORK
            and row.worker_id not in unserved
        ]

    def _end_of(self, row: AssignmentRow, now: float) -> float:
        """Return when a lease ends: at most one duration from now, should the clock be set back."""
        latest = now + self._lease_seconds
        if row.expires_at <= latest:
            return row.expires_at
        self._capped_ends[row.number] = min(self._capped_ends.get(row.number, latest), latest)
        return self._capped_ends[row.number]

    def check_questions(
        self, worker_id: int, session: int | None = None
    ) -> frozenset[CheckQuestion]:
        """Return the check questions that a worker, or their unconfirmed session, was asked."""
        asked = frozenset(self._check_questions.get(worker_id, ()))
        return asked if session is None else asked.union(self.quarantine.check_questions(worker_id))

    def excluded_pairs(self, worker_id: int, session: int | None = None) -> Iterable[Pair]:
        """Return the pairs that a worker must not be asked again: skipped and retracted ones.

        Parameters
        ----------
        session
            The worker's unconfirmed session, if it is the one that asks: it does not get what
            the worker holds elsewhere.
        """
        excluded = self._excluded[worker_id].values() if worker_id in self._excluded else ()
        if session is None:
            return excluded
        mine = (row for row in self.open_assignments.values() if row.worker_id == worker_id)
        held = (row.pair for row in mine if row.purpose == Purpose.WORK)
        return [*excluded, *held, *self.quarantine.excluded_pairs(session, worker_id)]

    def unanswered_assignment(self, worker_id: int, pair: Pair) -> AssignmentRow | None:
        """Return the assignment of a pair that a worker was given, and has not answered."""
        for row in self.open_assignments.values():
            if (row.worker_id, row.pair, row.purpose) == (worker_id, pair, Purpose.WORK):
                return row
        return None


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause garbage collection while a long log is read: none of what is read is garbage."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def load_projection(connection: Connection, row: TopicRow, study: Study) -> TopicProjection:
    """Load a topic's documents; its log is read by the first catch-up."""
    documents = [
        Document(name, features or {}, prior)
        for name, features, prior in topics.outlines(connection, row.id)
    ]
    return TopicProjection(row, documents, study)


def delta_since(
    connection: Connection, topic_id: int, projection: TopicProjection, head: TopicHead
) -> TopicDelta:
    """Read the delta from the projection's version to the topic's head."""
    seen, unread = projection.head, projection.head.version < 0
    golds, names = None, dict[int, str]()
    if head.golds != len(projection.golds):
        golds = checks.golds_of(connection, topic_id)
        names = topics.gold_document_names(connection, topic_id)
    if unread:
        changed = assignments.unanswered(connection, topic_id)
        check_rows = assignments.check_assignments(connection, topic_id)
        changed += [row for row in check_rows if row.state == State.ANSWERED]
    else:
        changed = assignments.changed_since(connection, topic_id, seen.version)
    if head.position == seen.position:
        return TopicDelta(head, changed, golds=golds, gold_document_names=names)
    records = judgments.records_after(
        connection, topic_id, seen.position, projection.folded_purposes
    )
    if unread:
        return TopicDelta(head, changed, records, golds=golds, gold_document_names=names)
    retracted = judgments.retracted_after(
        connection, topic_id, seen.position, projection.folded_purposes
    )
    return TopicDelta(head, changed, records, frozenset(retracted), golds, names)
