"""The reported ranking of a topic, and its progress."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nextpair.app.designs.base import Design
from nextpair.app.results.scores import AnswerSet, aggregations, score
from nextpair.app.runtime.projection import TopicProjection
from nextpair.selectors.base import End
from nextpair.selectors.state.rank_bounds import RankBounds, rank_bounds
from nextpair.selectors.state.reported_order import ReportedOrder, Status, statuses
from nextpair.selectors.state.settings import Forecast
from nextpair.selectors.state.single_documents import SingleDocumentState

CREDIBLE = 1.6449
"""Standard errors to either side of a score that make its 90 % credible interval."""


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document in the ranking.

    Parameters
    ----------
    status
        Whether its rank is settled, open though it was judged, or it is unjudged.
    level
        The rank of its class, 1 for the best; None where nobody has judged it.
    ranks
        The best and the worst rank that the judgments allow.
    uncertainty
        The standard error of its score, where the rating has one and the document was compared.
    interval
        The 90 % credible interval of its score, where there is a standard error.
    certainty
        The posterior probability of its class, where the selector has a posterior.
    """

    document: str
    status: Status
    level: int | None
    ranks: tuple[int, int]
    score: float | None
    uncertainty: float | None
    interval: tuple[float, float] | None
    certainty: float | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """A topic's judged documents in classes of equals, and all documents with their scores."""

    rating: str
    position: int
    complete: bool
    classes: list[tuple[str, ...]]
    documents: list[RankedDocument]


def reported_order(
    projection: TopicProjection, rating: str | None, answer_set: AnswerSet
) -> ReportedOrder:
    """Return the reported order of a topic.

    Parameters
    ----------
    rating
        Rank by this rating instead of the topic's own.
    answer_set
        Its answers, for ratings that are aggregated from all of them.
    """
    if isinstance(projection.state, SingleDocumentState):
        return _reported_singles(
            projection.state, rating or default_rating(projection, answer_set.design), answer_set
        )
    if rating is None or rating not in aggregations(answer_set.design):
        return projection.state.reported(rating)
    own = projection.state.reported()
    return replace(
        own,
        rating=rating,
        estimates=score(rating, answer_set),
        standard_errors=np.full(len(own.ids), np.nan),
        has_classes=False,
    )


def _reported_singles(
    state: SingleDocumentState, rating: str, answer_set: AnswerSet
) -> ReportedOrder:
    """Rank documents that are judged one at a time by their aggregated scores."""
    scores, size = score(rating, answer_set), len(state.documents)
    order = ReportedOrder(
        state.documents.ids,
        rating,
        scores,
        np.full(size, np.nan),
        statuses(np.isfinite(scores), state.settled_documents()),
        False,
        RankBounds(np.ones(size, dtype=np.int64), np.full(size, size, dtype=np.int64), 0),
    )
    # Documents with equal scores share their rank bounds.
    counts = np.bincount(order.levels, minlength=1)
    ends = np.cumsum(np.concatenate(([0], counts[1:])))
    scored = order.levels > 0
    best = np.where(scored, ends[order.levels - 1] + 1, 1)
    worst = np.where(scored, ends[order.levels], size)
    return replace(order, ranks=RankBounds(best, worst, 0))


def ranking(projection: TopicProjection, rating: str | None, answer_set: AnswerSet) -> Ranking:
    """Rank a topic's documents, best first, those nobody has judged last."""
    order = reported_order(projection, rating, answer_set)
    certainty = (
        None if isinstance(projection.state, SingleDocumentState) else projection.state.certainty()
    )
    if certainty is not None:
        # The prior of a document that nobody has judged is not reported as its certainty.
        certainty = np.where(order.judged, certainty, np.nan)
    scores, errors = order.scores, np.where(order.judged, order.standard_errors, np.nan)
    documents = [
        RankedDocument(
            order.ids[place],
            order.status[place],
            int(order.levels[place]) or None,
            (int(order.ranks.best[place]), int(order.ranks.worst[place])),
            _number(scores[place]),
            _number(errors[place]),
            _interval(scores[place], errors[place]),
            None if certainty is None else _number(certainty[place]),
        )
        for place in order.best_first
    ]
    return Ranking(order.rating, projection.head.position, order.complete, order.classes, documents)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _interval(score: float, error: float) -> tuple[float, float] | None:
    if not np.isfinite(score) or not np.isfinite(error):
        return None
    return float(score - CREDIBLE * error), float(score + CREDIBLE * error)


def default_rating(projection: TopicProjection, design: Design) -> str:
    """Return the name of the rating that is used where none is requested."""
    if isinstance(projection.state, SingleDocumentState):
        return aggregations(design)[0]
    return projection.state.selector.rating


def scores(
    projection: TopicProjection, rating: str | None, answer_set: AnswerSet
) -> NDArray[np.float64]:
    """Return the score of each judged document of a topic, NaN for the others."""
    return reported_order(projection, rating, answer_set).scores


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a topic, in counts.

    Parameters
    ----------
    judged_pairs, inferred_pairs, unknown_pairs
        Pairs that were judged; other pairs whose relation is implied; all others.
    settled
        Documents about which nothing more needs to be asked; of single questions, those with all
        their answers.
    unjudged
        Documents nobody has judged.
    open
        Leases that have not expired.
    ended
        Why nothing is left to ask, where that is so.
    forecast
        How many more judgments are needed; None where that cannot be told, and once finished.
    """

    documents: int
    judgments: int
    judged_pairs: int
    inferred_pairs: int
    unknown_pairs: int
    classes: int
    settled: int
    unjudged: int
    conflicts: int
    open: int
    finished: bool
    ended: End | None
    forecast: Forecast | None


def progress(projection: TopicProjection, now: float) -> Progress:
    """Count what is known of a topic, and what is not yet."""
    state = projection.state
    size = len(state.documents)
    pairs, ended = size * (size - 1) // 2, state.ended
    forecast = None if ended else state.forecast()
    leases = len(projection.leases(now))
    if isinstance(state, SingleDocumentState):
        settled = int(state.settled_documents().sum())
        return Progress(
            size,
            len(state),
            0,
            0,
            pairs,
            0,
            settled,
            size - state.count_judged(),
            0,
            leases,
            ended is not None,
            ended,
            forecast,
        )
    order, matches = state.reported(), state.matches()
    ordered = sum(state.order.relation(match.first, match.second) is not None for match in matches)
    inferred = rank_bounds(state.order).known_pairs - ordered
    return Progress(
        size,
        len(state),
        len(matches),
        inferred,
        pairs - len(matches) - inferred,
        len(order.classes),
        order.settled,
        size - int(order.judged.sum()),
        len(state.conflicts),
        leases,
        ended is not None,
        ended,
        forecast,
    )


def sum_forecasts(forecasts: Sequence[Forecast | None]) -> Forecast | None:
    """Sum forecasts; None if one is missing.

    Topics are judged independently, so the half-widths of their intervals add up in squares: all
    being at the ends of their intervals at once is far less likely than one being there.
    """
    known = [forecast for forecast in forecasts if forecast is not None]
    if len(known) < len(forecasts):
        return None
    expected = sum(forecast.expected for forecast in known)
    less = math.hypot(*(forecast.expected - forecast.low for forecast in known))
    more = math.hypot(*(forecast.high - forecast.expected for forecast in known))
    return Forecast(expected, max(0.0, expected - less), expected + more)
