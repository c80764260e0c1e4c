"""Scores as whole grades: a given number of levels, equally wide.

Of K levels between the lowest score a and the highest b, a document with score s has

    min(K - 1, floor(K (s - a) / (b - a)))

Equally wide and not equally full: what has the same score has the same grade, and a topic with few
good documents keeps few, while quantiles would call as many documents good in every topic. Where
ratings have ends of their own (a slider's 0 and 100, the levels of a grade, a frequency's 0 and 1),
a and b are these, so that a topic without a good document gets no high grade; elsewhere they are
the topic's own lowest and highest score.
"""

import math
from collections.abc import Mapping

from nextpair.app.designs.base import Design
from nextpair.app.designs.s100 import S100Design

MOST_LEVELS = 1000
_SHARES = ("combined", "preference-frequency", "relevance-frequency", "log-ratio", "win-share")
_OF_GRADES = ("mean", "majority", "dawid-skene", "threshold-majority", "top-majority")


def ends_of(design: Design, rating: str) -> tuple[float, float] | None:
    """Return the lowest and the highest score a rating can give, where it has such."""
    if rating in _SHARES:
        return 0.0, 1.0
    if isinstance(design, S100Design):
        return 0.0, 100.0
    levels = getattr(design, "levels", ())
    return (0.0, len(levels) - 1.0) if levels and rating in _OF_GRADES else None


def to_levels(
    scores: Mapping[str, float], levels: int, ends: tuple[float, float] | None = None
) -> dict[str, int]:
    """Grade documents from 0 to `levels` - 1; where no two scores differ, all get 0.

    >>> to_levels({"a": 1.0, "b": 2.0, "c": 10.0}, 3)
    {'a': 0, 'b': 0, 'c': 2}
    >>> to_levels({"a": 1.0, "b": 2.0}, 4, (0.0, 3.0))
    {'a': 1, 'b': 2}
    """
    low, high = ends or (min(scores.values(), default=0.0), max(scores.values(), default=0.0))
    if low == high:
        return dict.fromkeys(scores, 0)
    # A score that is rounded to just below the end of a level has reached it.
    return {
        document: max(0, min(levels - 1, math.floor(levels * (score - low) / (high - low) + 1e-9)))
        for document, score in scores.items()
    }
