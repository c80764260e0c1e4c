"""Taking answers: a judgment, a skip, or the last answer back, told only once committed."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from nextpair.app.designs import preference
from nextpair.app.designs.preference import PreferenceAnswer
from nextpair.app.errors import (
    AlreadySkipped,
    AnswerConflict,
    NotYours,
    SpentToken,
    StudyClosed,
    TooLateToUndo,
    TopicClosed,
    UnknownAssignment,
    UnknownTopic,
)
from nextpair.app.judging.live import Change, LiveTopic
from nextpair.app.judging.service import Service
from nextpair.app.judging.steps import Act, Result, Step
from nextpair.app.judging.study import Study
from nextpair.app.judging.tokens import AssignmentRef
from nextpair.storage import assignments, judgments, topics
from nextpair.storage.database import Connection
from nextpair.storage.judgments import Vote
from nextpair.storage.rows import AssignmentRow, JudgmentRow, RetractionRow, State, Status, TopicRow

UNDO = "undo"
"""The reason of a retraction that a worker asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for an assignment.

    Parameters
    ----------
    worker
        Who says so; a token speaks for itself.
    seconds
        How long the worker looked at the question, if that was measured.
    """

    content: PreferenceAnswer
    worker: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgment in the log, and whether it was there before."""

    judgment: JudgmentRow
    assignment: AssignmentRow
    topic: str
    study: str
    sides: tuple[str, str]
    repeated: bool
    late: bool


class _Held(NamedTuple):
    """An assignment of a topic."""

    live: LiveTopic
    study: Study
    row: AssignmentRow


def absorb_judgment(service: Service, ref: AssignmentRef, answer: Answer, now: float) -> Judged:
    """Append an answer to the log; the same answer again is a success that changes nothing."""

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[Judged]:
        held = _take(service, connection, live, ref, answer.worker)
        earlier = _answered_before(connection, held, ref, answer)
        if earlier is not None:
            return Step(_judged(held, earlier, repeated=True))
        _check_open(held)
        judgment = _judgment(held, answer, now)
        head = live.moved(entries=1)
        row = replace(held.row, state=State.ANSWERED, version=head.version)
        change = Change(head, [row], [_vote(judgment)])
        told = _judged(held, judgment, repeated=False)
        return Step(told, change, changed=[row], judgment=judgment)

    return _change(service, ref, act)


def skip(service: Service, ref: AssignmentRef, worker: str | None) -> AssignmentRow:
    """Give a question back: it goes to someone else, and never again to this worker."""

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[AssignmentRow]:
        held = _take(service, connection, live, ref, worker)
        if held.row.state == State.SKIPPED:
            return Step(held.row)
        if held.row.state != State.OPEN:
            raise AnswerConflict("the assignment has been answered, so it cannot be skipped")
        _check_open(held)
        _check_attempt(held.row, ref)
        head = live.moved()
        row = replace(held.row, state=State.SKIPPED, version=head.version)
        return Step(row, Change(head, [row]), changed=[row])

    return _change(service, ref, act)


def undo(
    service: Service, ref: AssignmentRef, worker: str | None, now: float
) -> tuple[AssignmentRow, TopicRow]:
    """Take a worker's last answer back, and open the same question to them again."""

    def act(
        connection: Connection, live: LiveTopic, locked: bool
    ) -> Step[tuple[AssignmentRow, TopicRow]]:
        held = _take(service, connection, live, ref, worker)
        if _undone_before(held.row, ref):
            return Step((held.row, live.row))
        _check_open(held)
        last = _last_answer(connection, held, now)
        head = live.moved(entries=1)
        row = replace(
            held.row,
            state=State.OPEN,
            attempt=held.row.attempt + 1,
            version=head.version,
            expires_at=now + held.study.settings.lease_seconds,
        )
        taken = RetractionRow(live.row.id, last.number, head.position, UNDO, "worker", now)
        change = Change(head, [row], retracted=frozenset([last.number]))
        return Step((row, live.row), change, changed=[row], retractions=[taken])

    return _change(service, ref, act)


def _change(service: Service, ref: AssignmentRef, act: Act[Result]) -> Result:
    try:
        return service.change(ref.topic_id, act)
    except UnknownTopic:
        raise UnknownAssignment(f"there is no assignment {ref.id!r}") from None


def find(service: Service, ref: AssignmentRef) -> tuple[AssignmentRow, TopicRow]:
    """Return an assignment as it stands."""
    with service.database.read() as connection:
        row = assignments.find_assignment(connection, ref.topic_id, ref.number)
        if row is None:
            raise UnknownAssignment(f"there is no assignment {ref.id!r}")
        return row, topics.get_topic(connection, ref.topic_id)


def _take(
    service: Service,
    connection: Connection,
    live: LiveTopic,
    ref: AssignmentRef,
    worker: str | None,
) -> _Held:
    row = live.open.get(ref.number) or assignments.find_assignment(
        connection, ref.topic_id, ref.number
    )
    if row is None:
        raise UnknownAssignment(f"there is no assignment {ref.id!r}")
    study = service.study(connection, live.head.study_id, live.head.study_version)
    if worker is not None:
        worker_id = service.worker_id(connection, study.id, worker)
        if worker_id != row.worker_id:
            raise NotYours(f"assignment {ref.id!r} is not worker {worker!r}'s")
    return _Held(live, study, row)


def _check_open(held: _Held) -> None:
    if held.live.head.study_status == Status.CLOSED:
        raise StudyClosed(f"study {held.study.name!r} is closed")
    if held.live.head.status == Status.CLOSED:
        raise TopicClosed(f"topic {held.live.row.name!r} is closed")


def _check_attempt(row: AssignmentRow, ref: AssignmentRef) -> None:
    if ref.attempt is not None and ref.attempt != row.attempt:
        raise SpentToken()


def _answered_before(
    connection: Connection, held: _Held, ref: AssignmentRef, answer: Answer
) -> JudgmentRow | None:
    """Return the judgment that is there already, if this one says the same."""
    row = held.row
    attempt = row.attempt if ref.attempt is None else ref.attempt
    if row.state == State.OPEN and attempt == row.attempt:
        return None
    if row.state == State.SKIPPED and attempt == row.attempt:
        raise AlreadySkipped()
    for earlier in judgments.answers_to(connection, row.topic_id, row.number):
        if earlier.attempt == attempt:
            if earlier.answer == answer.content.model_dump(mode="json"):
                return earlier
            raise AnswerConflict() if attempt == row.attempt else SpentToken()
    raise SpentToken()


def _judgment(held: _Held, answer: Answer, now: float) -> JudgmentRow:
    row = held.row
    outcome = preference.outcome(answer.content, swapped=row.swapped, ties=held.study.settings.ties)
    return JudgmentRow(
        row.topic_id,
        held.live.head.position + 1,
        row.number,
        row.attempt,
        row.worker_id,
        row.first,
        row.second,
        outcome.value,
        answer.content.model_dump(mode="json"),
        answer.seconds,
        now,
    )


def _vote(judgment: JudgmentRow) -> Vote:
    return (
        judgment.number,
        judgment.first,
        judgment.second,
        judgment.outcome,
        judgment.worker_id,
    )


def _undone_before(row: AssignmentRow, ref: AssignmentRef) -> bool:
    """Say whether this was taken back already: one call sent twice must not undo two answers."""
    if ref.attempt is not None and ref.attempt < row.attempt:
        return True
    return row.state == State.OPEN and row.attempt > 1


def _last_answer(connection: Connection, held: _Held, now: float) -> JudgmentRow:
    last = judgments.latest_of(connection, held.row.worker_id)
    if last is None or (last.topic_id, last.assignment) != (held.row.topic_id, held.row.number):
        raise TooLateToUndo("only the worker's last answer can be taken back, and this is not it")
    window = held.study.settings.undo_seconds
    if now - last.created_at > window:
        raise TooLateToUndo(f"an answer can be taken back for {window:g} seconds, not later")
    return last


def _judged(held: _Held, judgment: JudgmentRow, *, repeated: bool) -> Judged:
    names = held.live.state.documents.ids
    left, right = held.row.sides
    return Judged(
        judgment,
        held.row,
        held.live.row.name,
        held.study.name,
        (names[left], names[right]),
        repeated,
        late=judgment.created_at > held.row.expires_at,
    )
