"""The log evidence, against integrals over every score and every kind of worker."""

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from nextpair.selectors.inference.comparisons import Comparisons
from nextpair.selectors.inference.gaussian_scores.dense_propagation import dense_sweep
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import (
    ExpectationPropagation,
    ScoreData,
)
from nextpair.selectors.inference.gaussian_scores.log_evidence import log_evidence, log_overlap
from nextpair.selectors.inference.gaussian_scores.score_prior import ScorePrior
from nextpair.selectors.inference.workers.response_mixture import KINDS, ResponseMixture
from nextpair.selectors.state.documents import Document, Documents

SCALE = 1.5
HONEST, MIXED = np.array([1, 0, 0, 0, 0.0]) + 1e-12, np.array([0.5, 0.1, 0.1, 0.2, 0.1])
Rows = list[tuple[int, int, int, int]]
"""First document, second document, outcome and worker."""


def fitted(rows: Rows, size: int, kinds: np.ndarray) -> ExpectationPropagation:
    comparisons = Comparisons()
    for row in rows:
        comparisons.append(*row)
    documents = Documents([Document(f"d{place}") for place in range(size)])
    data = ScoreData(size, comparisons, ScorePrior(documents))
    gold = np.zeros((len(KINDS), int(comparisons.worker.max()) + 1))
    fit = ExpectationPropagation(data, ResponseMixture(comparisons.worker, gold, kinds), SCALE)
    fit.propagate()
    return fit


def integrated(rows: Rows, size: int, kinds: np.ndarray) -> float:
    """Sum over a grid of scores and all kinds of workers."""
    axis = np.linspace(-6, 6, 61) * SCALE
    weights = norm.pdf(axis, scale=SCALE)
    scores = np.meshgrid(*[axis] * size, indexing="ij")
    density = np.ones_like(scores[0])
    for each in np.meshgrid(*[weights / weights.sum()] * size, indexing="ij"):
        density = density * each
    workers = sorted({worker for *_, worker in rows})
    total = 0.0
    for combined in product(range(len(KINDS)), repeat=len(workers)):
        probability = density * np.prod(kinds[list(combined)])
        for first, second, outcome, worker in rows:
            right = ndtr((scores[first] - scores[second]) * (1 - outcome))
            by_model, by_reversal, at_random = KINDS[combined[workers.index(worker)]]
            probability = probability * (
                by_model * right + by_reversal * (1 - right) + at_random / 2
            )
        total += probability.sum()
    return float(np.log(total))


CHAIN: Rows = [(0, 1, 0, 0), (1, 2, 0, 1)]
CYCLE: Rows = [(0, 1, 0, 0), (1, 2, 0, 1), (2, 0, 2, 0), (0, 1, 2, 1), (0, 1, 0, 0)]


@pytest.mark.parametrize(("rows", "kinds"), [(CHAIN, MIXED), (CHAIN, HONEST), (CYCLE, HONEST)])
def test_evidence_is_the_integral_over_scores_and_kinds(rows: Rows, kinds: np.ndarray) -> None:
    fit = fitted(rows, 3, kinds)
    assert log_evidence(fit, dense_sweep(fit, 30)) == pytest.approx(
        integrated(rows, 3, kinds), abs=0.02
    )


@pytest.mark.parametrize("kinds", [HONEST, MIXED])
def test_without_cycles_factorised_sites_give_the_same_evidence(kinds: np.ndarray) -> None:
    fit = fitted(CHAIN, 3, kinds)
    fit.sweep(40)
    assert log_evidence(fit, None) == pytest.approx(integrated(CHAIN, 3, kinds), abs=0.02)


def test_agreeing_workers_are_better_explained_by_an_honest_crowd() -> None:
    agreeing: Rows = [(0, 1, 0, worker) for worker in range(8)]
    contradictory: Rows = [(0, 1, 2 * (worker % 2), worker) for worker in range(8)]
    honest, guessing = np.array([0.96, 0.01, 0.01, 0.01, 0.01]), np.array([0.1, 0, 0, 0.9, 0])
    guessing = guessing + 1e-12

    def gain(rows: Rows) -> float:
        fits = [fitted(rows, 2, kinds) for kinds in (honest, guessing)]
        of_honest, of_guessing = (log_evidence(fit, dense_sweep(fit, 30)) for fit in fits)
        return of_honest - of_guessing

    assert gain(agreeing) > 1
    assert gain(contradictory) < gain(agreeing) - 2


def test_the_overlap_of_a_density_and_a_site_is_their_integral() -> None:
    axis = np.linspace(-30, 30, 200_001)
    product_of_both = norm.pdf(axis, 0.7, np.sqrt(1.3)) * np.exp(0.4 * axis - 0.6 * axis**2 / 2)
    expected = np.log(product_of_both.sum() * (axis[1] - axis[0]))
    overlap = log_overlap(*(np.array([number]) for number in (0.7, 1.3, 0.6, 0.4)))
    assert overlap == pytest.approx(expected)
