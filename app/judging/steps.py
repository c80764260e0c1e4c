"""Steps: what one use case does to one topic, decided first and then written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from nextpair.app.judging.live import Change, LiveTopic
from nextpair.selectors.errors import NextpairError
from nextpair.storage import assignments, at_once, checks, judgments, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.errors import StorageError
from nextpair.storage.rows import AssignmentRow, Effect, JudgmentRow, RetractionRow, VerdictRow

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


Write = Callable[[Connection, LiveTopic, Step[Any]], bool]
"""Writes a step; False if the topic has been changed by others, and nothing was written."""


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


def attempt(
    connection: Connection, live: LiveTopic, act: Act[Result], write: Write
) -> Step[Result] | None:
    """Act without the lock; None if that came to anything but a change that was written."""
    try:
        step = act(connection, live, False)
    except StorageError:
        raise
    except NextpairError:
        return None
    if step is None or step.change is None:
        return None
    return step if write(connection, live, step) else None


def write_at_once(connection: Connection, live: LiveTopic, step: Step[Result]) -> bool:
    """Write a step as one statement; False as above, or if it is more than one can say."""
    assert step.change is not None
    seen, to = live.head, step.change.head
    match step:
        case Step(added=[row], changed=[], judgment=None, retractions=(), verdict=None):
            return at_once.ask(connection, seen, to, row)
        case Step(
            added=(),
            changed=[row],
            judgment=JudgmentRow() as judgment,
            retractions=(),
            verdict=None,
        ):
            return at_once.answer(connection, seen, to, judgment, row)
        case _:
            return False
