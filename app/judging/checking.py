"""Checking a worker on a topic: what a full batch or quiz comes to, and what follows from it."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from nextpair.app.designs.base import Design
from nextpair.app.judging.live import LiveTopic
from nextpair.app.judging.quality import (
    Checked,
    Finding,
    OnFailure,
    Quality,
    check_batch,
)
from nextpair.app.judging.quarantine import held_judgment
from nextpair.app.judging.study import Study
from nextpair.storage import assignments, checks, judgments
from nextpair.storage import quarantine as stored
from nextpair.storage.database import Connection
from nextpair.storage.rows import (
    BY_QUALITY,
    AssignmentRow,
    Check,
    Effect,
    GoldRow,
    JudgmentRow,
    Purpose,
    RetractionRow,
    State,
    TopicHead,
    VerdictRow,
)

RETRACTING = (Effect.ASK_AGAIN, Effect.IGNORE, Effect.STOP_AND_IGNORE)


@dataclass(frozen=True, slots=True)
class Concluded:
    """What a check came to.

    Parameters
    ----------
    judgments, assignments
        The answers that no longer count because of it, and their questions as they were.
    """

    verdict: VerdictRow
    judgments: Sequence[JudgmentRow] = ()
    assignments: Sequence[AssignmentRow] = ()


class TakenBack(NamedTuple):
    """What is written where answers no longer count because of a check.

    Parameters
    ----------
    counted
        The numbers of those answers that had counted.
    """

    assignments: list[AssignmentRow]
    retractions: list[RetractionRow]
    counted: frozenset[int]


def take_back(
    concluded: Concluded, head: TopicHead, expiry: float, hears: Collection[str]
) -> TakenBack:
    """Take back the answers that did not pass, and ask for them again where that follows.

    Parameters
    ----------
    hears
        The purposes of the answers that count.
    """
    verdict = concluded.verdict
    rows = {row.number: row for row in concluded.assignments}
    reason = f"{verdict.check} {verdict.number} not passed" if verdict.number else verdict.check
    retractions = [
        RetractionRow(
            one.topic_id, one.number, head.position, reason, BY_QUALITY, verdict.created_at
        )
        for one in concluded.judgments
    ]
    again = verdict.effect == Effect.ASK_AGAIN
    changed = [
        replace(row, state=State.OPEN, attempt=row.attempt + 1, expires_at=expiry)
        if again
        else replace(row, state=State.RETRACTED)
        for row in (rows[one.assignment] for one in concluded.judgments)
    ]
    counted = (one.number for one in concluded.judgments if one.purpose in hears)
    return TakenBack(
        [replace(row, version=head.version) for row in changed], retractions, frozenset(counted)
    )


class Checking:
    """One worker on one topic, under the topic's lock.

    Parameters
    ----------
    quarantine
        The worker's session that is meant, if its platform has not confirmed it: it has questions
        of its own and none that count, and what was answered in it has no verdict yet.
    admitted
        The session whose answers are being admitted to the log, if that is why it is looked.
    """

    def __init__(
        self,
        connection: Connection,
        live: LiveTopic,
        study: Study,
        worker_id: int,
        quarantine: int | None = None,
        admitted: int | None = None,
    ) -> None:
        self._live = live
        self._quality: Quality = study.settings.quality
        self._design: Design = study.design
        self._worker_id = worker_id
        known = assignments.checked_by(connection, live.row.id, worker_id)
        self.newest = max((row.batch or 0 for row in known), default=0)
        self.rows = [row for row in known if row.quarantine in (quarantine, admitted or quarantine)]
        counted = [] if quarantine is None else [row for row in known if row.quarantine is None]
        self.taken = {row.pair for row in counted if row.purpose == Purpose.QUIZ}
        """Questions of a quiz that the session cannot have: the worker has them where it counts."""
        self._quarantine = quarantine
        self._verdicts = checks.verdicts_of(connection, worker_id, live.row.id)
        if quarantine is not None:
            self._verdicts += stored.verdicts_of(connection, quarantine, live.row.id)
        self._answers = judgments.of_worker(connection, live.row.id, worker_id)

    def passed(self, check: Check) -> bool:
        """Say whether the worker has passed a check."""
        return any(one.passed for one in self._verdicts if one.check == check)

    def failed(self, check: Check) -> bool:
        """Say whether the worker may not try a check again."""
        return any(one.effect == Effect.STOP for one in self._verdicts if one.check == check)

    def quiz_rows(self) -> list[AssignmentRow]:
        """List the worker's questions of the quiz."""
        return [row for row in self.rows if row.purpose == Purpose.QUIZ]

    def batch_rows(self, number: int) -> list[AssignmentRow]:
        """List the worker's questions of a batch that were not given back."""
        return [row for row in self.rows if row.batch == number and row.state != State.SKIPPED]

    def after(self, judgment: JudgmentRow, row: AssignmentRow, now: float) -> Concluded | None:
        """Conclude what an answer completes, if it does."""
        if row.purpose == Purpose.QUIZ:
            rows, wanted = self.quiz_rows(), self._quiz_size()
            check, number = Check.QUIZ, 0
        elif row.batch is not None:
            rows, wanted = self.batch_rows(row.batch), self._quality.batch
            check, number = Check.BATCH, row.batch
        else:
            return None
        waits = (State.OPEN, State.HELD)
        done = sum(one.state not in waits or one.number == row.number for one in rows)
        if done < wanted or self._final(check, number):
            return None
        return self._conclude(check, number, rows, [*self._answers, judgment], now)

    def held_quiz(self, now: float, last: JudgmentRow | None = None) -> VerdictRow | None:
        """Say what a session's quiz comes to, though none of it counts yet; None: not all is there.

        Parameters
        ----------
        last
            The answer that is just being given.
        """
        rows = [row for row in self.quiz_rows() if row.quarantine is not None]
        answers = [held_judgment(row) for row in rows if row.state == State.HELD]
        answers += [last] if last is not None else []
        if self._quarantine is None or len(answers) < max(len(rows), self._quiz_size()):
            return None
        return self._conclude(Check.QUIZ, 0, rows, answers, now).verdict

    def end(self, now: float) -> Concluded | None:
        """Conclude a batch that will not become full, for there is nothing more to ask."""
        number = max((row.batch or 0 for row in self.rows), default=0)
        rows = self.batch_rows(number) if number else []
        unfinished = any(row.state in (State.OPEN, State.HELD) for row in rows)
        if not rows or unfinished or self._final(Check.BATCH, number):
            return None
        return self._conclude(Check.BATCH, number, rows, self._answers, now)

    def _quiz_size(self) -> int:
        known = sum(gold.quiz for gold in self._live.golds)
        return min(self._quality.quiz, known)

    def _of(self, check: Check, number: int) -> list[VerdictRow]:
        return [one for one in self._verdicts if (one.check, one.number) == (check, number)]

    def _final(self, check: Check, number: int) -> bool:
        return any(one.effect != Effect.ASK_AGAIN for one in self._of(check, number))

    def _conclude(
        self,
        check: Check,
        number: int,
        rows: Sequence[AssignmentRow],
        answers: Sequence[JudgmentRow],
        now: float,
    ) -> Concluded:
        by_row = {answer.assignment: answer for answer in answers}
        found = [by_row[row.number] for row in rows if row.number in by_row]
        findings = self._findings(check, found, answers)
        passed = all(one.passed for one in findings)
        attempt = len(self._of(check, number)) + 1
        effect = Effect.NONE if passed else self._effect(check, attempt)
        details = {"findings": [asdict(one) for one in findings]}
        verdict = VerdictRow(
            self._live.row.id,
            self._worker_id,
            check,
            number,
            attempt,
            passed,
            effect,
            details,
            now,
        )
        return Concluded(verdict, found, rows) if effect in RETRACTING else Concluded(verdict)

    def _effect(self, check: Check, attempt: int) -> Effect:
        rule = self._quality.on_failure
        if check is Check.QUIZ or rule is OnFailure.ASK_AGAIN:
            again = attempt < self._quality.attempts
            return Effect.ASK_AGAIN if again else Effect.STOP_AND_IGNORE
        return Effect.IGNORE if rule is OnFailure.IGNORE else Effect.STOP

    # -- what is checked ------------------------------------------------------------------------

    def _findings(
        self, check: Check, found: Sequence[JudgmentRow], answers: Sequence[JudgmentRow]
    ) -> list[Finding]:
        checked = [self._checked(answer, answers) for answer in found]
        if check is Check.BATCH:
            return check_batch(self._quality, checked)
        marks = _quiz_marks(self._quality)
        return [replace(one, check="quiz") for one in check_batch(marks, checked)]

    def _checked(self, answer: JudgmentRow, answers: Sequence[JudgmentRow]) -> Checked:
        review = answer.subject is not None
        read = self._design.read(answer.answer, review=review)
        documents = 1 if answer.first == answer.second else 2
        known, value = self._on_scale(answer)
        return Checked(
            answer.seconds,
            documents,
            answer.correct,
            known,
            value,
            self._alike(answer, answers) if answer.purpose == Purpose.REPEAT else None,
            self._design.moved(read),
        )

    def _on_scale(self, answer: JudgmentRow) -> tuple[float | None, float | None]:
        """Tell a trap's known and given value, where no answer is right by itself."""
        gold = find_gold(self._live.golds, answer.first, answer.second, answer.purpose)
        if gold is None or answer.correct is not None:
            return None, None
        known = self._design.known(gold.answer)
        value = self._design.value(self._design.read(answer.answer))
        return (known, value) if isinstance(known, float) else (None, None)

    def _alike(self, answer: JudgmentRow, answers: Sequence[JudgmentRow]) -> bool | None:
        before = [
            one
            for one in answers
            if (one.first, one.second) == (answer.first, answer.second)
            and one.purpose == Purpose.WORK
            and one.subject is None
        ]
        if not before:
            return None
        if answer.outcome is not None:
            return answer.outcome == before[-1].outcome
        values = [self._design.value(self._design.read(one.answer)) for one in (answer, before[-1])]
        return values[0] == values[1]


def _quiz_marks(quality: Quality) -> Quality:
    """Return the marks of a quiz: only its known answers count."""
    return Quality(batch=quality.batch, traps_pass=quality.quiz_pass)


def find_gold(golds: Sequence[GoldRow], first: int, second: int, purpose: str) -> GoldRow | None:
    """Return the question with a known answer that this is, if it is one."""
    if purpose not in (Purpose.TRAP, Purpose.QUIZ):
        return None
    wanted = (first, second, purpose == Purpose.QUIZ)
    for gold in golds:
        if (gold.first, gold.second, gold.quiz) == wanted:
            return gold
    return None
