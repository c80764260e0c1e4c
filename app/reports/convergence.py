"""How soon a ranking came to rest: tau-b of the ranking after every so many judgments.

The log is folded once, and scored at each point from its beginning. So the cost grows with the
number of judgments times the number of points, and `points_for` cuts the points where a study is
large: 20 up to 5,000 judgments, 10 at 10,000, 2 at 50,000, and none beyond. At the bound that takes
a few seconds, and half a minute with Elo, the slowest rating.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.app.reports.request import POINTS
from nextpair.app.reports.topic_snapshot import Facts
from nextpair.app.results import rankings
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.selectors.agreement.rank_correlation import tau_b
from nextpair.storage.judgments import record_of

MOST_WORK = 100_000
"""Judgments times points."""


@dataclass(frozen=True, slots=True)
class Point:
    """Tau-b with the final ranking, after so many judgments; NaN where one orders nothing."""

    judgments: int
    tau: float


def points_for(judgments: int, wanted: int = POINTS) -> int:
    """Return at how many points a study of so many judgments is scored.

    >>> points_for(500), points_for(20_000), points_for(80_000)
    (20, 5, 0)
    """
    most = MOST_WORK // max(1, judgments)
    return min(wanted, most) if most >= 2 else 0


def curve(start: TopicProjection, facts: Facts, points: int) -> list[Point]:
    """Return tau-b at equally many judgments apart, the last point being the final ranking.

    Parameters
    ----------
    start
        The topic before its first judgment; it is moved on.
    """
    rows, done, found = facts.work, 0, []
    for place in range(1, points + 1):
        upto = round(len(rows) * place / points)
        start.apply(TopicDelta(start.head, records=[record_of(row) for row in rows[done:upto]]))
        done = upto
        scores = rankings.scores(start, facts.asked, facts.said(upto)) if upto else None
        found.append(Point(upto, _tau(scores, facts.scores)))
    return found


def mean_curve(curves: Sequence[Sequence[Point]]) -> list[Point]:
    """Put the topics together: judgments add up, tau-b is the mean of those that have one."""
    together = []
    for points in zip(*curves, strict=True):
        taus = [point.tau for point in points if not np.isnan(point.tau)]
        mean = float(np.mean(taus)) if taus else np.nan
        together.append(Point(sum(point.judgments for point in points), mean))
    return together


def _tau(early: NDArray[np.float64] | None, final: NDArray[np.float64]) -> float:
    scored = np.isfinite(final)
    if early is None or not scored.any():
        return np.nan
    early = early[scored]
    if np.isnan(early).all():
        return np.nan
    # Of what has no score yet nothing is known: it stands in the middle of the others.
    return tau_b(np.where(np.isnan(early), np.nanmean(early), early), final[scored])
