"""The acknowledgement of an answer: sent only once the judgment is committed."""

from dataclasses import dataclass

from nextpair.app.judging.assignment_context import AssignmentContext
from nextpair.storage.rows import AssignmentRow, JudgmentRow, VerdictRow


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """A judgment in the log, and whether an earlier call had put it there.

    Parameters
    ----------
    sides
        The ids of the documents on the left and on the right.
    verdict
        The verdict on the batch or quiz that this answer has completed, if it has.
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
    left, right = (
        context.projection.document_name(position) for position in context.assignment.sides
    )
    return Acknowledgement(
        judgment,
        context.assignment,
        context.projection.topic.name,
        context.study.name,
        (left, right),
        repeated,
        late=judgment.created_at >= context.assignment.expires_at,
    )
