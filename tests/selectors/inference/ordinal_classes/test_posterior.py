"""The posterior over classes: exact on trees, and its copies are independent."""

from itertools import product

import numpy as np
import pytest
from drawn_comparisons import fitted_posterior, sweep
from numpy.typing import NDArray

from nextpair.selectors.inference.numerics import Array32
from nextpair.selectors.inference.ordinal_classes import places
from nextpair.selectors.inference.ordinal_classes.posterior import ClassPosterior
from nextpair.selectors.inference.workers.crowd import CrowdModel, ResponseLikelihood

TREES = {
    "a chain": [(0, 1, 0), (1, 2, 1), (2, 3, 0)],
    "a star": [(1, 0, 2), (0, 2, 1), (3, 0, 0)],
    "a branch": [(0, 1, 1), (1, 2, 2), (3, 1, 0)],
}


class FixedCrowd(CrowdModel):
    """A crowd model that keeps its prior."""

    def update(
        self,
        workers: NDArray[np.intp],
        outcomes: NDArray[np.intp],
        relations: Array32,
        likelihood: ResponseLikelihood | None = None,
    ) -> None:
        """Do nothing."""


def of_tree(comparisons: list[tuple[int, int, int]]) -> ClassPosterior:
    posterior = ClassPosterior()
    posterior.crowd = FixedCrowd()
    worker = posterior.crowd.number("w")
    for first, second, outcome in comparisons:
        posterior.comparisons.append(first, second, outcome, worker)
    posterior.extend(4)
    posterior.create_class(1, 0)
    return posterior


def enumerated(
    posterior: ClassPosterior, comparisons: list[tuple[int, int, int]]
) -> NDArray[np.float64]:
    """Sum the probability of every assignment of places."""
    width = places.place_count(posterior.class_count)
    prior = np.exp(posterior._log_prior.T)
    relations = places.relations_by_place(np.eye(width))
    total = np.zeros((4, width))
    for assignment in product(range(width), repeat=4):
        probability = float(np.prod(prior[np.arange(4), assignment]))
        for first, second, outcome in comparisons:
            relation = relations[:, assignment[second], assignment[first]]
            probability *= float(relation @ posterior.crowd.confusion("w")[:, outcome])
        total[np.arange(4), assignment] += probability
    shares: NDArray[np.float64] = total / total.sum(axis=1, keepdims=True)
    return shares


@pytest.mark.parametrize("comparisons", TREES.values(), ids=TREES.keys())
def test_on_a_tree_the_posterior_is_exact(comparisons: list[tuple[int, int, int]]) -> None:
    posterior = of_tree(comparisons)
    for _ in range(40):
        posterior.pass_messages()
    np.testing.assert_allclose(
        posterior.probabilities, enumerated(posterior, comparisons), atol=1e-4
    )


def test_the_true_classes_have_more_log_evidence_than_one_class() -> None:
    grades = [0] * 20 + [1] * 20
    together = fitted_posterior(grades, 300, 0.1, seed=5)
    apart = together.copy()
    members = np.arange(40)
    apart.split_class(0, members, np.where(members >= 20, 0.99, 0.01))
    sweep(together, 10)
    sweep(apart, 10)
    assert apart.log_evidence() > together.log_evidence() + 20


def test_a_copy_is_independent() -> None:
    posterior = fitted_posterior([0] * 10 + [1] * 5, 60, 0.1, seed=6)
    before, count = posterior.probabilities.copy(), len(posterior.comparisons)
    copied = posterior.copy()
    copied.comparisons.append(0, 1, 0, copied.crowd.number("somebody else"))
    copied.extend(15)
    copied.create_class(3, 0)
    sweep(copied, 1)
    sweep(posterior.copy(), 2)
    np.testing.assert_array_equal(posterior.probabilities, before)
    assert (posterior.class_count, len(posterior.comparisons)) == (1, count)
    assert posterior.founders != copied.founders


def mirrored_posterior(grades: NDArray[np.intp]) -> ClassPosterior:
    """Return the mirror image of the true posterior: seven of ten workers seem to reverse."""
    rng, posterior = np.random.default_rng(8), ClassPosterior()
    for number in range(240):
        first, second = rng.choice(len(grades), size=2, replace=False).tolist()
        honest = 1 - int(np.sign(grades[first] - grades[second]))
        outcome = honest if number % 10 < 7 else 2 - honest
        posterior.comparisons.append(
            first, second, outcome, posterior.crowd.number(f"w{number % 10}")
        )
    posterior.extend(len(grades))
    probabilities = np.zeros((len(grades), 5))
    probabilities[np.arange(len(grades)), 1 + 2 * grades] = 1
    posterior.founders = [int(grades.argmin()), int(grades.argmax())]
    posterior._restart_from(probabilities.T.copy())
    for _ in range(6):
        posterior.update_prior()
        posterior.pass_messages()
    return posterior


def test_an_order_that_most_workers_would_have_to_reverse_is_mirrored() -> None:
    grades = np.array([0] * 12 + [1] * 12)
    posterior = mirrored_posterior(grades)
    np.testing.assert_array_equal(posterior.map_class, grades)
    assert posterior.reverse_order()
    for _ in range(6):
        posterior.update_prior()
        posterior.pass_messages()
    np.testing.assert_array_equal(posterior.map_class, 1 - grades)
    assert not posterior.reverse_order()
    reliabilities = {
        each.worker: each for each in posterior.crowd.reliabilities(posterior.comparisons.worker)
    }
    assert all(reliabilities[f"w{worker}"].right > 0.7 for worker in range(7))
    assert all(reliabilities[f"w{worker}"].right < 0.5 for worker in range(7, 10))
    assert all(reliabilities[f"w{worker}"].information > 0.3 for worker in range(7, 10))
