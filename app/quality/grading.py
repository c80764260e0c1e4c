"""Grades the answers of a batch or quiz against gold answers and earlier answers."""

from collections.abc import Sequence

from nextpair.app.designs.base import Design
from nextpair.app.studies.quality_rules import (
    CheckedAnswer,
    CriterionResult,
    QualityRules,
    check_batch,
    check_quiz,
)
from nextpair.storage.rows import AssignmentRow, Check, GoldRow, JudgmentRow, Purpose


class AnswerGrader:
    """Grades a worker's answers by gold answers, and repeats by their first answer.

    Parameters
    ----------
    answers
        All of the worker's answers on the topic, oldest first.
    """

    def __init__(
        self, design: Design, golds: Sequence[GoldRow], answers: Sequence[JudgmentRow]
    ) -> None:
        self._design, self._golds, self._answers = design, golds, answers

    def grade(
        self,
        check: Check,
        quality: QualityRules,
        answered: Sequence[JudgmentRow],
        missed: Sequence[AssignmentRow],
    ) -> list[CriterionResult]:
        """Return the results of a batch or quiz, by criterion.

        Parameters
        ----------
        missed
            The check questions that were skipped or left open: they count as wrong.
        """
        grades = [self._grade(answer) for answer in answered]
        grades += [_wrong(row) for row in missed]
        evaluate = check_batch if check is Check.BATCH else check_quiz
        return evaluate(quality, grades)

    def _grade(self, answer: JudgmentRow) -> CheckedAnswer:
        read = self._design.read(answer.answer, review=answer.subject is not None)
        known, value = self._on_scale(answer)
        return CheckedAnswer(
            answer.seconds,
            1 if answer.first == answer.second else 2,
            answer.correct,
            known,
            value,
            self._alike(answer) if answer.purpose == Purpose.REPEAT else None,
            self._design.moved(read),
        )

    def _on_scale(self, answer: JudgmentRow) -> tuple[float | None, float | None]:
        """Return a trap's gold value and the answer's, where no value is right by itself."""
        gold = find_gold(self._golds, answer.first, answer.second, answer.purpose)
        if gold is None or answer.correct is not None:
            return None, None
        known = self._design.known_answer(gold.answer)
        return (known, self._value(answer)) if isinstance(known, float) else (None, None)

    def _alike(self, answer: JudgmentRow) -> bool | None:
        """Say whether a repeat was answered as the first time; None if there is no first answer."""
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


def _wrong(row: AssignmentRow) -> CheckedAnswer:
    """Return the grade of a check question that was not answered."""
    documents = 1 if row.first == row.second else 2
    if row.purpose == Purpose.REPEAT:
        return CheckedAnswer(None, documents, alike=False, answered=False)
    return CheckedAnswer(None, documents, correct=False, answered=False)


def find_gold(golds: Sequence[GoldRow], first: int, second: int, purpose: str) -> GoldRow | None:
    """Return the gold question of a pair and a purpose, if there is one."""
    if purpose not in (Purpose.TRAP, Purpose.QUIZ):
        return None
    wanted = (first, second, purpose == Purpose.QUIZ)
    for gold in golds:
        if (gold.first, gold.second, gold.quiz) == wanted:
            return gold
    return None
