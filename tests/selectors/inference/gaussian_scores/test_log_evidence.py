"""How likely answers are together, against integrals over every score and every kind of worker."""

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from nextpair.selectors.inference.gaussian_scores.dense_propagation import polish
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import Data, Fit
from nextpair.selectors.inference.gaussian_scores.log_evidence import evidence, meeting
from nextpair.selectors.inference.gaussian_scores.score_prior import Expecting
from nextpair.selectors.inference.workers.response_mixture import KINDS, Crowd
from nextpair.selectors.state.documents import Document, Documents

SPREAD = 1.5
HONEST, MIXED = np.array([1, 0, 0, 0, 0.0]) + 1e-12, np.array([0.5, 0.1, 0.1, 0.2, 0.1])
Answers = list[tuple[int, int, int, int]]
"""First document, second document, what was said (0 for better, 2 for worse), and by whom."""


def fitted(answers: Answers, size: int, kinds: np.ndarray) -> Fit:
    firsts, seconds, said, workers = (np.array(column) for column in zip(*answers, strict=True))
    documents = Documents([Document(f"d{place}") for place in range(size)])
    data = Data(size, firsts, seconds, said, Expecting(documents))
    crowd = Crowd(workers, np.zeros((len(KINDS), int(workers.max()) + 1)), kinds)
    fit = Fit(data, crowd, SPREAD)
    fit.propagate()
    return fit


def integrated(answers: Answers, size: int, kinds: np.ndarray) -> float:
    """Add up over a grid of scores and all kinds that workers may be of."""
    axis = np.linspace(-6, 6, 61) * SPREAD
    weights = norm.pdf(axis, scale=SPREAD)
    scores = np.meshgrid(*[axis] * size, indexing="ij")
    density = np.ones_like(scores[0])
    for each in np.meshgrid(*[weights / weights.sum()] * size, indexing="ij"):
        density = density * each
    workers = sorted({worker for *_, worker in answers})
    total = 0.0
    for combined in product(range(len(KINDS)), repeat=len(workers)):
        chance = density * np.prod(kinds[list(combined)])
        for first, second, said, worker in answers:
            right = ndtr((scores[first] - scores[second]) * (1 - said))
            by_model, turned, drawn = KINDS[combined[workers.index(worker)]]
            chance = chance * (by_model * right + turned * (1 - right) + drawn / 2)
        total += chance.sum()
    return float(np.log(total))


CHAIN: Answers = [(0, 1, 0, 0), (1, 2, 0, 1)]
CIRCLE: Answers = [(0, 1, 0, 0), (1, 2, 0, 1), (2, 0, 2, 0), (0, 1, 2, 1), (0, 1, 0, 0)]


@pytest.mark.parametrize(("answers", "kinds"), [(CHAIN, MIXED), (CHAIN, HONEST), (CIRCLE, HONEST)])
def test_evidence_is_the_integral_over_scores_and_kinds(
    answers: Answers, kinds: np.ndarray
) -> None:
    fit = fitted(answers, 3, kinds)
    found = evidence(fit, polish(fit, 30))
    assert found == pytest.approx(integrated(answers, 3, kinds), abs=0.02)


@pytest.mark.parametrize("kinds", [HONEST, MIXED])
def test_without_circles_single_documents_have_the_same_evidence(kinds: np.ndarray) -> None:
    fit = fitted(CHAIN, 3, kinds)
    fit.sweep(40)
    assert evidence(fit, None) == pytest.approx(integrated(CHAIN, 3, kinds), abs=0.02)


def test_agreeing_workers_are_better_explained_by_an_honest_crowd() -> None:
    agreeing: Answers = [(0, 1, 0, worker) for worker in range(8)]
    torn: Answers = [(0, 1, 2 * (worker % 2), worker) for worker in range(8)]
    honest, guessing = np.array([0.96, 0.01, 0.01, 0.01, 0.01]), np.array([0.1, 0, 0, 0.9, 0])
    guessing = guessing + 1e-12

    def better(answers: Answers) -> float:
        fits = [fitted(answers, 2, kinds) for kinds in (honest, guessing)]
        one, other = (evidence(fit, polish(fit, 30)) for fit in fits)
        return one - other

    assert better(agreeing) > 1
    assert better(torn) < better(agreeing) - 2


def test_a_density_and_a_factor_meet_in_their_integral() -> None:
    axis = np.linspace(-30, 30, 200_001)
    product_of_both = norm.pdf(axis, 0.7, np.sqrt(1.3)) * np.exp(0.4 * axis - 0.6 * axis**2 / 2)
    expected = np.log(product_of_both.sum() * (axis[1] - axis[0]))
    found = meeting(*(np.array([number]) for number in (0.7, 1.3, 0.6, 0.4)))
    assert found == pytest.approx(expected)
