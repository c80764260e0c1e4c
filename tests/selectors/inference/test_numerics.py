"""Numerics against SciPy, and the precision they keep."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

from nextpair.selectors.inference.numerics import entropy, logit, logsumexp, softmax

LOGS = np.random.default_rng(0).normal(0, 50, (4, 6))


@pytest.mark.parametrize("axis", [0, 1])
def test_softmax_is_that_of_scipy_along_either_axis(axis: int) -> None:
    np.testing.assert_allclose(softmax(LOGS, axis), scipy.special.softmax(LOGS, axis=axis))


def test_softmax_keeps_single_precision() -> None:
    assert softmax(LOGS.astype(np.float32)).dtype == np.float32


def test_softmax_excludes_what_is_impossible() -> None:
    assert softmax(np.array([0.0, -np.inf])).tolist() == [1.0, 0.0]


def test_logsumexp_is_that_of_scipy() -> None:
    np.testing.assert_allclose(logsumexp(LOGS), scipy.special.logsumexp(LOGS, axis=0))


def test_entropy_is_that_of_scipy_and_finite_where_a_probability_is_0() -> None:
    distributions = np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    np.testing.assert_allclose(entropy(distributions), scipy.stats.entropy(distributions, axis=1))


def test_logit_is_that_of_scipy() -> None:
    probabilities = np.array([0.001, 0.5, 0.9])
    np.testing.assert_allclose(logit(probabilities), scipy.special.logit(probabilities), atol=1e-12)
