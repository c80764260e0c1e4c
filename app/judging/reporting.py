"""Saying what is known: ranking, progress, and why."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.app.judging.live import LiveTopic
from nextpair.selectors import ratings
from nextpair.selectors.topic.settings import Forecast
from nextpair.selectors.topic.standing import standing
from nextpair.selectors.topic.state import Topic

ORDER = "order"


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
    certainty
        How likely it is of the class it is said to be of, where the selector weighs that.
    """

    document: str
    level: int
    ranks: tuple[int, int]
    score: float
    uncertainty: float | None
    certainty: float | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """A topic's classes in order, and its documents by their scores."""

    rating: str
    position: int
    complete: bool
    classes: list[tuple[str, ...]]
    documents: list[Ranked]


def ranking(live: LiveTopic, rating: str | None) -> Ranking:
    """Rank a topic's documents, best first."""
    state = live.state
    rating = rating or state.selector.rating
    scores, errors = _scores(state, rating)
    ranks = standing(state.order)
    classes, certainty = state.classes(), state.certainty()
    levels = {name: level for level, names in enumerate(classes, start=1) for name in names}
    documents = [
        Ranked(
            name,
            levels[name],
            (int(ranks.best[place]), int(ranks.worst[place])),
            float(scores[place]),
            float(errors[place]) if np.isfinite(errors[place]) else None,
            None if certainty is None else float(certainty[place]),
        )
        for place, name in enumerate(state.documents.ids)
    ]
    documents.sort(key=lambda one: (-one.score, one.level, one.document))
    return Ranking(rating, live.head.position, not state.order.unknown_pairs, classes, documents)


def _scores(state: Topic, rating: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    size = len(state.documents)
    if rating == ORDER:
        return state.scores(ORDER), np.full(size, np.nan)
    return state.scores(rating), ratings.errors(rating, size, state.matches())


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a topic has come, in numbers.

    Parameters
    ----------
    judged_pairs, inferred_pairs, unknown_pairs
        Pairs people were asked about; pairs that follow from those; pairs of which nothing is
        known.
    settled
        Documents with only one rank left.
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
    ranks = standing(state.order)
    matches = state.matches()
    known = sum(state.order.relation(one.first, one.second) is not None for one in matches)
    return Progress(
        size,
        len(state.log),
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
