"""Steps: what one use case does to one topic, decided first and then written."""

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
    """A change to a topic with what has to be written for it, and what to tell.

    Parameters
    ----------
    change
        None where nothing changes.
    """

    result: Result
    delta: TopicDelta | None = None
    new_assignments: Sequence[AssignmentRow] = ()
    changed_assignments: Sequence[AssignmentRow] = ()
    judgment: JudgmentRow | None = None
    retractions: Sequence[RetractionRow] = field(default=())
    verdict: VerdictRow | None = None


Decision = Callable[[Connection, TopicProjection, bool], UnitOfWork[Result] | None]
"""Decides on a step from what is known of a topic; it may read, but not write.

It is told whether it has the topic's lock. Without, what it knows may be old, and it may answer
None: then it is asked again with the lock.
"""


def write(connection: Connection, projection: TopicProjection, step: UnitOfWork[Result]) -> bool:
    """Write a step; False if the topic has been changed by others, and nothing was written."""
    assert step.delta is not None
    if not topics.compare_and_swap(
        connection, projection.topic.id, projection.head, step.delta.head
    ):
        return False
    assignments.add_assignments(connection, step.new_assignments)
    for row in step.changed_assignments:
        assignments.change_assignment(connection, row)
    if step.judgment is not None:
        judgments.add_judgment(connection, step.judgment)
    judgments.add_retractions(connection, step.retractions)
    if step.verdict is not None:
        checks.add_verdict(connection, step.verdict)
        if step.verdict.effect in (VerdictEffect.STOP, VerdictEffect.STOP_AND_IGNORE):
            studies.stop_worker(connection, projection.head.study_id, step.verdict.worker_id)
    return True


def decide_without_lock(
    connection: Connection, projection: TopicProjection, decide: Decision[Result]
) -> UnitOfWork[Result] | None:
    """Act without the lock; None if that came to anything but a change."""
    try:
        step = decide(connection, projection, False)
    except StorageError:
        raise
    except NextpairError:
        return None
    return None if step is None or step.delta is None else step


def try_optimistically(
    connection: Connection, projection: TopicProjection, decide: Decision[Result]
) -> UnitOfWork[Result] | None:
    """Act without the lock; None if that came to anything but a change that was written."""
    step = decide_without_lock(connection, projection, decide)
    return step if step is not None and write(connection, projection, step) else None


def fits_single_statement(step: UnitOfWork[Any]) -> bool:
    """Say whether a step is one new assignment or one answer, which one statement can write."""
    if step.retractions or step.verdict is not None:
        return False
    new, changed = len(step.new_assignments), len(step.changed_assignments)
    return (new, changed) == ((1, 0) if step.judgment is None else (0, 1))


def commit_in_single_statement(
    connection: Connection, projection: TopicProjection, step: UnitOfWork[Result]
) -> ConcurrentDelta | None:
    """Write a simple step as one statement; what others did, if it could not be written."""
    assert step.delta is not None
    seen, to = projection.head, step.delta.head
    if step.judgment is None:
        return single_statement.insert_assignment(connection, seen, to, step.new_assignments[0])
    return single_statement.insert_judgment(
        connection, seen, to, step.judgment, step.changed_assignments[0]
    )
