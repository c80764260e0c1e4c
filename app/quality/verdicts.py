"""Conclusions of checks: a verdict, and the answers that no longer count because of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nextpair.storage.rows import (
    BY_QUALITY,
    AssignmentRow,
    Effect,
    JudgmentRow,
    RetractionRow,
    State,
    TopicHead,
    VerdictRow,
)


@dataclass(frozen=True, slots=True)
class Concluded:
    """What a check came to.

    Parameters
    ----------
    judgments, assignments
        The answers that no longer count because of it, and their questions as they were.
    given_back
        Checks that were not answered: they are asked again with the others.
    """

    verdict: VerdictRow
    judgments: Sequence[JudgmentRow] = ()
    assignments: Sequence[AssignmentRow] = ()
    given_back: Sequence[AssignmentRow] = ()


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
    answered = [rows[one.assignment] for one in concluded.judgments]
    if verdict.effect == Effect.ASK_AGAIN:
        changed = [
            replace(row, state=State.OPEN, attempt=row.attempt + 1, expires_at=expiry, reason=None)
            for row in (*answered, *concluded.given_back)
        ]
    else:
        changed = [replace(row, state=State.RETRACTED) for row in answered]
    counted = (one.number for one in concluded.judgments if one.purpose in hears)
    return TakenBack(
        [replace(row, version=head.version) for row in changed], retractions, frozenset(counted)
    )
