"""Verdict consequences: the answers that are retracted, and the questions that are asked again."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nextpair.storage.rows import (
    BY_QUALITY,
    AssignmentRow,
    JudgmentRow,
    RetractionRow,
    State,
    TopicHead,
    VerdictEffect,
    VerdictRow,
)


@dataclass(frozen=True, slots=True)
class VerdictConsequences:
    """A verdict, and the answers that it retracts.

    Parameters
    ----------
    judgments, assignments
        The answers that are retracted, and their assignments as they were.
    skipped
        Check questions that were skipped: they are asked again with the others.
    """

    verdict: VerdictRow
    judgments: Sequence[JudgmentRow] = ()
    assignments: Sequence[AssignmentRow] = ()
    skipped: Sequence[AssignmentRow] = ()


class RetractedAnswers(NamedTuple):
    """The rows that are written where a verdict retracts answers.

    Parameters
    ----------
    counted
        The numbers of those answers that were folded into the state.
    """

    assignments: list[AssignmentRow]
    retractions: list[RetractionRow]
    counted: frozenset[int]


def retract_answers(
    consequences: VerdictConsequences,
    head: TopicHead,
    expiry: float,
    folded_purposes: Collection[str],
) -> RetractedAnswers:
    """Retract the answers of a failed check, and open their assignments again if the rule says so.

    Parameters
    ----------
    folded_purposes
        The purposes of the judgments that are folded into the state.
    """
    verdict = consequences.verdict
    rows = {row.number: row for row in consequences.assignments}
    reason = f"{verdict.check} {verdict.number} not passed" if verdict.number else verdict.check
    retractions = [
        RetractionRow(
            one.topic_id, one.number, head.position, reason, BY_QUALITY, verdict.created_at
        )
        for one in consequences.judgments
    ]
    answered = [rows[one.assignment] for one in consequences.judgments]
    if verdict.effect == VerdictEffect.ASK_AGAIN:
        changed = [
            replace(row, state=State.OPEN, attempt=row.attempt + 1, expires_at=expiry, reason=None)
            for row in (*answered, *consequences.skipped)
        ]
    else:
        changed = [replace(row, state=State.RETRACTED) for row in answered]
    counted = (one.number for one in consequences.judgments if one.purpose in folded_purposes)
    return RetractedAnswers(
        [replace(row, version=head.version) for row in changed], retractions, frozenset(counted)
    )
