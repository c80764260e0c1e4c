"""Marking the answers of a batch or quiz: what is right, and what was not answered at all."""

from collections.abc import Sequence

from nextpair.app.designs.base import Design
from nextpair.app.quality.rules import Checked, Finding, Quality, check_batch, check_quiz
from nextpair.storage.rows import AssignmentRow, Check, GoldRow, JudgmentRow, Purpose


class Marking:
    """Compares a worker's answers with what is known, and with what they answered before.

    Parameters
    ----------
    answers
        All of the worker's answers on the topic, oldest first.
    """

    def __init__(
        self, design: Design, golds: Sequence[GoldRow], answers: Sequence[JudgmentRow]
    ) -> None:
        self._design, self._golds, self._answers = design, golds, answers

    def findings(
        self,
        check: Check,
        quality: Quality,
        answered: Sequence[JudgmentRow],
        missed: Sequence[AssignmentRow],
    ) -> list[Finding]:
        """Say what a batch or quiz comes to, criterion by criterion.

        Parameters
        ----------
        missed
            The checks that were given back or left open: they count as wrong.
        """
        marks = [self._mark(answer) for answer in answered]
        marks += [_wrong(row) for row in missed]
        find = check_batch if check is Check.BATCH else check_quiz
        return find(quality, marks)

    def _mark(self, answer: JudgmentRow) -> Checked:
        read = self._design.read(answer.answer, review=answer.subject is not None)
        known, value = self._on_scale(answer)
        return Checked(
            answer.seconds,
            1 if answer.first == answer.second else 2,
            answer.correct,
            known,
            value,
            self._alike(answer) if answer.purpose == Purpose.REPEAT else None,
            self._design.moved(read),
        )

    def _on_scale(self, answer: JudgmentRow) -> tuple[float | None, float | None]:
        """Return a trap's known and given value, where no answer is right by itself."""
        gold = find_gold(self._golds, answer.first, answer.second, answer.purpose)
        if gold is None or answer.correct is not None:
            return None, None
        known = self._design.known(gold.answer)
        return (known, self._value(answer)) if isinstance(known, float) else (None, None)

    def _alike(self, answer: JudgmentRow) -> bool | None:
        """Say whether a repeated question was answered as before; None if it was not before."""
        before = [
            earlier
            for earlier in self._answers
            if (earlier.first, earlier.second) == (answer.first, answer.second)
            and earlier.purpose == Purpose.WORK
            and earlier.subject is None
        ]
        if not before:
            return None
        if answer.outcome is not None:
            return answer.outcome == before[-1].outcome
        return self._value(answer) == self._value(before[-1])

    def _value(self, answer: JudgmentRow) -> float | None:
        return self._design.value(self._design.read(answer.answer))


def _wrong(row: AssignmentRow) -> Checked:
    """Return the mark of a check that was not answered."""
    documents = 1 if row.first == row.second else 2
    if row.purpose == Purpose.REPEAT:
        return Checked(None, documents, alike=False, answered=False)
    return Checked(None, documents, correct=False, answered=False)


def find_gold(golds: Sequence[GoldRow], first: int, second: int, purpose: str) -> GoldRow | None:
    """Return the question with a known answer that this is, if it is one."""
    if purpose not in (Purpose.TRAP, Purpose.QUIZ):
        return None
    wanted = (first, second, purpose == Purpose.QUIZ)
    for gold in golds:
        if (gold.first, gold.second, gold.quiz) == wanted:
            return gold
    return None
