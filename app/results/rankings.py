"""What leaves a topic: its reported order as a ranking, its progress, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nextpair.app.designs.base import Design
from nextpair.app.results.scores import Said, aggregations, score
from nextpair.app.runtime.projection import LiveTopic
from nextpair.selectors.base import End
from nextpair.selectors.state.rank_bounds import Standing, standing
from nextpair.selectors.state.reported_order import ReportedOrder, Status, statuses
from nextpair.selectors.state.settings import Forecast
from nextpair.selectors.state.single_documents import Singles

CREDIBLE = 1.6449
"""Standard errors to either side of a score that hold 90 %."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document in the ranking.

    Parameters
    ----------
    status
        Whether it is settled, judged but open, or unjudged.
    level
        The place of its group of equals, 1 for the best; None where nobody has judged it.
    ranks
        The best and the worst rank it can still have.
    uncertainty
        The standard error of its score, where the rating has one and the document was compared.
    interval
        The bounds between which its score is with a chance of 90 %, where there is such an error.
    certainty
        How likely it is of the class it is said to be of, where the selector weighs that.
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
    """A topic's judged documents in groups of equals, and all documents with their scores."""

    rating: str
    position: int
    complete: bool
    classes: list[tuple[str, ...]]
    documents: list[Ranked]


def reported(live: LiveTopic, rating: str | None, said: Said) -> ReportedOrder:
    """Return the reported order of a topic.

    Parameters
    ----------
    rating
        Rank by this rating instead of the topic's own.
    said
        Its answers, for what is scored from all of them together.
    """
    if isinstance(live.state, Singles):
        return _reported_singles(live.state, rating or own_rating(live, said.design), said)
    if rating is None or rating not in aggregations(said.design):
        return live.state.reported(rating)
    own = live.state.reported()
    return replace(
        own,
        rating=rating,
        estimates=score(rating, said),
        errors=np.full(len(own.ids), np.nan),
        has_classes=False,
    )


def _reported_singles(state: Singles, rating: str, said: Said) -> ReportedOrder:
    """Rank documents that are judged one at a time: by what their answers come to."""
    scores, size = score(rating, said), len(state.documents)
    found = ReportedOrder(
        state.documents.ids,
        rating,
        scores,
        np.full(size, np.nan),
        statuses(np.isfinite(scores), state.settled_documents()),
        False,
        Standing(np.ones(size, dtype=np.int64), np.full(size, size, dtype=np.int64), 0),
    )
    # A document with a score shares its ranks with those of the same one.
    counts = np.bincount(found.levels, minlength=1)
    ends = np.cumsum(np.concatenate(([0], counts[1:])))
    scored = found.levels > 0
    best = np.where(scored, ends[found.levels - 1] + 1, 1)
    worst = np.where(scored, ends[found.levels], size)
    return replace(found, ranks=Standing(best, worst, 0))


def ranking(live: LiveTopic, rating: str | None, said: Said) -> Ranking:
    """Rank a topic's documents, best first, those nobody has judged last."""
    order = reported(live, rating, said)
    certainty = None if isinstance(live.state, Singles) else live.state.certainty()
    if certainty is not None:
        # What is expected of a document nobody has judged is not a finding about it.
        certainty = np.where(order.judged, certainty, np.nan)
    scores, errors = order.scores, np.where(order.judged, order.errors, np.nan)
    documents = [
        Ranked(
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
    return Ranking(order.rating, live.head.position, order.complete, order.classes, documents)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _interval(score: float, error: float) -> tuple[float, float] | None:
    if not np.isfinite(score) or not np.isfinite(error):
        return None
    return float(score - CREDIBLE * error), float(score + CREDIBLE * error)


def own_rating(live: LiveTopic, design: Design) -> str:
    """Name the rating that scores a topic's documents where none is asked for."""
    if isinstance(live.state, Singles):
        return aggregations(design)[0]
    return live.state.selector.rating


def scores(live: LiveTopic, rating: str | None, said: Said) -> NDArray[np.float64]:
    """Return the score of each judged document of a topic, NaN for the others."""
    return reported(live, rating, said).scores


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a topic has come, in numbers.

    Parameters
    ----------
    judged_pairs, inferred_pairs, unknown_pairs
        Pairs people were asked about; other pairs whose relation is known; all the rest.
    settled
        Documents about which nothing more needs to be asked; of single questions, those with all
        their answers.
    unjudged
        Documents nobody has judged.
    open
        Questions in workers' hands.
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


def progress(live: LiveTopic, now: float) -> Progress:
    """Count what is known of a topic, and what is not."""
    state = live.state
    size = len(state.documents)
    pairs, ended = size * (size - 1) // 2, state.ended
    forecast = None if ended else state.forecast()
    leases = len(live.leases(now))
    if isinstance(state, Singles):
        settled = int(state.settled_documents().sum())
        return Progress(
            size,
            len(state),
            0,
            0,
            pairs,
            0,
            settled,
            size - state.judged(),
            0,
            leases,
            ended is not None,
            ended,
            forecast,
        )
    order, matches = state.reported(), state.matches()
    known = sum(state.order.relation(one.first, one.second) is not None for one in matches)
    inferred = standing(state.order).known_pairs - known
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


def together(forecasts: Sequence[Forecast | None]) -> Forecast | None:
    """Add forecasts up; None if one is missing.

    Topics are judged apart from each other, so what each may differ by adds up in squares: that all
    are at the end of their intervals at once is far less likely than that one is.
    """
    told = [one for one in forecasts if one is not None]
    if len(told) < len(forecasts):
        return None
    expected = sum(one.expected for one in told)
    less = math.hypot(*(one.expected - one.low for one in told))
    more = math.hypot(*(one.high - one.expected for one in told))
    return Forecast(expected, max(0.0, expected - less), expected + more)
