"""Taking answers: a judgment is told only once it is committed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from nextpair.app.errors import (
    AlreadySkipped,
    AnswerConflict,
    BadAnswer,
    SpentToken,
)
from nextpair.app.judging.acknowledgement import Judged, judged_of
from nextpair.app.judging.assignment_context import Held, change, check_open, take
from nextpair.app.judging.judgment_record import Reading
from nextpair.app.judging.quarantined_answers import held_before, hold
from nextpair.app.quality.batch_evaluation import Checking
from nextpair.app.quality.verdicts import Concluded, take_back
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.security.tokens import AssignmentRef
from nextpair.storage import judgments
from nextpair.storage.database import Connection
from nextpair.storage.rows import (
    JudgmentRow,
    Purpose,
    State,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for an assignment.

    Parameters
    ----------
    worker
        Who says so; a token speaks for itself.
    seconds
        How long the worker looked at the question, if that was measured.
    left
        Which document was shown on the left, if the page chose the sides.
    """

    content: Mapping[str, Any]
    worker: str | None = None
    seconds: float | None = None
    left: str | None = None


def absorb_judgment(
    service: Service, ref: AssignmentRef, answer: Answer, clock: Callable[[], float]
) -> Judged:
    """Append an answer to the log; the same answer again is a success that changes nothing.

    Parameters
    ----------
    clock
        Looked at when the answer is appended, not when it came: one that waited until its pair had
        been given to someone else is late.
    """

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[Judged] | None:
        given = take(service, connection, live, ref, answer.worker)
        held = _as_shown(service, given, answer.left)
        content = held.study.design.read(answer.content, review=held.row.subject is not None)
        kept = content.model_dump(mode="json")
        if held.row.state == State.HELD:
            return Step(held_before(held, ref, kept, turned=held.row.swapped != given.row.swapped))
        earlier = _answered_before(connection, held, ref, kept)
        if earlier is not None:
            if held.row.swapped != given.row.swapped:
                raise AnswerConflict()
            return Step(judged_of(held, earlier, repeated=True))
        check_open(held)
        checked = held.row.batch is not None or held.row.purpose == Purpose.QUIZ
        if checked and not locked:
            return None
        now = clock()
        reading = Reading(service, connection, held.live, held.study, held.row)
        judgment = replace(reading.judgment(content, kept, now), seconds=answer.seconds)
        if held.row.quarantine is not None:
            return hold(connection, held, judgment)
        concluded = None
        if checked:
            checking = Checking(connection, live, held.study, held.row.worker_id)
            answered = replace(held.row, state=State.ANSWERED)
            concluded = checking.after(answered, judgment, now)
        return absorbed(held, judgment, concluded, now)

    return change(service, ref, act)


def _as_shown(service: Service, held: Held, left: str | None) -> Held:
    """Put the documents on the sides they were shown on, so that the log tells what was seen.

    A page names them as it was told to: by their own ids, or by pseudonyms.
    """
    row = held.row
    if left is None or row.first == row.second:
        return held
    first, second = (
        (name, service.pseudonyms.of_document(row.topic_id, name))
        for name in map(held.live.name_of, row.pair)
    )
    if left not in (*first, *second):
        raise BadAnswer("left: must be the id of one of the two documents of the assignment")
    return held._replace(row=replace(row, swapped=left in second))


def absorbed(
    held: Held, judgment: JudgmentRow, concluded: Concluded | None, now: float
) -> Step[Judged]:
    """Return what an answer changes, with what follows from the batch that it completes."""
    live = held.live
    taken_back = concluded is not None and bool(concluded.judgments)
    head = live.moved(entries=2 if taken_back else 1)
    row = replace(held.row, state=State.ANSWERED, version=head.version)
    counts = judgment.purpose in live.hears and not taken_back
    votes = [judgments.vote_of(judgment)] if counts else []
    told = judged_of(held, judgment, repeated=False)
    if concluded is None:
        return Step(told, Change(head, [row], votes), changed=[row], judgment=judgment)
    told = replace(told, verdict=concluded.verdict)
    if not taken_back:
        change = Change(head, [row], votes)
        return Step(told, change, changed=[row], judgment=judgment, verdict=concluded.verdict)
    taken = take_back(concluded, head, now + held.study.settings.lease_seconds, live.hears)
    change = Change(head, taken.assignments, retracted=taken.counted)
    return Step(
        told,
        change,
        changed=taken.assignments,
        judgment=judgment,
        retractions=taken.retractions,
        verdict=concluded.verdict,
    )


def _answered_before(
    connection: Connection, held: Held, ref: AssignmentRef, content: Mapping[str, Any]
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
            if earlier.answer == content:
                return earlier
            raise AnswerConflict() if attempt == row.attempt else SpentToken()
    raise SpentToken()
