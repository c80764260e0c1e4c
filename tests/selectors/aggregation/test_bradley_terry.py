"""Bradley-Terry against scikit-learn and choix, and with workers who do not mean it."""

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
    PairAnswers,
    compare,
    log_likelihood,
    rank,
)
from nextpair.selectors.aggregation.davidson import Comparisons, Davidson, log_posterior
from nextpair.selectors.errors import BadInput, BadOption, SelfComparison
from nextpair.selectors.ratings.match import Match

MIRRORED = np.array([WORSE, BETTER, TIE])


def crowd_answers(
    seed: int, *, size: int = 40, answers: int = 1600, random: int = 0, reversed_: int = 0
) -> tuple[NDArray[np.float64], PairAnswers]:
    """Draw scores and twenty workers' answers by Davidson's model, the first of them bad ones."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1.5, size)
    firsts = rng.integers(size, size=answers)
    seconds = (firsts + rng.integers(1, size, size=answers)) % size
    workers = rng.integers(20, size=answers)
    chances = Davidson(scores, -0.5).chances(firsts, seconds)
    said = (rng.random(answers)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
    said = np.where(workers < random, rng.integers(3, size=answers), said)
    turned = (workers >= random) & (workers < random + reversed_)
    said = np.where(turned, MIRRORED[said], said)
    return scores, compare(size, firsts, seconds, said, workers)


def wins(seed: int, size: int = 12, count: int = 60) -> NDArray[np.intp]:
    rng = np.random.default_rng(seed)
    firsts = rng.integers(size, size=count)
    return np.column_stack((firsts, (firsts + rng.integers(1, size, size=count)) % size))


@pytest.mark.parametrize("sd", [0.7, 2.0])
def test_without_ties_scores_are_those_of_choix(sd: float) -> None:
    pairs = wins(1)
    ours = rank(
        compare(12, pairs[:, 0], pairs[:, 1], np.zeros(60, dtype=int)),
        reliabilities=False,
        prior_sd=sd,
    )
    # choix subtracts alpha times the squared scores; a normal prior is that with 1 / (2 sd²).
    theirs = choix.opt_pairwise(12, pairs.tolist(), alpha=1 / (2 * sd**2), tol=1e-12)
    assert ours.scores == pytest.approx(theirs, abs=1e-5)
    assert ours.log_ties == -np.inf


def test_the_rating_is_scikit_learns_logistic_regression_with_shares_as_weights() -> None:
    rng, pairs = np.random.default_rng(3), wins(2)
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


def small(seed: int) -> Comparisons:
    pairs, rng = wins(seed, 6, 20), np.random.default_rng(seed)
    return Comparisons(6, pairs[:, 0], pairs[:, 1], *rng.random((3, 20)))


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_is_where_the_posterior_is_flat_and_curved_as_the_errors_say(seed: int) -> None:
    data = small(seed)
    model = davidson.fit_davidson(data, prior_sd=1.0)

    def at(values: NDArray[np.float64]) -> float:
        return log_posterior(data, Davidson(values[:-1], float(values[-1])), 1.0)

    top = np.append(model.scores, model.log_ties)
    assert approx_fprime(top, at, 1e-6) == pytest.approx(np.zeros(7), abs=1e-4)
    curve = np.array(
        [(approx_fprime(top + 1e-3 * e, at, 1e-6) - approx_fprime(top - 1e-3 * e, at, 1e-6)) / 2e-3
         for e in np.eye(7)]
    )  # fmt: skip
    errors = np.sqrt(np.diagonal(np.linalg.inv(-curve)))[:-1]
    assert davidson.standard_errors(data, model, 1.0) == pytest.approx(errors, rel=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_a_few_steps_lead_to_the_top_as_newtons_do(seed: int) -> None:
    data = small(seed)
    top = davidson.fit_davidson(data)
    near = davidson.fit_davidson(data, most_steps=4)
    assert near.scores == pytest.approx(top.scores, abs=1e-7)
    assert near.log_ties == pytest.approx(top.log_ties, abs=1e-7)


def test_errors_of_a_large_pool_are_the_same_solved_in_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs = wins(5, 300, 900)
    data = Comparisons(300, pairs[:, 0], pairs[:, 1], *np.random.default_rng(0).random((3, 900)))
    model = davidson.fit_davidson(data)
    whole = davidson.standard_errors(data, model)
    monkeypatch.setattr(davidson, "DENSE", 10)
    assert davidson.standard_errors(data, model) == pytest.approx(whole)


@pytest.mark.statistical
def test_errors_cover_the_truth_about_as_often_as_they_promise() -> None:
    off = [
        (found.scores - scores) / found.errors
        for scores, answers in (crowd_answers(seed) for seed in range(5))
        for found in [rank(answers, reliabilities=False, prior_sd=1.5)]
    ]
    # Two hundred values whose spread should be 1: half as many standard errors again on each side.
    assert 0.85 < np.concatenate(off).std() < 1.15


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_sides_order_and_names_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, drawn = crowd_answers(seed, size=8, answers=80, random=4)
    once = rank(drawn, tolerance=1e-6)
    order, names = rng.permutation(80), rng.permutation(8)
    turn = rng.random(80) < 0.5
    firsts = np.where(turn, drawn.seconds, drawn.firsts)[order]
    seconds = np.where(turn, drawn.firsts, drawn.seconds)[order]
    said = np.where(turn, MIRRORED[drawn.outcomes], drawn.outcomes)[order]
    again = rank(
        compare(8, names[firsts], names[seconds], said, drawn.workers[order]), tolerance=1e-6
    )
    assert again.scores[names] == pytest.approx(once.scores, abs=1e-3)
    assert again.ways == pytest.approx(once.ways, abs=1e-3)


@pytest.mark.statistical
def test_workers_are_told_apart() -> None:
    _, answers = crowd_answers(7, answers=4000, random=5, reversed_=3)
    by_model, opposite, at_random = rank(answers).ways.T
    assert at_random[:5].min() > at_random[5:].max()
    assert opposite[5:8].min() > 0.6 > 0.2 > opposite[8:].max()
    assert by_model[8:].min() > 0.6 > by_model[:8].max()
    reliability = rank(answers).reliabilities
    assert reliability[8:].min() > 0.5 > reliability[:5].max()
    assert reliability[5:8].max() < -0.3


@pytest.mark.statistical
def test_reliabilities_help_with_bad_workers_and_cost_nothing_without() -> None:
    def gained(random: int, reversed_: int) -> float:
        gains = []
        for seed in range(6):
            scores, answers = crowd_answers(seed, random=random, reversed_=reversed_)
            plain, crowd = rank(answers, reliabilities=False), rank(answers)
            gains.append(
                np.corrcoef(crowd.scores, scores)[0, 1] - np.corrcoef(plain.scores, scores)[0, 1]
            )
        return float(np.mean(gains))

    assert gained(6, 2) > 0.02
    assert gained(0, 0) > -0.005


def test_a_worker_without_answers_is_as_the_prior_says() -> None:
    ways = rank(compare(2, [0], [1], [BETTER], [3])).ways
    assert ways[0].tolist() == pytest.approx([0.8, 0.05, 0.15])
    assert ways[3] == pytest.approx(ways[0], abs=0.03)


def test_passes_lead_up_until_nothing_moves() -> None:
    _, answers = crowd_answers(11, answers=400, random=6)
    risen = [log_likelihood(answers, rank(answers, most_passes=n, tolerance=0)) for n in (1, 5, 40)]
    assert risen == sorted(risen)
    assert rank(answers).settled
    assert not rank(answers, most_passes=1).settled


def test_a_document_nobody_compared_has_the_priors_score_and_error() -> None:
    found = rank(compare(3, [0], [1], [TIE]), prior_sd=1.7)
    assert found.scores.tolist() == [0, 0, 0]
    assert found.errors[2] == pytest.approx(1.7)
    assert found.errors[0] < 1.7
    assert len(rank(compare(0, [], [], [])).scores) == 0


def test_answers_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(SelfComparison):
        compare(2, [1], [1], [0])
    with pytest.raises(BadInput, match="got 3"):
        compare(2, [0], [1], [3])
    with pytest.raises(BadInput, match="beyond 2 documents"):
        compare(2, [0], [2], [0])
    with pytest.raises(BadOption):
        rank(compare(2, [0], [1], [0]), prior_sd=0)
