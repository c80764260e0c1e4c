"""The schedule of Bashir et al.: which documents are matched."""

from collections import Counter
from itertools import combinations

import pytest

from nextpair.selectors.elo_schedule import EloSchedule, EloScheduleOptions
from nextpair.selectors.errors import NegativeCount
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Pair
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic


def schedule(priors: list[float | None], seed: int = 0) -> list[Pair]:
    documents = [Document(f"d{place}", prior=prior) for place, prior in enumerate(priors)]
    selector = Topic(documents, Settings("elo-schedule", seed=seed)).selector
    assert isinstance(selector, EloSchedule)
    return list(selector._pending)


def test_the_top_six_are_all_matched_and_every_other_document_with_five_above_it() -> None:
    size = 40
    pairs = schedule([float(size - place) for place in range(size)])
    assert set(combinations(range(6), 2)) <= set(pairs)
    assert len(pairs) == len(set(pairs)) == 15 + 5 * (size - 6)
    matches_above = Counter(second for _, second in pairs)
    assert all(matches_above[place] == 5 for place in range(6, size))


def test_documents_are_ranked_by_prior_and_those_without_one_come_last() -> None:
    pairs = schedule([None, *(float(place) for place in range(1, 9))])
    top = range(3, 9)
    assert {pair for pair in pairs if set(pair) <= set(top)} >= set(combinations(top, 2))
    assert sum(0 in pair for pair in pairs) == 5


def test_the_order_of_matches_is_random_but_repeatable() -> None:
    priors: list[float | None] = [float(-place) for place in range(20)]
    assert schedule(priors, seed=1) == schedule(priors, seed=1)
    assert schedule(priors, seed=1) != schedule(priors, seed=2)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(NegativeCount, match="-1"):
        EloScheduleOptions(top=-1)
