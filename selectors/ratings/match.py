"""A comparison as ratings see it."""

from typing import NamedTuple


class Match(NamedTuple):
    """Two documents, the share of votes for the first, ties counting half, and the ties' own."""

    first: int
    second: int
    score: float
    ties: float = 0.0
