"""The convergence of a ranking: tau-b with the final ranking after a growing number of judgments.

The log is folded once, and all answers so far are scored at each point. So the cost grows with the
number of judgments times the number of points, and `points_for` reduces the points for large
studies: 20 up to 5,000 judgments, 10 at 10,000, 2 at 50,000, and none beyond. At the bound that
takes a few seconds, and half a minute with Elo, the slowest rating.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.app.reports.request import POINTS
from nextpair.app.reports.topic_snapshot import TopicSnapshot
from nextpair.app.results import rankings
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.selectors.agreement.rank_correlation import tau_b
from nextpair.storage.judgments import record_of

MAX_WORK = 100_000
"""Judgments times points, at most."""


@dataclass(frozen=True, slots=True)
class ConvergencePoint:
    """Tau-b with the final ranking after a number of judgments; NaN where a ranking is one tie."""

    judgments: int
    tau: float


def points_for(judgments: int, wanted: int = POINTS) -> int:
    """Return at how many points a study with this many judgments is scored.

    >>> points_for(500), points_for(20_000), points_for(80_000)
    (20, 5, 0)
    """
    most = MAX_WORK // max(1, judgments)
    return min(wanted, most) if most >= 2 else 0


def convergence_curve(
    start: TopicProjection, snapshot: TopicSnapshot, points: int
) -> list[ConvergencePoint]:
    """Return tau-b at evenly spaced points, the last of which is the final ranking.

    Parameters
    ----------
    start
        The projection before the first judgment; the log is folded into it.
    """
    rows, done, curve = snapshot.work, 0, []
    for place in range(1, points + 1):
        upto = round(len(rows) * place / points)
        start.apply(TopicDelta(start.head, records=[record_of(row) for row in rows[done:upto]]))
        done = upto
        scores = (
            rankings.scores(start, snapshot.requested_rating, snapshot.answer_set(upto))
            if upto
            else None
        )
        curve.append(ConvergencePoint(upto, _tau(scores, snapshot.scores)))
    return curve


def mean_curve(curves: Sequence[Sequence[ConvergencePoint]]) -> list[ConvergencePoint]:
    """Average the curves of topics: judgments add up, tau-b is the mean where it is defined."""
    mean_points = []
    for points in zip(*curves, strict=True):
        taus = [point.tau for point in points if not np.isnan(point.tau)]
        mean = float(np.mean(taus)) if taus else np.nan
        mean_points.append(ConvergencePoint(sum(point.judgments for point in points), mean))
    return mean_points


def _tau(early: NDArray[np.float64] | None, final: NDArray[np.float64]) -> float:
    scored = np.isfinite(final)
    if early is None or not scored.any():
        return np.nan
    early = early[scored]
    if np.isnan(early).all():
        return np.nan
    # A document without a score yet gets the mean of the others.
    return tau_b(np.where(np.isnan(early), np.nanmean(early), early), final[scored])
