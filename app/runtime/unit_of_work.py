"""Unit of work: everything that one use case writes for one topic, decided first, then written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.selectors.errors import NextpairError
from nextpair.storage import assignments, checks, judgments, single_statement, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.errors import StorageError
from nextpair.storage.rows import (
    AssignmentRow,
    JudgmentRow,
    RetractionRow,
    VerdictEffect,
    VerdictRow,
)
from nextpair.storage.single_statement import ConcurrentDelta

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class UnitOfWork(Generic[Result]):
    """The rows that one decision writes, the delta that it applies to the projection, its result.

    Parameters
    ----------
    result
        What the caller is told, once the transaction is committed.
    delta
        The same change for the projection; None where nothing changes and nothing is written.
    """

    result: Result
    delta: TopicDelta | None = None
    new_assignments: Sequence[AssignmentRow] = ()
    changed_assignments: Sequence[AssignmentRow] = ()
    judgment: JudgmentRow | None = None
    retractions: Sequence[RetractionRow] = field(default=())
    verdict: VerdictRow | None = None


Decision = Callable[[Connection, TopicProjection, bool], UnitOfWork[Result] | None]
"""A function from the projection of a topic to a unit of work.

Its last argument says whether it has the topic's lock. Without the lock the projection may be
stale, and the decision may return None: then it is called again with the lock. Without the lock it
only reads. Under the lock it may also insert or lock the row of its worker; all else that it
changes is in its unit of work.
"""


def write(connection: Connection, projection: TopicProjection, work: UnitOfWork[Result]) -> bool:
    """Write a unit of work; False if the compare-and-swap failed, and nothing was written."""
    assert work.delta is not None
    if not topics.compare_and_swap(
        connection, projection.topic.id, projection.head, work.delta.head
    ):
        return False
    assignments.add_assignments(connection, work.new_assignments)
    for row in work.changed_assignments:
        assignments.change_assignment(connection, row)
    if work.judgment is not None:
        judgments.add_judgment(connection, work.judgment)
    judgments.add_retractions(connection, work.retractions)
    if work.verdict is not None:
        checks.add_verdict(connection, work.verdict)
        if work.verdict.effect in (VerdictEffect.STOP, VerdictEffect.STOP_AND_IGNORE):
            studies.stop_worker(connection, projection.head.study_id, work.verdict.worker_id)
    return True


def decide_without_lock(
    connection: Connection, projection: TopicProjection, decide: Decision[Result]
) -> UnitOfWork[Result] | None:
    """Decide on a projection that may be stale; None unless the outcome is a change.

    A refusal, or the finding that there is nothing to change, may come from stale data. It must be
    confirmed under the lock. A change need not be: its compare-and-swap fails if the data is stale.
    """
    try:
        work = decide(connection, projection, False)
    except StorageError:
        raise
    except NextpairError:
        return None
    return None if work is None or work.delta is None else work


def try_optimistically(
    connection: Connection, projection: TopicProjection, decide: Decision[Result]
) -> UnitOfWork[Result] | None:
    """Decide without the lock and write; None if there was no change, or it was not written."""
    work = decide_without_lock(connection, projection, decide)
    return work if work is not None and write(connection, projection, work) else None


def fits_single_statement(work: UnitOfWork[Any]) -> bool:
    """Say whether a unit of work is one new assignment or one answer: one statement writes it."""
    if work.retractions or work.verdict is not None:
        return False
    new, changed = len(work.new_assignments), len(work.changed_assignments)
    return (new, changed) == ((1, 0) if work.judgment is None else (0, 1))


def commit_in_single_statement(
    connection: Connection, projection: TopicProjection, work: UnitOfWork[Result]
) -> ConcurrentDelta | None:
    """Write a unit of work as one statement; if its compare-and-swap failed, what others did."""
    assert work.delta is not None
    expected, updated = projection.head, work.delta.head
    if work.judgment is None:
        return single_statement.insert_assignment(
            connection, expected, updated, work.new_assignments[0]
        )
    return single_statement.insert_judgment(
        connection, expected, updated, work.judgment, work.changed_assignments[0]
    )
