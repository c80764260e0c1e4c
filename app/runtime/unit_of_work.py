"""Steps: what one use case does to one topic, decided first and then written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.selectors.errors import NextpairError
from nextpair.storage import assignments, checks, judgments, single_statement, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.errors import StorageError
from nextpair.storage.rows import AssignmentRow, Effect, JudgmentRow, RetractionRow, VerdictRow
from nextpair.storage.single_statement import News

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Step(Generic[Result]):
    """A change to a topic with what has to be written for it, and what to tell.

    Parameters
    ----------
    change
        None where nothing changes.
    """

    result: Result
    change: Change | None = None
    added: Sequence[AssignmentRow] = ()
    changed: Sequence[AssignmentRow] = ()
    judgment: JudgmentRow | None = None
    retractions: Sequence[RetractionRow] = field(default=())
    verdict: VerdictRow | None = None


Act = Callable[[Connection, LiveTopic, bool], Step[Result] | None]
"""Decides on a step from what is known of a topic; it may read, but not write.

It is told whether it has the topic's lock. Without, what it knows may be old, and it may answer
None: then it is asked again with the lock.
"""


def write(connection: Connection, live: LiveTopic, step: Step[Result]) -> bool:
    """Write a step; False if the topic has been changed by others, and nothing was written."""
    assert step.change is not None
    if not topics.move_topic(connection, live.row.id, live.head, step.change.head):
        return False
    assignments.add_assignments(connection, step.added)
    for row in step.changed:
        assignments.change_assignment(connection, row)
    if step.judgment is not None:
        judgments.add_judgment(connection, step.judgment)
    judgments.add_retractions(connection, step.retractions)
    if step.verdict is not None:
        checks.add_verdict(connection, step.verdict)
        if step.verdict.effect in (Effect.STOP, Effect.STOP_AND_IGNORE):
            studies.stop_worker(connection, live.head.study_id, step.verdict.worker_id)
    return True


def decide(connection: Connection, live: LiveTopic, act: Act[Result]) -> Step[Result] | None:
    """Act without the lock; None if that came to anything but a change."""
    try:
        step = act(connection, live, False)
    except StorageError:
        raise
    except NextpairError:
        return None
    return None if step is None or step.change is None else step


def attempt(connection: Connection, live: LiveTopic, act: Act[Result]) -> Step[Result] | None:
    """Act without the lock; None if that came to anything but a change that was written."""
    step = decide(connection, live, act)
    return step if step is not None and write(connection, live, step) else None


def is_simple(step: Step[Any]) -> bool:
    """Say whether a step is one new assignment or one answer, which one statement can write."""
    if step.retractions or step.verdict is not None:
        return False
    new, changed = len(step.added), len(step.changed)
    return (new, changed) == ((1, 0) if step.judgment is None else (0, 1))


def write_at_once(connection: Connection, live: LiveTopic, step: Step[Result]) -> News | None:
    """Write a simple step as one statement; what others did, if it could not be written."""
    assert step.change is not None
    seen, to = live.head, step.change.head
    if step.judgment is None:
        return single_statement.ask(connection, seen, to, step.added[0])
    return single_statement.answer(connection, seen, to, step.judgment, step.changed[0])
