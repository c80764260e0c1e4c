"""Deeds and notes: everything that is done at a platform is written down first."""

from enum import StrEnum
from typing import Any

from nextpair.storage import outbox
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import DeedState, HiringRow


class Kind(StrEnum):
    """What is done at a platform."""

    PUBLISH = "publish"
    EXPIRE = "expire"
    ACCEPT = "accept"
    REJECT = "reject"
    BONUS = "bonus"
    KEEP_AWAY = "keep_away"


class Note(StrEnum):
    """What happens besides, and is told in the activity log."""

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


def intend(
    connection: Connection, hiring: HiringRow, kind: Kind, name: object, now: float, **more: Any
) -> bool:
    """Write down what is to be done; False if it was written down before.

    Parameters
    ----------
    name
        What makes it another deed than others of its kind.
    """
    values = {"state": DeedState.INTENDED, "message": "", "ended_at": None, **more}
    return _add(connection, hiring, kind, f"{kind}:{name}", now, values)


def note(
    connection: Connection,
    hiring: HiringRow,
    kind: Kind | Note,
    name: object,
    message: str,
    now: float,
    **more: Any,
) -> bool:
    """Write down what has happened without us; False if it was written down before."""
    values = {"state": DeedState.DONE, "message": message, "ended_at": now, **more}
    return _add(connection, hiring, kind, f"{kind}:{name}", now, values)


def _add(
    connection: Connection,
    hiring: HiringRow,
    kind: str,
    token: str,
    now: float,
    values: dict[str, Any],
) -> bool:
    return outbox.add_deed(
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
