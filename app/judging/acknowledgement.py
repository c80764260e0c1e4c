"""What is told of an answer that was taken."""

from dataclasses import dataclass

from nextpair.app.judging.assignment_context import Held
from nextpair.storage.rows import AssignmentRow, JudgmentRow, VerdictRow


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgment in the log, and whether it was there before.

    Parameters
    ----------
    sides
        The ids of the documents on the left and on the right.
    verdict
        What the batch came to that it completed, if it did.
    """

    judgment: JudgmentRow
    assignment: AssignmentRow
    topic: str
    study: str
    sides: tuple[str, str]
    repeated: bool
    late: bool
    verdict: VerdictRow | None = None


def judged_of(held: Held, judgment: JudgmentRow, *, repeated: bool) -> Judged:
    left, right = (held.live.name_of(place) for place in held.row.sides)
    return Judged(
        judgment,
        held.row,
        held.live.row.name,
        held.study.name,
        (left, right),
        repeated,
        late=judgment.created_at >= held.row.expires_at,
    )
