"""A comparison as ratings see it."""

from typing import NamedTuple


class Match(NamedTuple):
    """Two documents, and the share of votes for the first, ties counting half."""

    first: int
    second: int
    score: float
