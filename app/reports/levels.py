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
from nextpair.selectors.state.reported_order import ReportedOrder

MOST_LEVELS = 1000
LEVELS = 4
"""Grades where the model has no classes and the design no levels, as in most TREC collections."""
_SHARES = ("combined", "preference-frequency", "relevance-frequency", "log-ratio", "win-share")
_OF_LEVELS = ("mean", "majority", "dawid-skene", "threshold-majority", "top-majority")


def grades(
    reported: ReportedOrder, design: Design, levels: int | None = None, *, unjudged: bool = False
) -> dict[str, int]:
    """Grade the judged documents of a topic.

    With classes the grade is the number of classes that are worse; where workers named a level, it
    is that level, counted from 0 and the same in every topic; elsewhere scores are cut into levels.

    Parameters
    ----------
    levels
        Cut the scores into so many levels, whatever they are.
    unjudged
        Include the documents nobody has judged, at the lowest grade.
    """
    scored = reported.scored()
    if levels is None and reported.has_classes:
        found = {name: int(score) for name, score in scored.items()}
    elif levels is None and _of_levels(design, reported.rating):
        found = {name: math.floor(score + 0.5) for name, score in scored.items()}
    else:
        found = to_levels(scored, levels or LEVELS, ends_of(design, reported.rating))
    lowest = dict.fromkeys(reported.ids, 0) if unjudged else {}
    return lowest | found


def _of_levels(design: Design, rating: str) -> bool:
    """Say whether a score is one of the levels that workers chose from, or a mean of some."""
    return bool(getattr(design, "levels", ())) and rating in _OF_LEVELS


def ends_of(design: Design, rating: str) -> tuple[float, float] | None:
    """Return the lowest and the highest score a rating can give, where it has such."""
    if rating in _SHARES:
        return 0.0, 1.0
    if isinstance(design, S100Design):
        return 0.0, 100.0
    if _of_levels(design, rating):
        return 0.0, len(getattr(design, "levels", ())) - 1.0
    return None


def grade_ends(design: Design, rating: str) -> tuple[float, float] | None:
    """Return the lowest and the highest grade of qrels, where they are the same in all topics."""
    ends = ends_of(design, rating)
    if ends is None:
        return None
    return ends if _of_levels(design, rating) else (0.0, LEVELS - 1.0)


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
