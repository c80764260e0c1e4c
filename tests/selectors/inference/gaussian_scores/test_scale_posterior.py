"""Intervals hold what they say, however widely scores spread."""

import numpy as np
import pytest

from nextpair.selectors.inference.gaussian_scores import model_averaging
from nextpair.selectors.inference.gaussian_scores.scale_posterior import (
    ScoreMoments,
    mixture_moments,
)
from nextpair.selectors.information_gain import InformationGain
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, unordered
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import fold

SIZE = 60
DEVIATIONS = 1.6449
"""To either side of a difference: with a chance of 90 % it is within."""


def judged_at_random(seed: int, spread: float, per_document: int, guessing: int = 0) -> np.ndarray:
    """Let 20 workers, some of whom guess, judge random pairs, and return errors in deviations."""
    rng = np.random.default_rng([seed, 20])
    scores = rng.normal(0, spread, SIZE)
    log = []
    for number in range(per_document * SIZE):
        pair = unordered(*rng.choice(SIZE, 2, replace=False).tolist())
        worker = int(rng.integers(20))
        seen = rng.normal() + (scores[pair[0]] - scores[pair[1]] if worker >= guessing else 0.0)
        outcome = Outcome.BETTER if seen > 0 else Outcome.WORSE
        log.append(Judgment(number, f"d{pair[0]}", f"d{pair[1]}", outcome, f"w{worker}"))
    topic = fold(
        [Document(f"d{place}") for place in range(SIZE)], log, Settings("information-gain")
    )
    assert isinstance(topic.selector, InformationGain)
    found, apart = topic.scores(), np.triu_indices(SIZE, 1)
    errors = (found[:, None] - found) - (scores[:, None] - scores)
    return np.asarray(
        (np.abs(errors) / np.sqrt(topic.selector.difference_variances() + 1e-12))[apart]
    )


def covered(spread: float, per_document: int, guessing: int = 0) -> float:
    errors = [judged_at_random(seed, spread, per_document, guessing) for seed in range(8)]
    return float((np.concatenate(errors) <= DEVIATIONS).mean())


@pytest.mark.parametrize("per_document", [3, 8])
@pytest.mark.parametrize("spread", [1.0, 3.0])
@pytest.mark.statistical
def test_intervals_hold_the_true_differences(spread: float, per_document: int) -> None:
    assert 0.82 < covered(spread, per_document) < 0.98


@pytest.mark.statistical
def test_intervals_hold_though_some_guess() -> None:
    assert 0.82 < covered(2.0, 8, guessing=6) < 0.98


@pytest.mark.statistical
def test_intervals_hold_where_documents_are_too_many_for_dense_sweeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model_averaging, "MAX_DENSE_DOCUMENTS", 0)
    assert 0.8 < covered(3.0, 5) < 0.98


def test_mixture_moments_are_those_of_the_mixture() -> None:
    narrow, wide = np.array([[1.0, 0.5], [0.5, 2.0]]), np.array([[3.0, 0.0], [0.0, 1.0]])
    first = ScoreMoments(np.array([0.0, 1.0]), narrow.diagonal(), narrow)
    second = ScoreMoments(np.array([2.0, -1.0]), wide.diagonal(), wide)
    mixed = mixture_moments(np.array([0.75, 0.25]), [first, second])
    rng = np.random.default_rng(0)
    drawn = np.concatenate(
        [
            rng.multivariate_normal(first.means, narrow, 75_000),
            rng.multivariate_normal(second.means, wide, 25_000),
        ]
    )
    assert mixed.covariance is not None
    assert mixed.means == pytest.approx(drawn.mean(axis=0), abs=0.03)
    assert mixed.covariance == pytest.approx(np.cov(drawn.T), abs=0.06)
    assert mixed.variances == pytest.approx(mixed.covariance.diagonal())
