"""Evaluates a worker's batches and quiz on a topic: verdicts, and their consequences."""

from collections.abc import Sequence
from dataclasses import asdict

from nextpair.app.designs.base import Design
from nextpair.app.quality.grading import AnswerGrader
from nextpair.app.quality.verdicts import VerdictConsequences
from nextpair.app.runtime.projection import TopicProjection
from nextpair.app.runtime.quarantine import quarantined_judgment
from nextpair.app.studies.quality_rules import (
    OnFailure,
    QualityRules,
    all_passed,
)
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, checks, judgments
from nextpair.storage import quarantine as stored
from nextpair.storage.database import Connection
from nextpair.storage.rows import (
    AssignmentRow,
    Check,
    JudgmentRow,
    Purpose,
    State,
    VerdictEffect,
    VerdictRow,
)

RETRACTING = (VerdictEffect.ASK_AGAIN, VerdictEffect.IGNORE, VerdictEffect.STOP_AND_IGNORE)
WAITING = (State.OPEN, State.HELD)
"""States of an assignment that has no answer in the log yet, and was not skipped."""
CHECKS = (Purpose.TRAP, Purpose.REPEAT, Purpose.QUIZ)
"""Purposes of questions that count as wrong where they are skipped."""


class BatchEvaluation:
    """The check questions, answers and verdicts of one worker on one topic, under its lock.

    Parameters
    ----------
    quarantine
        The worker's unconfirmed session, if it is that which is evaluated: it has assignments of
        its own, none of which counts, and its answers have no verdict yet.
    admitted
        The session whose answers are being moved from quarantine to the log, if there is one.
    """

    def __init__(
        self,
        connection: Connection,
        projection: TopicProjection,
        study: Study,
        worker_id: int,
        quarantine: int | None = None,
        admitted: int | None = None,
    ) -> None:
        self._projection = projection
        self._quality: QualityRules = study.settings.quality
        self._design: Design = study.design
        self._worker_id = worker_id
        rows = assignments.evaluated_of_worker(connection, projection.topic.id, worker_id)
        self.highest = max((row.batch or 0 for row in rows), default=0)
        """The highest number of a batch of any of the worker's sessions."""
        self.rows = [row for row in rows if row.quarantine in (quarantine, admitted or quarantine)]
        counted = [] if quarantine is None else [row for row in rows if row.quarantine is None]
        self.taken = {row.pair for row in counted if row.purpose == Purpose.QUIZ}
        """Quiz questions that the session cannot get: the worker has them outside of quarantine."""
        self._quarantine = quarantine
        self._verdicts = checks.verdicts_of(connection, worker_id, projection.topic.id)
        self._held_verdicts = (
            []
            if quarantine is None
            else stored.verdicts_of(connection, quarantine, projection.topic.id)
        )
        self._answers = judgments.of_worker(connection, projection.topic.id, worker_id)

    def settled(self, check: Check) -> bool:
        """Say whether a check no longer blocks the worker from the work.

        A worker who has failed for good was stopped: one who is here was readmitted.
        """
        passed = (one for one in self._held_verdicts if one.check == check and one.passed)
        if any(passed) or any(one.passed for one in self._of(check, 0)):
            return True
        return self.is_final(check, 0)

    def failed(self, check: Check) -> bool:
        """Say whether an unconfirmed session has failed a check, and may not try it again."""
        held = (one for one in self._held_verdicts if one.check == check)
        return any(one.effect == VerdictEffect.STOP for one in held)

    def quiz_rows(self) -> list[AssignmentRow]:
        """List the worker's questions of the quiz."""
        return [row for row in self.rows if row.purpose == Purpose.QUIZ]

    def batch_rows(self, number: int) -> list[AssignmentRow]:
        """List the worker's questions of a batch that were not skipped."""
        return [row for row in self.rows if row.batch == number and row.state != State.SKIPPED]

    @property
    def ended(self) -> frozenset[int]:
        """The numbers of the batches that have a final verdict."""
        return frozenset(
            one.number
            for one in self._verdicts
            if one.check == Check.BATCH and one.effect != VerdictEffect.ASK_AGAIN
        )

    @property
    def newest(self) -> int:
        """The number of the worker's newest batch; 0 without any."""
        return max((row.batch or 0 for row in self.rows), default=0)

    @property
    def lacks_trap(self) -> bool:
        """Whether the newest batch is open, and has answers but no trap so far."""
        if not self._quality.traps or self.newest in self.ended:
            return False
        rows = [row for row in self.rows if row.batch == self.newest]
        answered = any(row.state in (State.ANSWERED, State.HELD) for row in rows)
        return answered and not any(row.purpose == Purpose.TRAP for row in rows)

    def after(
        self, row: AssignmentRow, judgment: JudgmentRow | None, now: float
    ) -> VerdictConsequences | None:
        """Evaluate the batch or quiz that an answer, or a skip in the quiz, completes, if it does.

        Parameters
        ----------
        row
            The assignment after the answer or skip.
        """
        self.rows = [row if one.number == row.number else one for one in self.rows]
        answers = self._answers if judgment is None else [*self._answers, judgment]
        if row.purpose == Purpose.QUIZ:
            return self._after_quiz(answers, now)
        if row.batch is None or judgment is None:
            return None
        rows = self.batch_rows(row.batch)
        done = sum(one.state not in WAITING for one in rows)
        if done < max(self._quality.batch, len(rows)):
            return None
        return self._evaluate_batch(row.batch, answers, now)

    def held_quiz(self, now: float, last: JudgmentRow | None = None) -> VerdictRow | None:
        """Return the verdict on an unconfirmed session's quiz; None while it is not complete.

        Parameters
        ----------
        last
            The answer that is just being submitted.
        """
        rows = [row for row in self.quiz_rows() if row.quarantine is not None]
        answers = [quarantined_judgment(row) for row in rows if row.state == State.HELD]
        answers += [last] if last is not None else []
        done = len(answers) + sum(row.state == State.SKIPPED for row in rows)
        if self._quarantine is None or done < max(len(rows), self._quiz_size()):
            return None
        return self._evaluate(Check.QUIZ, 0, rows, answers, now).verdict

    def _quiz_size(self) -> int:
        known = sum(gold.quiz for gold in self._projection.golds)
        return min(self._quality.quiz, known)

    def _after_quiz(self, answers: Sequence[JudgmentRow], now: float) -> VerdictConsequences | None:
        rows = self.quiz_rows()
        done = sum(one.state not in WAITING for one in rows)
        if not rows or done < self._quiz_size() or self.is_final(Check.QUIZ, 0):
            return None
        return self._evaluate(Check.QUIZ, 0, rows, answers, now)

    def end_quiz(self, now: float) -> VerdictConsequences | None:
        """Evaluate a quiz that has no questions left to ask."""
        return self._after_quiz(self._answers, now)

    def end(self, now: float, *, handed_in: bool = False) -> VerdictConsequences | None:
        """Evaluate the newest batch before it is full, where there is nothing more to ask.

        Parameters
        ----------
        handed_in
            Whether the worker leaves: then open questions stay unanswered.
        """
        rows = self.batch_rows(self.newest)
        if not handed_in and any(row.state in WAITING for row in rows):
            return None
        return self._evaluate_batch(self.newest, self._answers, now)

    def _evaluate_batch(
        self, number: int, answers: Sequence[JudgmentRow], now: float
    ) -> VerdictConsequences | None:
        rows = [row for row in self.rows if row.batch == number]
        answered = {one.assignment for one in answers}
        # Without checks there is no verdict, and without answers there is nothing to evaluate.
        if not self._quality.measures or not any(row.number in answered for row in rows):
            return None
        if number in self.ended:
            return None
        return self._evaluate(Check.BATCH, number, rows, answers, now)

    def _of(self, check: Check, number: int) -> list[VerdictRow]:
        return [one for one in self._verdicts if (one.check, one.number) == (check, number)]

    def is_final(self, check: Check, number: int) -> bool:
        """Say whether a check has a final verdict."""
        return any(one.effect != VerdictEffect.ASK_AGAIN for one in self._of(check, number))

    def _evaluate(
        self,
        check: Check,
        number: int,
        rows: Sequence[AssignmentRow],
        answers: Sequence[JudgmentRow],
        now: float,
    ) -> VerdictConsequences:
        by_row = {answer.assignment: answer for answer in answers}
        answered = [by_row[row.number] for row in rows if row.number in by_row]
        # A quiz can have open questions that are not part of it any more: gold was added since.
        unanswered = (State.SKIPPED,) if check is Check.QUIZ else (State.SKIPPED, State.OPEN)
        missed = [row for row in rows if row.purpose in CHECKS and row.state in unanswered]
        grader = AnswerGrader(self._design, self._projection.golds, answers)
        results = grader.grade(check, self._quality, answered, missed)
        attempt = len(self._of(check, number)) + 1
        failed = any(result.failed for result in results)
        effect = self._effect(check, attempt) if failed else VerdictEffect.NONE
        details = {"findings": [asdict(result) for result in results]}
        verdict = VerdictRow(
            self._projection.topic.id,
            self._worker_id,
            check,
            number,
            attempt,
            all_passed(results),
            effect,
            details,
            now,
        )
        skipped = [row for row in missed if row.state == State.SKIPPED]
        retracts = effect in RETRACTING
        return (
            VerdictConsequences(verdict, answered, rows, skipped)
            if retracts
            else VerdictConsequences(verdict)
        )

    def _effect(self, check: Check, attempt: int) -> VerdictEffect:
        rule = self._quality.on_failure
        if check is Check.QUIZ or rule is OnFailure.ASK_AGAIN:
            again = attempt < self._quality.attempts
            return VerdictEffect.ASK_AGAIN if again else VerdictEffect.STOP_AND_IGNORE
        return VerdictEffect.IGNORE if rule is OnFailure.IGNORE else VerdictEffect.STOP
