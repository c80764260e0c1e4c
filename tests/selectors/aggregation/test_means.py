"""Means against SciPy's and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gmean

from nextpair.selectors.aggregation.means import (
    arithmetic_mean,
    combine,
    frequencies,
    geometric_mean,
    magnitude_scores,
    normalise_magnitudes,
    preference_frequencies,
)
from nextpair.selectors.errors import BadInput, BadOption

MAGNITUDES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.floats(0.01, 1e4)), min_size=1, max_size=30
)


def test_an_item_has_the_mean_of_its_own_values() -> None:
    means = arithmetic_mean([0, 2, 0], [10, 100, 20], 3)
    assert means[[0, 2]].tolist() == [15, 100]
    assert math.isnan(means[1])


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1e6)), min_size=1, max_size=20))
def test_geometric_means_are_scipys(values: list[tuple[int, float]]) -> None:
    found = geometric_mean([item for item, _ in values], [value for _, value in values], 4)
    for item in {item for item, _ in values}:
        own = [value for about, value in values if about == item]
        expected = 0.0 if 0 in own else gmean(own)
        assert found[item] == pytest.approx(expected, rel=1e-9)


@given(MAGNITUDES, st.floats(0.001, 1000))
def test_a_workers_own_scale_does_not_change_the_order_of_scores(
    given_numbers: list[tuple[int, int, float]], scale: float
) -> None:
    items, workers, values = (np.array(column) for column in zip(*given_numbers, strict=True))
    scaled = np.where(workers == 0, values * scale, values)
    before, after = (magnitude_scores(items, workers, x, 5) for x in (values, scaled))
    # The topic's own mean moves with the worker's scale, so all scores move by one factor.
    factor = after / before
    assert np.nanmax(factor) == pytest.approx(np.nanmin(factor))


def test_normalised_workers_have_the_topics_geometric_mean() -> None:
    values, workers = np.array([1.0, 4.0, 10.0, 1000.0]), np.array([0, 0, 1, 1])
    normal = normalise_magnitudes(workers, values)
    assert gmean(normal[:2]) == pytest.approx(gmean(values))
    assert gmean(normal[2:]) == pytest.approx(gmean(values))
    assert normal[1] / normal[0] == pytest.approx(4)


def test_a_worker_has_a_scale_of_their_own_on_each_topic() -> None:
    values, topics = [1.0, 9.0, 100.0, 400.0], [0, 0, 1, 1]
    assert normalise_magnitudes([0] * 4, values, topics).tolist() == pytest.approx(values)
    assert normalise_magnitudes([0] * 4, values).tolist() == pytest.approx(values)
    two = normalise_magnitudes([0, 1, 0, 1], values, topics)
    assert two.tolist() == pytest.approx([3, 3, 200, 200])


def test_a_magnitude_of_zero_is_refused() -> None:
    with pytest.raises(BadInput, match="magnitudes must not be below"):
        magnitude_scores([0], [0], [0.0], 1)


def test_scores_are_combined_by_their_geometric_mean() -> None:
    assert combine([[0.2, 1], [0.4, 0], [0.1, 1]]).tolist() == pytest.approx([0.2, 0])
    with pytest.raises(BadInput, match="differ in length"):
        combine([[0.2], [0.4, 0]])
    with pytest.raises(BadInput, match="at least one"):
        combine([])


def test_the_preferred_one_of_a_pair_counts_for_one_and_the_other_for_none() -> None:
    found = preference_frequencies([0, 0, 1], [1, 2, 2], [1, 1, 0], 4)
    assert found[:3].tolist() == [1, 0, 0.5]
    assert math.isnan(found[3])
    of_six = preference_frequencies([0, 0, 1], [1, 2, 2], [1, 1, 0], 4, times=6)
    assert of_six.tolist() == pytest.approx([2 / 6, 0, 1 / 6, 0])


def test_a_document_cannot_be_chosen_more_often_than_it_is_shown() -> None:
    assert frequencies([0, 0, 1], [1, 0, 1], 2).tolist() == [0.5, 1]
    with pytest.raises(BadOption, match="chosen 2 times, more than 1"):
        frequencies([0, 0], [1, 1], 1, times=1)
    with pytest.raises(BadInput, match="0 or 1"):
        frequencies([0], [2], 1)
    with pytest.raises(BadInput, match="beyond 1 documents"):
        frequencies([1], [1], 1)
