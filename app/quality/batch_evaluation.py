"""Checking a worker on a topic: what a full batch or quiz comes to, and what follows from it."""

from collections.abc import Sequence
from dataclasses import asdict

from nextpair.app.designs.base import Design
from nextpair.app.quality.marking import Marking
from nextpair.app.quality.rules import (
    OnFailure,
    Quality,
    all_passed,
)
from nextpair.app.quality.verdicts import Concluded
from nextpair.app.runtime.projection import LiveTopic
from nextpair.app.runtime.quarantine import held_judgment
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, checks, judgments
from nextpair.storage import quarantine as stored
from nextpair.storage.database import Connection
from nextpair.storage.rows import (
    AssignmentRow,
    Check,
    Effect,
    JudgmentRow,
    Purpose,
    State,
    VerdictRow,
)

RETRACTING = (Effect.ASK_AGAIN, Effect.IGNORE, Effect.STOP_AND_IGNORE)
WAITING = (State.OPEN, State.HELD)
"""How a question stands that has no answer in the log yet, and was not given back."""
CHECKS = (Purpose.TRAP, Purpose.REPEAT, Purpose.QUIZ)
"""Questions that count as wrong where they are given back."""


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
        self.highest = max((row.batch or 0 for row in known), default=0)
        """The highest number of a batch of any of the worker's sessions."""
        self.rows = [row for row in known if row.quarantine in (quarantine, admitted or quarantine)]
        counted = [] if quarantine is None else [row for row in known if row.quarantine is None]
        self.taken = {row.pair for row in counted if row.purpose == Purpose.QUIZ}
        """Questions of a quiz that the session cannot have: the worker has them where it counts."""
        self._quarantine = quarantine
        self._verdicts = checks.verdicts_of(connection, worker_id, live.row.id)
        self._held_verdicts = (
            [] if quarantine is None else stored.verdicts_of(connection, quarantine, live.row.id)
        )
        self._answers = judgments.of_worker(connection, live.row.id, worker_id)

    def settled(self, check: Check) -> bool:
        """Say whether a check stands no longer between the worker and the work.

        Who did not pass for good was stopped: if they are here, they were let in again.
        """
        passed = (one for one in self._held_verdicts if one.check == check and one.passed)
        if any(passed) or any(one.passed for one in self._of(check, 0)):
            return True
        return self.is_final(check, 0)

    def failed(self, check: Check) -> bool:
        """Say whether a session that nobody has confirmed may not try a check again."""
        held = (one for one in self._held_verdicts if one.check == check)
        return any(one.effect == Effect.STOP for one in held)

    def quiz_rows(self) -> list[AssignmentRow]:
        """List the worker's questions of the quiz."""
        return [row for row in self.rows if row.purpose == Purpose.QUIZ]

    def batch_rows(self, number: int) -> list[AssignmentRow]:
        """List the worker's questions of a batch that were not given back."""
        return [row for row in self.rows if row.batch == number and row.state != State.SKIPPED]

    @property
    def ended(self) -> frozenset[int]:
        """The numbers of the batches that have their verdict."""
        return frozenset(
            one.number
            for one in self._verdicts
            if one.check == Check.BATCH and one.effect != Effect.ASK_AGAIN
        )

    @property
    def newest(self) -> int:
        """The number of the worker's newest batch; 0 without any."""
        return max((row.batch or 0 for row in self.rows), default=0)

    @property
    def lacks_trap(self) -> bool:
        """Whether the newest batch goes on, has answers, and no trap so far."""
        if not self._quality.traps or self.newest in self.ended:
            return False
        rows = [row for row in self.rows if row.batch == self.newest]
        answered = any(row.state in (State.ANSWERED, State.HELD) for row in rows)
        return answered and not any(row.purpose == Purpose.TRAP for row in rows)

    def after(
        self, row: AssignmentRow, judgment: JudgmentRow | None, now: float
    ) -> Concluded | None:
        """Conclude what an answer completes, if it does; of the quiz also what is given back.

        Parameters
        ----------
        row
            The question as it is from now on.
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
        return self._conclude_batch(row.batch, answers, now)

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
        done = len(answers) + sum(row.state == State.SKIPPED for row in rows)
        if self._quarantine is None or done < max(len(rows), self._quiz_size()):
            return None
        return self._conclude(Check.QUIZ, 0, rows, answers, now).verdict

    def _quiz_size(self) -> int:
        known = sum(gold.quiz for gold in self._live.golds)
        return min(self._quality.quiz, known)

    def _after_quiz(self, answers: Sequence[JudgmentRow], now: float) -> Concluded | None:
        rows = self.quiz_rows()
        done = sum(one.state not in WAITING for one in rows)
        if not rows or done < self._quiz_size() or self.is_final(Check.QUIZ, 0):
            return None
        return self._conclude(Check.QUIZ, 0, rows, answers, now)

    def end_quiz(self, now: float) -> Concluded | None:
        """Conclude a quiz of which nothing is left to ask."""
        return self._after_quiz(self._answers, now)

    def end(self, now: float, *, handed_in: bool = False) -> Concluded | None:
        """Conclude a batch that will not become full, for there is nothing more to ask.

        Parameters
        ----------
        handed_in
            Whether the worker leaves: what is open then stays unanswered.
        """
        rows = self.batch_rows(self.newest)
        if not handed_in and any(row.state in WAITING for row in rows):
            return None
        return self._conclude_batch(self.newest, self._answers, now)

    def _conclude_batch(
        self, number: int, answers: Sequence[JudgmentRow], now: float
    ) -> Concluded | None:
        rows = [row for row in self.rows if row.batch == number]
        answered = {one.assignment for one in answers}
        # Without a check there is nothing to conclude, and without an answer nothing to check.
        if not self._quality.measures or not any(row.number in answered for row in rows):
            return None
        if number in self.ended:
            return None
        return self._conclude(Check.BATCH, number, rows, answers, now)

    def _of(self, check: Check, number: int) -> list[VerdictRow]:
        return [one for one in self._verdicts if (one.check, one.number) == (check, number)]

    def is_final(self, check: Check, number: int) -> bool:
        """Say whether a check has its last verdict."""
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
        # A quiz can have open questions of a choice that has changed since.
        lost = (State.SKIPPED,) if check is Check.QUIZ else (State.SKIPPED, State.OPEN)
        missed = [row for row in rows if row.purpose in CHECKS and row.state in lost]
        marking = Marking(self._design, self._live.golds, answers)
        findings = marking.findings(check, self._quality, found, missed)
        attempt = len(self._of(check, number)) + 1
        failed = any(one.failed for one in findings)
        effect = self._effect(check, attempt) if failed else Effect.NONE
        details = {"findings": [asdict(one) for one in findings]}
        verdict = VerdictRow(
            self._live.row.id,
            self._worker_id,
            check,
            number,
            attempt,
            all_passed(findings),
            effect,
            details,
            now,
        )
        given_back = [row for row in missed if row.state == State.SKIPPED]
        taken_back = effect in RETRACTING
        return Concluded(verdict, found, rows, given_back) if taken_back else Concluded(verdict)

    def _effect(self, check: Check, attempt: int) -> Effect:
        rule = self._quality.on_failure
        if check is Check.QUIZ or rule is OnFailure.ASK_AGAIN:
            again = attempt < self._quality.attempts
            return Effect.ASK_AGAIN if again else Effect.STOP_AND_IGNORE
        return Effect.IGNORE if rule is OnFailure.IGNORE else Effect.STOP
