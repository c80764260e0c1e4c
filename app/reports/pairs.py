"""Preference pairs for learning to rank: judged pairs, and pairs inferred from them.

A topic of n documents has n (n - 1) / 2 pairs, so they are yielded document by document, from a
snapshot with one bit per pair.
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
class PairVotes:
    """The votes on one pair: their number, and the share of the first document, ties as half."""

    votes: int
    share: float


@dataclass(frozen=True, slots=True)
class PreferenceSnapshot:
    """The preferences between the documents of a topic, at one moment.

    Parameters
    ----------
    worse_than
        Lists the positions of the documents that are worse than the one at a position.
    weights
        The certainty of each document's rank.
    """

    topic: str
    ids: tuple[str, ...]
    judged: Mapping[Pair, PairVotes]
    worse_than: Callable[[int], list[int]]
    weights: NDArray[np.float64]


def take_preference_snapshot(
    projection: TopicProjection, answer_set: AnswerSet
) -> PreferenceSnapshot:
    """Copy the preferences of a topic, so that its projection may change meanwhile."""
    state = projection.state
    ids, certainty = state.documents.ids, None
    if isinstance(state, SingleDocumentState):
        below = _worse_by_score(rankings.scores(projection, None, answer_set))
    else:
        below, certainty = _worse_by_order(state), state.certainty()
    weights = np.ones(len(ids)) if certainty is None else np.asarray(certainty, dtype=np.float64)
    return PreferenceSnapshot(projection.topic.name, ids, count_votes(answer_set), below, weights)


def count_votes(answer_set: AnswerSet) -> dict[Pair, PairVotes]:
    """Count the votes on each judged pair."""
    shares: dict[Pair, list[float]] = {}
    for row in answer_set.rows:
        if row.outcome is not None:
            shares.setdefault((row.first, row.second), []).append(_SHARE[row.outcome])
    return {pair: PairVotes(len(votes), sum(votes) / len(votes)) for pair, votes in shares.items()}


def _worse_by_score(scores: NDArray[np.float64]) -> Callable[[int], list[int]]:
    # A document without a score is incomparable: comparisons with NaN are false.
    return lambda place: np.flatnonzero(scores < scores[place]).tolist()


def _worse_by_order(state: Topic) -> Callable[[int], list[int]]:
    order = state.order
    labels = [order.label(place) for place in range(order.size)]
    members = {label: order.members(label) for label in bitset.members(order.labels)}
    below = {label: order.below(label) for label in members}
    return lambda place: sorted(
        worse for label in bitset.members(below[labels[place]]) for worse in members[label]
    )


def pair_lines(preferences: PreferenceSnapshot, *, inferred: bool) -> Iterator[str]:
    """Yield lines of JSON in chunks; ties are left out, as they have no better document."""
    names = [json.dumps(name, ensure_ascii=False) for name in preferences.ids]
    topic = json.dumps(preferences.topic)

    def line(better: int, worse: int, weight: float, votes: int) -> str:
        return (
            f'{{"topic": {topic}, "better": {names[better]}, "worse": {names[worse]}, '
            f'"weight": {round(weight, 6)}, "votes": {votes}, '
            f'"source": "{"judged" if votes else "inferred"}"}}\n'
        )

    yield "".join(
        line(first, second, judged.share, judged.votes)
        if judged.share > 0.5
        else line(second, first, 1 - judged.share, judged.votes)
        for (first, second), judged in sorted(preferences.judged.items())
        if judged.share != 0.5
    )
    weights = preferences.weights.tolist()
    for place in range(len(names)) if inferred else ():
        yield "".join(
            line(place, worse, weights[place] * weights[worse], 0)
            for worse in preferences.worse_than(place)
            if (min(place, worse), max(place, worse)) not in preferences.judged
        )
