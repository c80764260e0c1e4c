"""The status of a document: settled, open or unjudged."""

from enum import StrEnum


class Status(StrEnum):
    """The status of one document."""

    SETTLED = "settled"
    """Its place is taken as known: it needs no more judgments."""
    OPEN = "open"
    """It has been judged, and its place is an estimate."""
    UNJUDGED = "unjudged"
    """Nobody has judged it: it has no place and no grade."""
