"""Files that results are written to."""

from enum import StrEnum


class Format(StrEnum):
    """How results are written."""

    QRELS = "qrels"
    """A grade per document: how many classes of its topic are worse."""
    RUN = "run"
    """A rank and a score per document."""
    CSV = "csv"
    """The judgment log as a table."""
    JSONL = "jsonl"
    """The judgment log, an object per line."""
