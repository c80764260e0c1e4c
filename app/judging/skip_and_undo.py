"""Giving a question back, and taking the last answer back."""

from dataclasses import dataclass, replace

from nextpair.app.errors import AnswerConflict, TooLateToUndo, UndoneTooOften
from nextpair.app.judging.assignment_context import (
    Held,
    change,
    check_attempt,
    check_not_blocked,
    check_open,
    take,
)
from nextpair.app.judging.quarantined_answers import check_last
from nextpair.app.quality.batch_evaluation import Checking
from nextpair.app.quality.verdicts import Concluded, take_back
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.security.tokens import AssignmentRef
from nextpair.storage import checks, judgments
from nextpair.storage.database import Connection
from nextpair.storage.rows import (
    BY_WORKER,
    UNDO,
    AssignmentRow,
    Check,
    Effect,
    JudgmentRow,
    Purpose,
    RetractionRow,
    State,
    TopicRow,
    VerdictRow,
)


@dataclass(frozen=True, slots=True)
class GivenBack:
    """A question that was given back, and what the quiz came to that it completed, if it did."""

    assignment: AssignmentRow
    topic: str
    verdict: VerdictRow | None = None


def skip(
    service: Service,
    ref: AssignmentRef,
    worker: str | None,
    now: float,
    reason: str | None = None,
) -> GivenBack:
    """Give a question back: it goes to someone else, and never again to this worker.

    Whether it was a check cannot be told from this: a check that is given back counts as wrong, and
    only comes again where all of a quiz or a batch does.
    """

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[GivenBack] | None:
        held = take(service, connection, live, ref, worker)
        name = live.row.name
        if held.row.state == State.SKIPPED or _skipped_before(connection, held.row, ref):
            return Step(GivenBack(replace(held.row, state=State.SKIPPED), name))
        if held.row.state != State.OPEN:
            raise AnswerConflict("the assignment has been answered, so it cannot be skipped")
        check_open(held)
        check_attempt(held.row, ref)
        row = replace(held.row, state=State.SKIPPED, reason=reason)
        if row.purpose != Purpose.QUIZ or row.quarantine is not None:
            return _given_back(live, row, None, now)
        if not locked:
            return None
        checking = Checking(connection, live, held.study, row.worker_id)
        lease = held.study.settings.lease_seconds
        return _given_back(live, row, checking.after(row, None, now), now + lease)

    return change(service, ref, act)


def _given_back(
    live: LiveTopic, row: AssignmentRow, concluded: Concluded | None, expiry: float
) -> Step[GivenBack]:
    """Return what giving a question back changes, with what follows from the quiz it completes."""
    head = live.moved(entries=1 if concluded and concluded.judgments else 0)
    row = replace(row, version=head.version)
    verdict = None if concluded is None else concluded.verdict
    told = GivenBack(row, live.row.name, verdict)
    if concluded is None:
        return Step(told, Change(head, [row]), changed=[row])
    taken = take_back(concluded, head, expiry, live.hears)
    changed = list({one.number: one for one in (row, *taken.assignments)}.values())
    return Step(
        told,
        Change(head, changed, retracted=taken.counted),
        changed=changed,
        retractions=taken.retractions,
        verdict=concluded.verdict,
    )


def _skipped_before(connection: Connection, row: AssignmentRow, ref: AssignmentRef) -> bool:
    """Say whether this was given back as an attempt before, of a quiz that came again."""
    if ref.attempt is None or ref.attempt >= row.attempt:
        return False
    answered = judgments.answers_to(connection, row.topic_id, row.number)
    return all(one.attempt != ref.attempt for one in answered)


def undo(
    service: Service, ref: AssignmentRef, worker: str | None, now: float
) -> tuple[AssignmentRow, TopicRow]:
    """Take a worker's last answer back, and open the same question to them again."""

    def act(
        connection: Connection, live: LiveTopic, locked: bool
    ) -> Step[tuple[AssignmentRow, TopicRow]]:
        held = take(service, connection, live, ref, worker)
        check_not_blocked(held)
        if _undone_before(held.row, ref):
            return Step((held.row, live.row))
        check_open(held)
        if held.row.state == State.HELD:
            return _undo_held(connection, held, now)
        last = _last_answer(connection, held, now)
        _check_verdict(connection, held)
        undone = judgments.count_undone(connection, held.row.topic_id, held.row.number)
        _check_undos(held, undone)
        head = live.moved(entries=1)
        row = replace(
            held.row,
            state=State.OPEN,
            attempt=held.row.attempt + 1,
            version=head.version,
            expires_at=now + held.study.settings.lease_seconds,
        )
        taken = RetractionRow(live.row.id, last.number, head.position, UNDO, BY_WORKER, now)
        counted = frozenset([last.number]) if row.purpose in live.hears else frozenset[int]()
        change = Change(head, [row], retracted=counted)
        return Step((row, live.row), change, changed=[row], retractions=[taken])

    return change(service, ref, act)


def _undo_held(
    connection: Connection, held: Held, now: float
) -> Step[tuple[AssignmentRow, TopicRow]]:
    """Take back an answer that is in no log yet."""
    settings, live = held.study.settings, held.live
    check_last(connection, held.row, now, settings.undo_seconds)
    checking = Checking(connection, live, held.study, held.row.worker_id, held.row.quarantine)
    if held.row.purpose == Purpose.QUIZ and checking.held_quiz(now) is not None:
        raise TooLateToUndo("the answer cannot be taken back: it has been checked with others")
    _check_undos(held, held.row.attempt - 1)
    head = live.moved()
    row = replace(
        held.row,
        state=State.OPEN,
        held=None,
        attempt=held.row.attempt + 1,
        version=head.version,
        expires_at=now + settings.lease_seconds,
    )
    return Step((row, live.row), Change(head, [row]), changed=[row])


def _undone_before(row: AssignmentRow, ref: AssignmentRef) -> bool:
    """Say whether this was taken back already: one call sent twice must not undo two answers."""
    if ref.attempt is not None and ref.attempt < row.attempt:
        return True
    return row.state == State.OPEN and row.attempt > 1


def _last_answer(connection: Connection, held: Held, now: float) -> JudgmentRow:
    last = judgments.latest_of(connection, held.row.worker_id)
    if last is None or (last.topic_id, last.assignment) != (held.row.topic_id, held.row.number):
        raise TooLateToUndo("only the worker's last answer can be taken back, and this is not it")
    window = held.study.settings.undo_seconds
    if now - last.created_at > window:
        raise TooLateToUndo(f"an answer can be taken back for {window:g} seconds, not later")
    return last


def _check_verdict(connection: Connection, held: Held) -> None:
    """Raise if the answer was checked already: who has passed must not answer otherwise then."""
    row = held.row
    quiz = row.purpose == Purpose.QUIZ
    if not quiz and row.batch is None:
        return
    check = (Check.QUIZ, 0) if quiz else (Check.BATCH, row.batch)
    for one in checks.verdicts_of(connection, row.worker_id, row.topic_id):
        if (one.check, one.number) == check and one.effect != Effect.ASK_AGAIN:
            raise TooLateToUndo("the answer cannot be taken back: it has been checked with others")


def _check_undos(held: Held, undone: int) -> None:
    """Raise if this was taken back too often: each time the topic's whole log is folded anew."""
    most = held.study.settings.undos
    if undone >= most:
        times = "once" if most == 1 else f"{most} times"
        detail = f"the answer to a question can be taken back {times}, not more often"
        raise UndoneTooOften(detail if most else "answers cannot be taken back in this study")
