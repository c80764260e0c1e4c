"""What is told of an answer that was taken."""

from dataclasses import dataclass

from nextpair.app.judging.assignment_context import AssignmentContext
from nextpair.storage.rows import AssignmentRow, JudgmentRow, VerdictRow


@dataclass(frozen=True, slots=True)
class Acknowledgement:
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


def acknowledge(
    context: AssignmentContext, judgment: JudgmentRow, *, repeated: bool
) -> Acknowledgement:
    left, right = (context.projection.document_name(place) for place in context.assignment.sides)
    return Acknowledgement(
        judgment,
        context.assignment,
        context.projection.topic.name,
        context.study.name,
        (left, right),
        repeated,
        late=judgment.created_at >= context.assignment.expires_at,
    )
