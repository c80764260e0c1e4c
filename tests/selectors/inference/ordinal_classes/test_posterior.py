"""Beliefs: exact where that can be checked, and free to go different ways."""

from itertools import product

import numpy as np
import pytest
from answering import believe, settle
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes import places
from nextpair.selectors.inference.ordinal_classes.factor_messages import Many
from nextpair.selectors.inference.ordinal_classes.posterior import Beliefs
from nextpair.selectors.inference.workers.crowd import Crowd, Weighed

TREES = {
    "a chain": [(0, 1, 0), (1, 2, 1), (2, 3, 0)],
    "a star": [(1, 0, 2), (0, 2, 1), (3, 0, 0)],
    "a branch": [(0, 1, 1), (1, 2, 2), (3, 1, 0)],
}


class Unlearning(Crowd):
    """Workers who are believed to be as they are at first."""

    def learn(
        self,
        workers: NDArray[np.intp],
        answers: NDArray[np.intp],
        related: Many,
        weighed: Weighed | None = None,
    ) -> None:
        """Learn nothing."""


def of_tree(answers: list[tuple[int, int, int]]) -> Beliefs:
    beliefs = Beliefs()
    beliefs.crowd = Unlearning()
    worker = beliefs.crowd.number("w")
    for first, second, said in answers:
        beliefs.answers.add(first, second, said, worker)
    beliefs.extend(4)
    beliefs.found(1, 0)
    return beliefs


def enumerated(beliefs: Beliefs, answers: list[tuple[int, int, int]]) -> NDArray[np.float64]:
    """Add up the chance of every way the documents may be placed."""
    width = places.place_count(beliefs.classes)
    prior = np.exp(beliefs._prior.T)
    relations = places.relations(np.eye(width))
    total = np.zeros((4, width))
    for placing in product(range(width), repeat=4):
        chance = float(np.prod(prior[np.arange(4), placing]))
        for first, second, said in answers:
            relation = relations[:, placing[second], placing[first]]
            chance *= float(relation @ beliefs.crowd.of("w")[:, said])
        total[np.arange(4), placing] += chance
    shares: NDArray[np.float64] = total / total.sum(axis=1, keepdims=True)
    return shares


@pytest.mark.parametrize("answers", TREES.values(), ids=TREES.keys())
def test_on_a_tree_beliefs_are_exact(answers: list[tuple[int, int, int]]) -> None:
    beliefs = of_tree(answers)
    for _ in range(40):
        beliefs.pass_messages()
    np.testing.assert_allclose(beliefs.beliefs, enumerated(beliefs, answers), atol=1e-4)


def test_the_true_classes_explain_answers_better_than_one_class() -> None:
    grades = [0] * 20 + [1] * 20
    together = believe(grades, 300, 0.1, seed=5)
    apart = together.twin()
    members = np.arange(40)
    apart.split(0, members, np.where(members >= 20, 0.99, 0.01))
    settle(together, 10)
    settle(apart, 10)
    assert apart.support() > together.support() + 20


def test_a_twin_goes_its_own_way() -> None:
    beliefs = believe([0] * 10 + [1] * 5, 60, 0.1, seed=6)
    before, answers = beliefs.beliefs.copy(), len(beliefs.answers)
    twin = beliefs.twin()
    twin.answers.add(0, 1, 0, twin.crowd.number("somebody else"))
    twin.extend(15)
    twin.found(3, 0)
    settle(twin, 1)
    settle(beliefs.twin(), 2)
    np.testing.assert_array_equal(beliefs.beliefs, before)
    assert (beliefs.classes, len(beliefs.answers)) == (1, answers)
    assert beliefs.founders != twin.founders


def upside_down(grades: NDArray[np.intp]) -> Beliefs:
    """Return beliefs that are the mirror image of the truth: seven of ten seem to reverse."""
    rng, beliefs = np.random.default_rng(8), Beliefs()
    for number in range(240):
        first, second = rng.choice(len(grades), size=2, replace=False).tolist()
        honest = 1 - int(np.sign(grades[first] - grades[second]))
        said = honest if number % 10 < 7 else 2 - honest
        beliefs.answers.add(first, second, said, beliefs.crowd.number(f"w{number % 10}"))
    beliefs.extend(len(grades))
    believed = np.zeros((len(grades), 5))
    believed[np.arange(len(grades)), 1 + 2 * grades] = 1
    beliefs.founders = [int(grades.argmin()), int(grades.argmax())]
    beliefs._start_from(believed.T.copy())
    for _ in range(6):
        beliefs.set_prior()
        beliefs.pass_messages()
    return beliefs


def test_an_order_that_most_workers_would_have_to_reverse_is_turned_over() -> None:
    grades = np.array([0] * 12 + [1] * 12)
    beliefs = upside_down(grades)
    np.testing.assert_array_equal(beliefs.likeliest, grades)
    assert beliefs.turn_over()
    for _ in range(6):
        beliefs.set_prior()
        beliefs.pass_messages()
    np.testing.assert_array_equal(beliefs.likeliest, 1 - grades)
    assert not beliefs.turn_over()
    told = {one.worker: one for one in beliefs.crowd.reliabilities(beliefs.answers.worker)}
    assert all(told[f"w{worker}"].right > 0.7 for worker in range(7))
    assert all(told[f"w{worker}"].right < 0.5 for worker in range(7, 10))
    assert all(told[f"w{worker}"].information > 0.3 for worker in range(7, 10))
