"""Forecasts of selectors with a plan, and when a topic is finished."""

import numpy as np
import pytest

from nextpair.selectors.base import Idle, selector_names
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, unordered
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic

FORECASTING = {"elo-schedule", "groups", "information-gain", "placement"}
ANSWERS_NEEDED = {"information-gain": 25, "placement": 9}
"""Selectors that need more than one answer to a pair, and how many suffice."""


@pytest.mark.parametrize("votes", [1, 3])
@pytest.mark.parametrize("selector", ["elo-schedule", "groups"])
def test_a_plans_forecast_counts_down_to_nothing(selector: str, votes: int) -> None:
    topic = Topic([Document(f"d{place}") for place in range(9)], Settings(selector, votes=votes))
    rng = np.random.default_rng(1)
    number = 0
    while not topic.finished:
        forecast = topic.forecast()
        assert forecast is not None
        left = forecast.expected
        worker = f"w{number}"
        choice = topic.select(worker, (), rng)
        assert not isinstance(choice, Idle)
        first, second = (f"d{place}" for place in unordered(*choice))
        number += 1
        topic.absorb(Judgment(number, first, second, Outcome.BETTER, worker))
        after = topic.forecast()
        assert after is not None
        assert after.low == after.expected == after.high == left - 1
    assert topic.forecast() == topic.forecast()
    done = topic.forecast()
    assert done is not None
    assert done.expected == 0


@pytest.mark.parametrize("selector", sorted(set(selector_names()) - FORECASTING))
def test_other_selectors_have_no_forecast(selector: str) -> None:
    assert Topic([Document("a"), Document("b")], Settings(selector)).forecast() is None


@pytest.mark.parametrize("selector", selector_names())
def test_a_topic_is_finished_exactly_when_nothing_is_left_to_ask(selector: str) -> None:
    assert Topic([], Settings(selector)).finished
    assert Topic([Document("a")], Settings(selector)).finished
    topic = Topic([Document("a"), Document("b")], Settings(selector))
    assert not topic.finished
    number = 0
    # One answer is enough for selectors that take every answer as true.
    while not topic.finished and number < ANSWERS_NEEDED.get(selector, 1):
        number += 1
        topic.absorb(Judgment(number, "a", "b", Outcome.TIE, f"w{number}"))
    assert topic.finished
