"""Bradley-Terry against scikit-learn and choix, and with unreliable workers."""

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from nextpair.selectors import ratings
from nextpair.selectors.aggregation import davidson
from nextpair.selectors.aggregation.bradley_terry import (
    BETTER,
    TIE,
    WORSE,
    PairResponses,
    collect_pair_responses,
    fit_bradley_terry,
    log_likelihood,
)
from nextpair.selectors.aggregation.davidson import (
    DavidsonModel,
    WeightedComparisons,
    log_posterior,
)
from nextpair.selectors.errors import BadInput, BadOption, SelfComparison
from nextpair.selectors.ratings.match import Match

COLUMNS = np.array([BETTER, WORSE, TIE])
"""The outcome code of each column of Davidson's probabilities."""


def draw_responses(
    seed: int, *, size: int = 40, count: int = 1600, random: int = 0, reversed_: int = 0
) -> tuple[NDArray[np.float64], PairResponses]:
    """Draw scores and the responses of twenty workers, first random ones, then reversing ones."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1.5, size)
    firsts = rng.integers(size, size=count)
    seconds = (firsts + rng.integers(1, size, size=count)) % size
    workers = rng.integers(20, size=count)
    probabilities = DavidsonModel(scores, -0.5).probabilities(firsts, seconds)
    outcomes = (rng.random(count)[:, None] > probabilities.cumsum(axis=1)).sum(axis=1)
    outcomes = np.where(workers < random, rng.integers(3, size=count), outcomes)
    reverses = (workers >= random) & (workers < random + reversed_)
    outcomes = COLUMNS[outcomes]
    outcomes = np.where(reverses, 2 - outcomes, outcomes)
    return scores, collect_pair_responses(size, firsts, seconds, outcomes, workers)


def draw_wins(seed: int, size: int = 12, count: int = 60) -> NDArray[np.intp]:
    rng = np.random.default_rng(seed)
    firsts = rng.integers(size, size=count)
    return np.column_stack((firsts, (firsts + rng.integers(1, size, size=count)) % size))


@pytest.mark.parametrize("sd", [0.7, 2.0])
def test_without_ties_scores_are_those_of_choix(sd: float) -> None:
    pairs = draw_wins(1)
    ours = fit_bradley_terry(
        collect_pair_responses(12, pairs[:, 0], pairs[:, 1], np.zeros(60, dtype=int)),
        reliabilities=False,
        prior_sd=sd,
    )
    # choix subtracts alpha times the squared scores; a normal prior is that with 1 / (2 sd²).
    theirs = choix.opt_pairwise(12, pairs.tolist(), alpha=1 / (2 * sd**2), tol=1e-12)
    assert ours.scores == pytest.approx(theirs, abs=1e-5)
    assert ours.log_ties == -np.inf


def test_the_rating_is_scikit_learns_logistic_regression_with_shares_as_weights() -> None:
    rng, pairs = np.random.default_rng(3), draw_wins(2)
    shares = rng.choice([0.0, 0.25, 0.5, 1.0], 60)
    design = np.zeros((60, 12))
    design[np.arange(60), pairs[:, 0]], design[np.arange(60), pairs[:, 1]] = 1, -1
    fit = LogisticRegression(
        C=davidson.PRIOR_SD**2, fit_intercept=False, tol=1e-10, max_iter=10_000
    )
    fit.fit(
        np.vstack((design, design)),
        np.repeat([1, 0], 60),
        sample_weight=np.concatenate((shares, 1 - shares)),
    )
    matches = [Match(int(a), int(b), float(s)) for (a, b), s in zip(pairs, shares, strict=True)]
    assert ratings.rate("bradley-terry", 12, matches) == pytest.approx(fit.coef_[0], abs=1e-4)


def draw_comparisons(seed: int) -> WeightedComparisons:
    pairs, rng = draw_wins(seed, 6, 20), np.random.default_rng(seed)
    return WeightedComparisons(6, pairs[:, 0], pairs[:, 1], *rng.random((3, 20)))


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_is_the_mode_and_the_errors_are_those_of_its_hessian(seed: int) -> None:
    data = draw_comparisons(seed)
    model = davidson.fit_davidson(data, prior_sd=1.0)

    def at(values: NDArray[np.float64]) -> float:
        return log_posterior(data, DavidsonModel(values[:-1], float(values[-1])), 1.0)

    mode = np.append(model.scores, model.log_ties)
    assert approx_fprime(mode, at, 1e-6) == pytest.approx(np.zeros(7), abs=1e-4)
    curve = np.array(
        [(approx_fprime(mode + 1e-3*e, at, 1e-6) - approx_fprime(mode - 1e-3*e, at, 1e-6)) / 2e-3
         for e in np.eye(7)]
    )  # fmt: skip
    errors = np.sqrt(np.diagonal(np.linalg.inv(-curve)))[:-1]
    assert davidson.standard_errors(data, model, 1.0) == pytest.approx(errors, rel=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_a_few_newton_steps_reach_the_mode(seed: int) -> None:
    data = draw_comparisons(seed)
    mode = davidson.fit_davidson(data)
    near = davidson.fit_davidson(data, max_steps=4)
    assert near.scores == pytest.approx(mode.scores, abs=1e-7)
    assert near.log_ties == pytest.approx(mode.log_ties, abs=1e-7)


def test_errors_of_a_large_pool_are_the_same_solved_in_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs = draw_wins(5, 300, 900)
    data = WeightedComparisons(
        300, pairs[:, 0], pairs[:, 1], *np.random.default_rng(0).random((3, 900))
    )
    model = davidson.fit_davidson(data)
    whole = davidson.standard_errors(data, model)
    monkeypatch.setattr(davidson, "DENSE_LIMIT", 10)
    assert davidson.standard_errors(data, model) == pytest.approx(whole)


@pytest.mark.statistical
def test_standard_errors_are_calibrated() -> None:
    off = [
        (fit.scores - scores) / fit.standard_errors
        for scores, responses in (draw_responses(seed) for seed in range(5))
        for fit in [fit_bradley_terry(responses, reliabilities=False, prior_sd=1.5)]
    ]
    # Two hundred values whose spread should be 1: half as many standard errors again on each side.
    assert 0.85 < np.concatenate(off).std() < 1.15


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_sides_order_and_names_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, drawn = draw_responses(seed, size=8, count=80, random=4)
    once = fit_bradley_terry(drawn, tolerance=1e-6)
    order, names = rng.permutation(80), rng.permutation(8)
    turn = rng.random(80) < 0.5
    firsts = np.where(turn, drawn.seconds, drawn.firsts)[order]
    seconds = np.where(turn, drawn.firsts, drawn.seconds)[order]
    outcomes = np.where(turn, 2 - drawn.outcomes, drawn.outcomes)[order]
    again = fit_bradley_terry(
        collect_pair_responses(8, names[firsts], names[seconds], outcomes, drawn.workers[order]),
        tolerance=1e-6,
    )
    assert again.scores[names] == pytest.approx(once.scores, abs=1e-3)
    assert again.mixture == pytest.approx(once.mixture, abs=1e-3)


@pytest.mark.statistical
def test_random_and_reversing_workers_are_identified() -> None:
    _, responses = draw_responses(7, count=4000, random=5, reversed_=3)
    by_model, opposite, at_random = fit_bradley_terry(responses).mixture.T
    assert at_random[:5].min() > at_random[5:].max()
    assert opposite[5:8].min() > 0.6 > 0.2 > opposite[8:].max()
    assert by_model[8:].min() > 0.6 > by_model[:8].max()
    reliability = fit_bradley_terry(responses).reliabilities
    assert reliability[8:].min() > 0.5 > reliability[:5].max()
    assert reliability[5:8].max() < -0.3


@pytest.mark.statistical
def test_reliabilities_help_with_bad_workers_and_cost_nothing_without() -> None:
    def gained(random: int, reversed_: int) -> float:
        gains = []
        for seed in range(6):
            scores, responses = draw_responses(seed, random=random, reversed_=reversed_)
            plain, crowd = (
                fit_bradley_terry(responses, reliabilities=False),
                fit_bradley_terry(responses),
            )
            gains.append(
                np.corrcoef(crowd.scores, scores)[0, 1] - np.corrcoef(plain.scores, scores)[0, 1]
            )
        return float(np.mean(gains))

    assert gained(6, 2) > 0.02
    assert gained(0, 0) > -0.005


def test_a_worker_without_responses_has_the_mixture_of_the_prior() -> None:
    ways = fit_bradley_terry(collect_pair_responses(2, [0], [1], [BETTER], [3])).mixture
    assert ways[0].tolist() == pytest.approx([0.8, 0.05, 0.15])
    assert ways[3] == pytest.approx(ways[0], abs=0.03)


def test_iterations_raise_the_likelihood_until_convergence() -> None:
    _, responses = draw_responses(11, count=400, random=6)
    risen = [
        log_likelihood(responses, fit_bradley_terry(responses, max_iterations=n, tolerance=0))
        for n in (1, 5, 40)
    ]
    assert risen == sorted(risen)
    assert fit_bradley_terry(responses).converged
    assert not fit_bradley_terry(responses, max_iterations=1).converged


def test_a_document_nobody_compared_has_the_priors_score_and_error() -> None:
    fit = fit_bradley_terry(collect_pair_responses(3, [0], [1], [TIE]), prior_sd=1.7)
    assert fit.scores.tolist() == [0, 0, 0]
    assert fit.standard_errors[2] == pytest.approx(1.7)
    assert fit.standard_errors[0] < 1.7
    assert len(fit_bradley_terry(collect_pair_responses(0, [], [], [])).scores) == 0


def test_invalid_responses_are_refused() -> None:
    with pytest.raises(SelfComparison):
        collect_pair_responses(2, [1], [1], [0])
    with pytest.raises(BadInput, match="got 3"):
        collect_pair_responses(2, [0], [1], [3])
    with pytest.raises(BadInput, match="beyond 2 documents"):
        collect_pair_responses(2, [0], [2], [0])
    with pytest.raises(BadOption):
        fit_bradley_terry(collect_pair_responses(2, [0], [1], [0]), prior_sd=0)
