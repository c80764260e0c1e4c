"""Preference pairs for learning to rank: what people said, and what follows from it.

A topic of n documents has n (n - 1) / 2 pairs, so they are yielded a document at a time, from a
snapshot that takes a bit for each.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.app.results import rankings
from nextpair.app.results.scores import AnswerSet
from nextpair.app.runtime.projection import TopicProjection
from nextpair.selectors.state import bitset
from nextpair.selectors.state.judgments import Outcome, Pair
from nextpair.selectors.state.single_documents import SingleDocumentState
from nextpair.selectors.state.topic_state import Topic

_SHARE = {Outcome.BETTER.value: 1.0, Outcome.TIE.value: 0.5, Outcome.WORSE.value: 0.0}


@dataclass(frozen=True, slots=True)
class Judged:
    """The votes on one pair: how many, and the share for the first document, ties counting half."""

    votes: int
    share: float


@dataclass(frozen=True, slots=True)
class Compared:
    """How the documents of a topic compare, at one moment.

    Parameters
    ----------
    below
        Lists the documents known to be worse than the one at a position.
    weights
        How certain each document's place is.
    """

    topic: str
    ids: tuple[str, ...]
    judged: Mapping[Pair, Judged]
    below: Callable[[int], list[int]]
    weights: NDArray[np.float64]


def snapshot(projection: TopicProjection, said: AnswerSet) -> Compared:
    """Take down how a topic's documents compare, so that it may change meanwhile."""
    state = projection.state
    ids, certainty = state.documents.ids, None
    if isinstance(state, SingleDocumentState):
        below = _below_by_score(rankings.scores(projection, None, said))
    else:
        below, certainty = _below_in_order(state), state.certainty()
    weights = np.ones(len(ids)) if certainty is None else np.asarray(certainty, dtype=np.float64)
    return Compared(projection.topic.name, ids, count_votes(said), below, weights)


def count_votes(said: AnswerSet) -> dict[Pair, Judged]:
    """Count the votes on each pair that people were asked about."""
    given: dict[Pair, list[float]] = {}
    for row in said.rows:
        if row.outcome is not None:
            given.setdefault((row.first, row.second), []).append(_SHARE[row.outcome])
    return {pair: Judged(len(votes), sum(votes) / len(votes)) for pair, votes in given.items()}


def _below_by_score(scores: NDArray[np.float64]) -> Callable[[int], list[int]]:
    # Nothing is below or above a document without a score: comparing NaN is false.
    return lambda place: np.flatnonzero(scores < scores[place]).tolist()


def _below_in_order(state: Topic) -> Callable[[int], list[int]]:
    order = state.order
    labels = [order.label(place) for place in range(order.size)]
    members = {label: order.members(label) for label in bitset.members(order.labels)}
    below = {label: order.below(label) for label in members}
    return lambda place: sorted(
        worse for label in bitset.members(below[labels[place]]) for worse in members[label]
    )


def pair_lines(compared: Compared, *, inferred: bool) -> Iterator[str]:
    """Yield lines of JSON, many at a time; a tie prefers nothing and is left out."""
    names = [json.dumps(name, ensure_ascii=False) for name in compared.ids]
    topic = json.dumps(compared.topic)

    def line(better: int, worse: int, weight: float, votes: int) -> str:
        return (
            f'{{"topic": {topic}, "better": {names[better]}, "worse": {names[worse]}, '
            f'"weight": {round(weight, 6)}, "votes": {votes}, '
            f'"source": "{"judged" if votes else "inferred"}"}}\n'
        )

    yield "".join(
        line(first, second, one.share, one.votes)
        if one.share > 0.5
        else line(second, first, 1 - one.share, one.votes)
        for (first, second), one in sorted(compared.judged.items())
        if one.share != 0.5
    )
    weights = compared.weights.tolist()
    for place in range(len(names)) if inferred else ():
        yield "".join(
            line(place, worse, weights[place] * weights[worse], 0)
            for worse in compared.below(place)
            if (min(place, worse), max(place, worse)) not in compared.judged
        )
