"""The posterior over scores, the outcome likelihood and the information table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.selectors.inference.gaussian_scores.acquisition import anticipate
from nextpair.selectors.inference.gaussian_scores.information_table import (
    LAPSE_RATE,
    InformationTable,
)
from nextpair.selectors.inference.gaussian_scores.posterior import ScorePosterior
from nextpair.selectors.inference.gaussian_scores.thurstone import outcome_likelihood

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
    posterior = ScorePosterior(np.zeros(6), covariance.diagonal(), covariance.copy())
    means, naive = np.zeros(6), covariance.copy()
    for first, further, slope, curvature in steps:
        second = (first + further) % 6
        direction = naive[first] - naive[second]
        curvature = min(curvature, 0.9 / (direction[first] - direction[second]))
        means, naive = means + direction * slope, naive - np.outer(direction, direction) * curvature
        posterior.update(first, second, slope, curvature)
    assert posterior.means == pytest.approx(means)
    assert posterior.variances == pytest.approx(naive.diagonal())
    spreads = naive.diagonal()[:, None] + naive.diagonal() - 2 * naive
    assert posterior.difference_variances(np.arange(6)) == pytest.approx(spreads, abs=1e-9)
    assert posterior.difference(4, 2)[1] == pytest.approx(spreads[4, 2])


def test_a_copy_is_independent() -> None:
    covariance = random_covariance(3)
    posterior = ScorePosterior(np.zeros(6), covariance.diagonal(), covariance)
    posterior.update(0, 1, 0.5, 0.01)
    before = posterior.means.copy(), posterior.difference_variances(np.arange(6))
    anticipated = anticipate(posterior, [(0, 2), (3, 4)], 0.0)
    assert anticipated.difference(0, 2)[1] < posterior.difference(0, 2)[1]
    assert anticipated.means == pytest.approx(posterior.means)
    assert posterior.means == pytest.approx(before[0])
    assert posterior.difference_variances(np.arange(6)) == pytest.approx(before[1])


def test_without_a_covariance_a_step_moves_two_documents() -> None:
    posterior = ScorePosterior(np.zeros(4), np.full(4, 2.0), None)
    posterior.update(1, 3, 0.5, 0.2)
    assert posterior.means.tolist() == [0, 1, 0, -1]
    assert posterior.variances == pytest.approx([2, 1.2, 2, 1.2])


@given(
    mean=st.floats(-4, 4),
    variance=st.floats(0, 9),
    margin=st.floats(0, 2),
    outcome=st.integers(0, 2),
)
@settings(max_examples=60)
def test_the_likelihood_and_its_derivatives_are_those_of_the_integral(
    mean: float, variance: float, margin: float, outcome: int
) -> None:
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    at = mean + np.sqrt(variance) * nodes
    at_nodes = outcome_likelihood(at, np.zeros(80), margin).probability[outcome]
    expected = at_nodes @ (weights / weights.sum())
    likelihood = outcome_likelihood(np.array([mean]), np.array([variance]), margin)
    assert likelihood.probability[outcome, 0] == pytest.approx(expected, abs=2e-4)
    near = outcome_likelihood(np.array([mean - 1e-4, mean + 1e-4]), np.full(2, variance), margin)
    ends = near.probability[outcome]
    assert likelihood.slope[outcome, 0] == pytest.approx((ends[1] - ends[0]) / 2e-4, abs=1e-5)
    slopes = near.slope[outcome]
    assert likelihood.curvature[outcome, 0] == pytest.approx(
        (slopes[1] - slopes[0]) / 2e-4, abs=1e-4
    )


def test_the_table_has_the_mutual_information() -> None:
    rng = np.random.default_rng(0)
    table = InformationTable(0.0, has_ties=False, ease=0.5)
    for mean, deviation in ((0.0, 1.0), (1.0, 2.0), (3.0, 0.5)):
        drawn = rng.normal(mean, deviation, 200_000)
        by_model = outcome_likelihood(drawn, np.zeros(1), 0.0).probability[0]
        better = (1 - LAPSE_RATE) * by_model + LAPSE_RATE / 2
        information = _entropy(np.array([better.mean()])) - _entropy(better).mean()
        from_table = table(np.array([mean]), np.array([deviation**2]))
        assert from_table[0] == pytest.approx(float(information[0]), rel=0.06, abs=2e-3)


def test_pairs_that_are_too_hard_have_little_information() -> None:
    plain, easy = InformationTable(0.0, False, 0.5), InformationTable(0.0, False, 0.8)
    close, apart = np.array([0.0]), np.array([2.0])
    little = np.array([0.04])
    assert easy(close, little)[0] < 0.01 * plain(close, little)[0]
    assert easy(apart, little)[0] == plain(apart, little)[0]


def _entropy(better: np.ndarray) -> np.ndarray:
    return np.asarray(-better * np.log(better) - (1 - better) * np.log(1 - better))
