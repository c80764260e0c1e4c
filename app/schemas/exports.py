"""Export formats and their options."""

from collections.abc import Mapping
from enum import StrEnum

UNJUDGED = "Nextpair-Unjudged"
"""The header with the number of unjudged documents: TREC's formats have no comments."""


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


def ineffective_option(form: Format, options: Mapping[str, object]) -> str | None:
    """Return the first option that is set but has no effect with a format, if there is one."""
    effective = _OPTIONS[form]
    return next(
        (name for name, value in options.items() if value is not None and name not in effective),
        None,
    )
