"""Files that results are written to."""

from collections.abc import Mapping
from enum import StrEnum

UNJUDGED = "Nextpair-Unjudged"
"""The header that says how many documents of the topics nobody has judged: TREC's files have no
place for a remark."""


class Format(StrEnum):
    """How results are written."""

    QRELS = "qrels"
    """A grade per judged document: its class, the level workers named, or one of `levels`."""
    QRELS_REAL = "qrels-real"
    """A score per judged document, where qrels have the grade."""
    RUN = "run"
    """A rank and a score per judged document."""
    PAIRS = "pairs"
    """Which of two documents is better, as said or as inferred: an object per line."""
    CSV = "csv"
    """The judgment log as a table."""
    JSONL = "jsonl"
    """The judgment log, an object per line."""


_OPTIONS: dict[Format, tuple[str, ...]] = {
    Format.QRELS: ("rating", "levels", "unjudged"),
    Format.QRELS_REAL: ("rating", "unjudged"),
    Format.RUN: ("rating", "unjudged"),
    Format.PAIRS: ("inferred",),
    Format.CSV: ("pseudonyms",),
    Format.JSONL: ("pseudonyms",),
}


def idle_option(form: Format, given: Mapping[str, object]) -> str | None:
    """Name an option that is given and has no effect with a format; None if all have."""
    known = _OPTIONS[form]
    idle = (name for name, value in given.items() if value is not None and name not in known)
    return next(idle, None)
