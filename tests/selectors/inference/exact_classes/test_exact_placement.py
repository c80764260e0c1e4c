"""The exact order, with few judgments."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import truth

from nextpair.selectors.base import Idle
from nextpair.selectors.inference.exact_classes.exact_placement import ExactPlacement
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, unordered
from nextpair.selectors.state.settings import Lease, Settings
from nextpair.selectors.state.topic_state import Topic, fold

SKEWED = (0.75, 0.15, 0.08, 0.02)


def certain(seed: int = 0) -> Settings:
    return Settings("placement", {"risk": 0.0}, seed=seed)


def draw(seed: int, size: int = 120) -> list[int]:
    found: list[int] = np.random.default_rng(seed).choice(4, size=size, p=SKEWED).tolist()
    return found


def described(of: Sequence[int], noise: float, columns: int = 6) -> list[Document]:
    """Make documents whose features are their grades with noise; a tenth is missing."""
    rng = np.random.default_rng(len(of))
    values = np.array(of)[:, None] / noise + rng.normal(size=(len(of), columns))
    values[rng.random(values.shape) < 0.1] = np.nan
    return [
        Document(f"d{place}", {f"f{n}": None if np.isnan(x) else x for n, x in enumerate(row)})
        for place, row in enumerate(values.tolist())
    ]


def bare(of: Sequence[int]) -> list[Document]:
    return [Document(f"d{place}") for place in range(len(of))]


def judged(
    documents: Sequence[Document], of: list[int], rules: Settings, at_once: int = 1
) -> Topic:
    """Let workers who do not err judge everything, the oldest question first."""
    topic = Topic(documents, rules)
    leases: list[Lease] = []
    asked = 0
    while True:
        choice = topic.select(f"w{asked}", leases, rules.question_rng(asked))
        if not isinstance(choice, Idle):
            leases.append(Lease(choice, f"w{asked}"))
            asked += 1
            if len(leases) < at_once:
                continue
        if not leases:
            assert choice is Idle.DONE
            return topic
        lease = leases.pop(0)
        first, second = (documents[place].id for place in lease.pair)
        outcome = truth(*lease.pair, of)
        topic.absorb(Judgment(len(topic.log), first, second, outcome, lease.worker))


def mean_cost(rules: str, of: list[list[int]]) -> float:
    options = {"risk": 0.0} if rules == "placement" else {}
    return float(
        np.mean(
            [
                len(judged(bare(each), each, Settings(rules, options, seed=seed)).log)
                for seed, each in enumerate(of)
            ]
        )
    )


@given(
    of=st.lists(st.integers(0, 30), max_size=25),
    noise=st.sampled_from([0.3, 1.0, 100.0]),
    at_once=st.sampled_from([1, 4]),
)
@settings(max_examples=40, deadline=None)
def test_the_order_is_exact_whatever_the_features_say(
    of: list[int], noise: float, at_once: int
) -> None:
    topic = judged(described(of, noise), of, certain(), at_once)
    for first in range(len(of)):
        for second in range(first):
            assert topic.order.relation(first, second) is truth(first, second, of)


@pytest.mark.statistical
def test_it_needs_fewer_judgments_than_merge_tie_random() -> None:
    topics = [draw(seed) for seed in range(5)]
    assert mean_cost("placement", topics) < 0.97 * mean_cost("merge-tie-random", topics)


@pytest.mark.statistical
def test_a_strict_order_costs_little_more_than_sorting_must() -> None:
    of = np.random.default_rng(0).permutation(64).tolist()
    least = float(np.log2(np.arange(1, 65)).sum())
    assert len(judged(bare(of), of, certain()).log) < 1.05 * least


@pytest.mark.statistical
def test_good_features_save_judgments_and_useless_ones_cost_next_to_none() -> None:
    topics = [draw(seed, 200) for seed in range(4)]
    plain = mean_cost("placement", topics)
    good, useless = (
        np.mean([len(judged(described(of, noise), of, certain()).log) for of in topics])
        for noise in (0.5, 1e9)
    )
    assert good < 0.92 * plain
    assert useless < 1.03 * plain


@pytest.mark.statistical
def test_many_at_once_cost_little_more_than_one() -> None:
    of = draw(3, 400)
    alone, crowded = (len(judged(bare(of), of, certain(), n).log) for n in (1, 32))
    assert crowded < 1.08 * alone


@pytest.mark.statistical
def test_what_remains_is_foreseen_about_as_well_as_is_said() -> None:
    held = []
    for seed in range(30):
        of = draw(seed, 80)
        log = judged(bare(of), of, certain(seed)).log
        for share in (0.25, 0.5, 0.75):
            done = int(share * len(log))
            selector = fold(bare(of), log[:done], certain(seed)).selector
            assert isinstance(selector, ExactPlacement)
            mean, spread = selector.expected_remaining()
            held.append(abs(len(log) - done - mean) <= 1.2816 * spread)
    assert 0.7 < np.mean(held) < 0.92


def test_what_remains_is_nothing_at_the_end_and_unsure_at_the_beginning() -> None:
    of = draw(0, 40)
    topic = Topic(bare(of), certain())
    assert isinstance(topic.selector, ExactPlacement)
    mean, spread = topic.selector.expected_remaining()
    assert mean > 39
    assert spread > 10
    end = judged(bare(of), of, certain()).selector
    assert isinstance(end, ExactPlacement)
    assert end.expected_remaining() == (0.0, 0.0)


@pytest.mark.parametrize("noise", [1.0, 1e9])
def test_asking_more_often_changes_no_later_choice(noise: float) -> None:
    of = draw(1, 60)
    documents = described(of, noise)
    log = judged(documents, of, certain()).log
    asked, quiet = Topic(documents, certain()), Topic(documents, certain())
    for number, judgment in enumerate(log):
        choice = asked.select("w", (), np.random.default_rng(number))
        if number % 10 == 0:
            assert quiet.select("w", (), np.random.default_rng(number)) == choice
            refolded = fold(documents, log[:number], certain())
            assert refolded.select("w", (), np.random.default_rng(number)) == choice
        asked.absorb(judgment)
        quiet.absorb(judgment)


def test_the_same_seed_asks_the_same_and_names_do_not_matter() -> None:
    of = draw(2, 50)
    logs = [judged(bare(of), of, certain()).log for _ in range(2)]
    assert logs[0] == logs[1]
    renamed = [Document(f"x{place}") for place in range(len(of))]
    pairs = [(entry.first[1:], entry.second[1:]) for entry in logs[0]]
    log = judged(renamed, of, certain()).log
    assert [(entry.first[1:], entry.second[1:]) for entry in log] == pairs


def test_the_first_forecast_is_between_all_tied_and_a_sorted_list_and_holds_what_comes() -> None:
    came, foretold = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        grades = rng.choice(4, size=40, p=[0.6, 0.2, 0.15, 0.05])
        documents = [Document(f"d{place}") for place in range(len(grades))]
        topic = Topic(documents, Settings("placement", {"risk": 0.0}, seed=seed))
        forecast = topic.forecast()
        assert forecast is not None
        assert 39 <= forecast.expected <= 40 * np.log2(40)
        foretold.append(forecast.expected)
        while not isinstance(pair := topic.select("w", (), topic.settings.question_rng(0)), Idle):
            first, second = unordered(*pair)
            better = int(np.sign(grades[first] - grades[second]))
            outcome = {1: Outcome.BETTER, 0: Outcome.TIE, -1: Outcome.WORSE}[better]
            topic.absorb(Judgment(len(topic), f"d{first}", f"d{second}", outcome, "w"))
        came.append(len(topic))
        assert forecast.low <= len(topic) <= forecast.high
    assert len(set(foretold)) == 1, "nothing is known of any of them yet"
    assert np.mean(came) / 2 < foretold[0] < np.mean(came) * 2
