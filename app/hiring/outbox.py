"""The transactional outbox: commands for platforms are stored together with what decided on them.

Its entries are at the same time the activity log, which has other events, too.
"""

from enum import StrEnum
from typing import Any

from nextpair.storage import outbox
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import HiringRow, OutboxState


class CommandKind(StrEnum):
    """What a platform is told to do."""

    PUBLISH = "publish"
    EXPIRE = "expire"
    ACCEPT = "accept"
    REJECT = "reject"
    BONUS = "bonus"
    KEEP_AWAY = "keep_away"


class ActivityEvent(StrEnum):
    """What happens besides commands and is recorded in the activity log."""

    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    RETURN = "return"
    HOLD = "hold"
    UNMATCHED = "unmatched"
    SET_ASIDE = "set_aside"
    END = "end"
    LAPSE = "lapse"
    UNCHECKED = "unchecked"


def enqueue(
    connection: Connection,
    hiring: HiringRow,
    kind: CommandKind,
    name: object,
    now: float,
    **columns: Any,
) -> bool:
    """Add a command to the outbox; False if it is there already, whatever became of it.

    Parameters
    ----------
    name
        What tells it from other commands of its kind: an offer's number, a submission's id.
    """
    values = {"state": OutboxState.INTENDED, "message": "", "ended_at": None, **columns}
    return _add(connection, hiring, kind, f"{kind}:{name}", now, values)


def record_activity(
    connection: Connection,
    hiring: HiringRow,
    kind: CommandKind | ActivityEvent,
    name: object,
    message: str,
    now: float,
    **columns: Any,
) -> bool:
    """Record in the activity log what has happened; False if it was recorded before."""
    values = {"state": OutboxState.DONE, "message": message, "ended_at": now, **columns}
    return _add(connection, hiring, kind, f"{kind}:{name}", now, values)


def _add(
    connection: Connection,
    hiring: HiringRow,
    kind: str,
    token: str,
    now: float,
    values: dict[str, Any],
) -> bool:
    return outbox.add_entry(
        connection,
        {
            "study_id": hiring.study_id,
            "platform": hiring.platform,
            "kind": kind,
            "token": token,
            "cost": 0,
            "attempts": 0,
            "kept": {},
            "created_at": now,
            **values,
        },
    )
