"""The active SVM against a general solver, one machine at a time."""

from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from nextpair.selectors.state import tie_svm

Array = NDArray[np.float64]


def draw_comparisons(count: int, seed: int) -> tuple[Array, NDArray[np.bool_], Array]:
    rng = np.random.default_rng(seed)
    known = rng.normal(size=(count, 4))
    ties = known[:, 0] + 0.3 * rng.normal(size=count) < 0
    ties[:2] = [True, False]
    return known, ties, rng.normal(size=(40, 4))


def test_machines_solved_together_are_those_solved_alone() -> None:
    known, ties, candidates = draw_comparisons(12, 3)
    labels = np.where(np.arange(len(candidates)) % 2, 1.0, -1.0)
    together = tie_svm._margins(known, ties, candidates, labels)
    alone = [
        tie_svm._margins(known, ties, candidate[None], label[None])[0]
        for candidate, label in zip(candidates, labels, strict=True)
    ]
    assert together.tolist() == pytest.approx(alone)


def dual(gram: Array, alpha: Array) -> tuple[float, Array]:
    """The dual objective, to be minimised, and its gradient."""
    return float(alpha @ gram @ alpha / 2 - alpha.sum()), gram @ alpha - 1


def test_the_margin_is_that_of_the_converged_machine() -> None:
    known, ties, candidates = draw_comparisons(20, 1)
    labels = np.where([*ties, True], 1.0, -1.0)
    found = tie_svm._margins(known, ties, candidates, np.ones(len(candidates)))
    limits = []
    for candidate in candidates:
        rows = np.column_stack([np.vstack([known, candidate]), np.ones(len(known) + 1)])
        gram = (rows @ rows.T) * np.outer(labels, labels) + tie_svm.RIDGE * np.eye(len(rows))
        objective = partial(dual, gram)
        bounds = [(0, None)] * len(rows)
        exact = minimize(objective, np.zeros(len(rows)), jac=True, bounds=bounds, tol=1e-14)
        limits.append(1 / np.sqrt(exact.x.sum()))
    off = np.abs(found / np.array(limits) - 1)
    assert np.median(off) < 0.01
    assert off.max() < 0.08


def test_the_most_ambiguous_candidate_lies_between_ties_and_differences() -> None:
    known = np.array([[-2.0], [-1.5], [1.5], [2.0]])
    ties = np.array([True, True, False, False])
    candidates = np.array([[-3.0], [-1.8], [0.02], [1.9], [3.0]])
    assert tie_svm.most_ambiguous(known, ties, candidates) == 2


def test_probabilities_are_higher_for_pairs_like_the_judged_ties() -> None:
    rng = np.random.default_rng(0)
    space = rng.normal(size=(40, 2))
    first, second = rng.integers(40, size=(2, 30))
    ties = np.abs(space[first, 0] - space[second, 0]) < 0.7
    found = tie_svm.tie_probabilities(space, first, second, ties)
    assert np.allclose(found, found.T)
    assert ((found > 0) & (found < 1)).all()
    near = np.abs(space[:, None, 0] - space[None, :, 0]) < 0.7
    assert found[near].mean() > found[~near].mean() + 0.1


@pytest.mark.parametrize("ties", [[True, True], [False, False]])
def test_comparisons_of_one_kind_give_equal_probabilities(ties: list[bool]) -> None:
    places = np.array([0, 1])
    found = tie_svm.tie_probabilities(np.zeros((3, 1)), places, places + 1, np.array(ties))
    assert (found == 1).all()


def test_principal_components_have_no_missing_values_and_a_fixed_sign() -> None:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(30, 6))
    features[rng.random((30, 6)) < 0.3] = np.nan
    space = tie_svm.principal_components(features)
    assert space.shape == (30, tie_svm.DIMENSIONS)
    assert np.isfinite(space).all()
    assert (space[np.abs(space).argmax(axis=0), range(space.shape[1])] > 0).all()
    assert space[:, 0].std() == pytest.approx(1)


def test_constant_and_always_missing_features_are_not_informative() -> None:
    features = np.column_stack([np.full(5, 3.0), np.full(5, np.nan)])
    assert not tie_svm.principal_components(features).any()
    assert (tie_svm.rbf_similarity(tie_svm.principal_components(features)) == 1).all()


def test_documents_are_most_similar_to_themselves() -> None:
    space = np.random.default_rng(0).normal(size=(9, 3))
    alike = tie_svm.rbf_similarity(space)
    assert np.allclose(np.diag(alike), 1)
    assert np.array_equal(alike, alike.T)
    assert alike.min() > 0
