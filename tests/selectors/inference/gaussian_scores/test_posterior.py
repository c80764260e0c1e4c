"""Steps beside the covariance come to what changing the covariance would."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.selectors.inference.gaussian_scores.acquisition import expect
from nextpair.selectors.inference.gaussian_scores.information_table import LAPSE, Prices
from nextpair.selectors.inference.gaussian_scores.posterior import Beliefs
from nextpair.selectors.inference.gaussian_scores.thurstone import chances

STEPS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 5), st.floats(-1, 1), st.floats(0, 0.2)),
    max_size=20,
)


def random_covariance(seed: int, size: int = 6) -> np.ndarray:
    root = np.random.default_rng(seed).normal(size=(size, size))
    return root @ root.T + np.eye(size)


@given(seed=st.integers(0, 99), steps=STEPS)
@settings(max_examples=40)
def test_steps_are_those_of_the_whole_covariance(
    seed: int, steps: list[tuple[int, int, float, float]]
) -> None:
    covariance = random_covariance(seed)
    beliefs = Beliefs(np.zeros(6), covariance.diagonal(), covariance.copy())
    means, naive = np.zeros(6), covariance.copy()
    for first, further, slope, curve in steps:
        second = (first + further) % 6
        moved = naive[first] - naive[second]
        curve = min(curve, 0.9 / (moved[first] - moved[second]))
        means, naive = means + moved * slope, naive - np.outer(moved, moved) * curve
        beliefs.take(first, second, slope, curve)
    assert beliefs.means == pytest.approx(means)
    assert beliefs.variances == pytest.approx(naive.diagonal())
    spreads = naive.diagonal()[:, None] + naive.diagonal() - 2 * naive
    assert beliefs.spreads(np.arange(6)) == pytest.approx(spreads, abs=1e-9)
    assert beliefs.difference(4, 2)[1] == pytest.approx(spreads[4, 2])


def test_a_twin_goes_its_own_way() -> None:
    covariance = random_covariance(3)
    beliefs = Beliefs(np.zeros(6), covariance.diagonal(), covariance)
    beliefs.take(0, 1, 0.5, 0.01)
    before = beliefs.means.copy(), beliefs.spreads(np.arange(6))
    later = expect(beliefs, [(0, 2), (3, 4)], 0.0)
    assert later.difference(0, 2)[1] < beliefs.difference(0, 2)[1]
    assert later.means == pytest.approx(beliefs.means)
    assert beliefs.means == pytest.approx(before[0])
    assert beliefs.spreads(np.arange(6)) == pytest.approx(before[1])


def test_without_a_covariance_a_step_moves_two_documents() -> None:
    beliefs = Beliefs(np.zeros(4), np.full(4, 2.0), None)
    beliefs.take(1, 3, 0.5, 0.2)
    assert beliefs.means.tolist() == [0, 1, 0, -1]
    assert beliefs.variances == pytest.approx([2, 1.2, 2, 1.2])


@given(
    mean=st.floats(-4, 4),
    variance=st.floats(0, 9),
    margin=st.floats(0, 2),
    answer=st.integers(0, 2),
)
@settings(max_examples=60)
def test_chances_and_their_slopes_are_those_of_the_integral(
    mean: float, variance: float, margin: float, answer: int
) -> None:
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    at = mean + np.sqrt(variance) * nodes
    plain = chances(at, np.zeros(80), margin).chance[answer] @ (weights / weights.sum())
    found = chances(np.array([mean]), np.array([variance]), margin)
    assert found.chance[answer, 0] == pytest.approx(plain, abs=2e-4)
    near = chances(np.array([mean - 1e-4, mean + 1e-4]), np.full(2, variance), margin)
    ends = near.chance[answer]
    assert found.slope[answer, 0] == pytest.approx((ends[1] - ends[0]) / 2e-4, abs=1e-5)
    slopes = near.slope[answer]
    assert found.curve[answer, 0] == pytest.approx((slopes[1] - slopes[0]) / 2e-4, abs=1e-4)


def test_the_table_prices_a_pair_by_its_mutual_information() -> None:
    rng = np.random.default_rng(0)
    prices = Prices(0.0, ties=False, ease=0.5)
    for mean, deviation in ((0.0, 1.0), (1.0, 2.0), (3.0, 0.5)):
        drawn = rng.normal(mean, deviation, 200_000)
        better = (1 - LAPSE) * chances(drawn, np.zeros(1), 0.0).chance[0] + LAPSE / 2
        told = _entropy(np.array([better.mean()])) - _entropy(better).mean()
        priced = prices(np.array([mean]), np.array([deviation**2]))
        assert priced[0] == pytest.approx(float(told[0]), rel=0.06, abs=2e-3)


def test_pairs_that_are_too_hard_are_worth_little() -> None:
    plain, easy = Prices(0.0, False, 0.5), Prices(0.0, False, 0.8)
    close, apart = np.array([0.0]), np.array([2.0])
    little = np.array([0.04])
    assert easy(close, little)[0] < 0.01 * plain(close, little)[0]
    assert easy(apart, little)[0] == plain(apart, little)[0]


def _entropy(better: np.ndarray) -> np.ndarray:
    return np.asarray(-better * np.log(better) - (1 - better) * np.log(1 - better))
