"""How far a document has come."""

from enum import StrEnum


class Status(StrEnum):
    """How far one document has come."""

    SETTLED = "settled"
    """Its place is taken as known: nothing more needs to be asked about it."""
    OPEN = "open"
    """It has been judged, and its place is the best estimate so far."""
    UNJUDGED = "unjudged"
    """Nobody has judged it: it has no place and no grade."""
