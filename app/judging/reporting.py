"""Saying what is known: ranking, progress, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.app.designs.base import Design
from nextpair.app.judging.live import LiveTopic
from nextpair.app.judging.scoring import Said, aggregations, score
from nextpair.selectors.topic.settings import Forecast
from nextpair.selectors.topic.singles import Singles
from nextpair.selectors.topic.standing import standing
from nextpair.selectors.topic.state import Topic

CREDIBLE = 1.6449
"""Standard errors to either side of a score that hold 90 %."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document in the ranking.

    Parameters
    ----------
    level
        The place of its class, 1 for the best.
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
    level: int
    ranks: tuple[int, int]
    score: float | None
    uncertainty: float | None
    interval: tuple[float, float] | None
    certainty: float | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """A topic's classes in order, and its documents by their scores."""

    rating: str
    position: int
    complete: bool
    classes: list[tuple[str, ...]]
    documents: list[Ranked]


def ranking(live: LiveTopic, rating: str | None, said: Said) -> Ranking:
    """Rank a topic's documents, best first.

    Parameters
    ----------
    said
        Its answers, for what is scored from all of them together.
    """
    rating = rating or own_rating(live, said.design)
    if isinstance(live.state, Singles):
        return _ranking_of_singles(live, live.state, rating, said)
    state = live.state
    scores, errors = _scores(state, rating, said)
    ranks = standing(state.order)
    classes, certainty = state.classes(), state.certainty()
    levels = {name: level for level, names in enumerate(classes, start=1) for name in names}
    documents = [
        Ranked(
            name,
            levels[name],
            (int(ranks.best[place]), int(ranks.worst[place])),
            _number(scores[place]),
            _number(errors[place]),
            _interval(scores[place], errors[place]),
            None if certainty is None else float(certainty[place]),
        )
        for place, name in enumerate(state.documents.ids)
    ]
    documents.sort(key=_best_first)
    return Ranking(rating, live.head.position, not state.order.unknown_pairs, classes, documents)


def _ranking_of_singles(live: LiveTopic, state: Singles, rating: str, said: Said) -> Ranking:
    """Rank by scores; documents with the same are of one class, those without any of none."""
    scores, ids = score(rating, said), state.documents.ids
    found = sorted({float(one) for one in scores if np.isfinite(one)}, reverse=True)
    levels = {value: level for level, value in enumerate(found, start=1)}
    level = [levels.get(float(one), len(found) + 1) for one in scores]
    classes = [
        tuple(name for name, place in zip(ids, level, strict=True) if place == wanted)
        for wanted in range(1, len(found) + 1)
    ]
    best = np.concatenate(([0], np.cumsum([len(names) for names in classes]))).astype(int)
    size = len(ids)
    documents = []
    for place, name in enumerate(ids):
        known = level[place] <= len(found)
        ranks = (int(best[level[place] - 1]) + 1, int(best[level[place]])) if known else (1, size)
        found_score = _number(scores[place])
        documents.append(Ranked(name, level[place], ranks, found_score, None, None, None))
    documents.sort(key=_best_first)
    return Ranking(rating, live.head.position, state.finished, classes, documents)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _interval(score: float, error: float) -> tuple[float, float] | None:
    if not np.isfinite(score) or not np.isfinite(error):
        return None
    return float(score - CREDIBLE * error), float(score + CREDIBLE * error)


def _best_first(one: Ranked) -> tuple[float, int, str]:
    return (np.inf if one.score is None else -one.score, one.level, one.document)


def own_rating(live: LiveTopic, design: Design) -> str:
    """Name the rating that scores a topic's documents where none is asked for."""
    if isinstance(live.state, Singles):
        return aggregations(design)[0]
    return live.state.selector.rating


def scores(live: LiveTopic, rating: str | None, said: Said) -> NDArray[np.float64]:
    """Return a score for each document of a topic, NaN where there is none."""
    rating = rating or own_rating(live, said.design)
    if isinstance(live.state, Singles):
        return score(rating, said)
    return _scores(live.state, rating, said)[0]


def _scores(
    state: Topic, rating: str, said: Said
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    size = len(state.documents)
    if rating in aggregations(said.design):
        return score(rating, said), np.full(size, np.nan)
    return state.scores(rating), state.errors(rating)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a topic has come, in numbers.

    Parameters
    ----------
    judged_pairs, inferred_pairs, unknown_pairs
        Pairs people were asked about; pairs that follow from those; pairs of which nothing is
        known.
    settled
        Documents with only one rank left; of single questions, with all their answers.
    open
        Questions in workers' hands.
    """

    documents: int
    judgments: int
    judged_pairs: int
    inferred_pairs: int
    unknown_pairs: int
    classes: int
    settled: int
    conflicts: int
    open: int
    finished: bool
    forecast: Forecast | None


def progress(live: LiveTopic, now: float) -> Progress:
    """Count what is known of a topic, and what is not."""
    state = live.state
    size = len(state.documents)
    if isinstance(state, Singles):
        return Progress(
            size,
            len(state),
            0,
            0,
            size * (size - 1) // 2,
            0,
            state.judged(),
            0,
            len(live.leases(now)),
            state.finished,
            state.forecast(),
        )
    ranks = standing(state.order)
    matches = state.matches()
    known = sum(state.order.relation(one.first, one.second) is not None for one in matches)
    return Progress(
        size,
        len(state),
        len(matches),
        ranks.known_pairs - known,
        size * (size - 1) // 2 - ranks.known_pairs,
        len(state.order.classes()),
        ranks.settled,
        len(state.conflicts),
        len(live.leases(now)),
        state.finished,
        state.forecast(),
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
