"""Scores as integer grades: K levels of equal width.

With the lowest score a and the highest b, a document with score s has the grade

    min(K - 1, floor(K (s - a) / (b - a)))

Levels of equal width, not quantiles: equal scores get equal grades, and a topic with few good
documents keeps few, while quantiles would call as many documents good in every topic. Where a
rating is bounded (a slider's 0 and 100, the levels of a grade, a frequency's 0 and 1), a and b are
its bounds, so that a topic without a good document gets no high grade; elsewhere they are the
topic's own lowest and highest score.
"""

import math
from collections.abc import Mapping

from nextpair.app.designs.base import Design
from nextpair.app.designs.s100 import S100Design
from nextpair.selectors.state.reported_order import ReportedOrder

MAX_LEVELS = 1000
DEFAULT_LEVELS = 4
"""Levels where the selector has no classes and the design no levels; usual in TREC collections."""
_UNIT_INTERVAL_RATINGS = (
    "combined",
    "preference-frequency",
    "relevance-frequency",
    "log-ratio",
    "win-share",
)
_LEVEL_RATINGS = ("mean", "majority", "dawid-skene", "threshold-majority", "top-majority")


def grades(
    reported: ReportedOrder, design: Design, levels: int | None = None, *, unjudged: bool = False
) -> dict[str, int]:
    """Grade the judged documents of a topic.

    With classes, the grade is the number of worse classes; where workers chose a level, it is that
    level, counted from 0 and the same in every topic; elsewhere scores are binned into levels.

    Parameters
    ----------
    levels
        Bin the scores into this many levels in any case.
    unjudged
        Include unjudged documents, at the lowest grade.
    """
    scored = reported.scored()
    if levels is None and reported.has_classes:
        graded = {name: int(score) for name, score in scored.items()}
    elif levels is None and _is_on_levels(design, reported.rating):
        graded = {name: math.floor(score + 0.5) for name, score in scored.items()}
    else:
        graded = to_levels(scored, levels or DEFAULT_LEVELS, score_bounds(design, reported.rating))
    lowest = dict.fromkeys(reported.ids, 0) if unjudged else {}
    return lowest | graded


def _is_on_levels(design: Design, rating: str) -> bool:
    """Say whether scores are levels that workers chose from, or means of levels."""
    return bool(getattr(design, "levels", ())) and rating in _LEVEL_RATINGS


def score_bounds(design: Design, rating: str) -> tuple[float, float] | None:
    """Return the lowest and the highest possible score of a rating; None if it is unbounded."""
    if rating in _UNIT_INTERVAL_RATINGS:
        return 0.0, 1.0
    if isinstance(design, S100Design):
        return 0.0, 100.0
    if _is_on_levels(design, rating):
        return 0.0, len(getattr(design, "levels", ())) - 1.0
    return None


def grade_bounds(design: Design, rating: str) -> tuple[float, float] | None:
    """Return the lowest and the highest possible grade of qrels; None if topics differ."""
    ends = score_bounds(design, rating)
    if ends is None:
        return None
    return ends if _is_on_levels(design, rating) else (0.0, DEFAULT_LEVELS - 1.0)


def to_levels(
    scores: Mapping[str, float], levels: int, ends: tuple[float, float] | None = None
) -> dict[str, int]:
    """Bin scores into grades from 0 to `levels` - 1; if all scores are equal, all grades are 0.

    >>> to_levels({"a": 1.0, "b": 2.0, "c": 10.0}, 3)
    {'a': 0, 'b': 0, 'c': 2}
    >>> to_levels({"a": 1.0, "b": 2.0}, 4, (0.0, 3.0))
    {'a': 1, 'b': 2}
    """
    low, high = ends or (min(scores.values(), default=0.0), max(scores.values(), default=0.0))
    if low == high:
        return dict.fromkeys(scores, 0)
    # 1e-9: a score that rounding put just below the boundary of a level belongs to the level.
    return {
        document: max(0, min(levels - 1, math.floor(levels * (score - low) / (high - low) + 1e-9)))
        for document, score in scores.items()
    }
