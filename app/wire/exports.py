"""Files that results are written to."""

from collections.abc import Mapping
from enum import StrEnum


class Format(StrEnum):
    """How results are written."""

    QRELS = "qrels"
    """A grade per document: how many classes of its topic are worse, or one of `levels`."""
    QRELS_REAL = "qrels-real"
    """A score per document, where qrels have the grade."""
    RUN = "run"
    """A rank and a score per document."""
    PAIRS = "pairs"
    """Which of two documents is better, as said or as inferred: an object per line."""
    CSV = "csv"
    """The judgment log as a table."""
    JSONL = "jsonl"
    """The judgment log, an object per line."""


_OPTIONS: dict[Format, tuple[str, ...]] = {
    Format.QRELS: ("levels",),
    Format.QRELS_REAL: ("rating",),
    Format.RUN: ("rating",),
    Format.PAIRS: ("inferred",),
    Format.CSV: ("pseudonyms",),
    Format.JSONL: ("pseudonyms",),
}


def idle_option(form: Format, given: Mapping[str, object]) -> str | None:
    """Name an option that is given and has no effect with a format; None if all have."""
    known = _OPTIONS[form]
    if form is Format.QRELS and given.get("levels") is not None:
        # Classes have no rating, levels are made of one.
        known = (*known, "rating")
    idle = (name for name, value in given.items() if value is not None and name not in known)
    return next(idle, None)
