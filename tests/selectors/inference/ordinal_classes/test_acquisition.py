"""Asking: what an answer would teach, and which pair teaches most."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import xlogy

from nextpair.selectors.inference.ordinal_classes import places
from nextpair.selectors.inference.ordinal_classes.acquisition import (
    OPPONENTS,
    Mask,
    Situation,
    draw_opponents,
    entropy,
    information,
    lessons,
)
from nextpair.selectors.inference.ordinal_classes.places import Array

CONFUSION = np.array([[0.8, 0.14, 0.06], [0.1, 0.8, 0.1], [0.06, 0.14, 0.8]])


def mutual_information(first: Array, second: Array) -> float:
    """Add up over both places and all answers what an answer says of the two places."""
    width = len(first)
    relations = places.relations(np.eye(width))
    joint = np.array(
        [
            [
                first[one] * second[other] * (relations[:, other, one] @ CONFUSION)
                for other in range(width)
            ]
            for one in range(width)
        ]
    )
    answers = joint.sum(axis=(0, 1))
    # Two documents of one gap may be better, tied or worse: what is learned is which of these.
    noise = 0.0
    for one in range(width):
        for other in range(width):
            chances = relations[:, other, one]
            own = entropy(CONFUSION)
            noise += first[one] * second[other] * float(chances @ own)
    return float(entropy(answers) - noise)


@pytest.mark.parametrize("seed", range(5))
def test_information_is_what_adding_everything_up_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    beliefs = rng.dirichlet(np.full(7, 0.5), size=4)
    found = information(beliefs[:2], beliefs, lessons(CONFUSION, 7))
    expected = [[mutual_information(one, other) for other in beliefs] for one in beliefs[:2]]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_nothing_is_learned_of_places_that_are_known() -> None:
    known = np.eye(5)[[1, 3, 3]]
    np.testing.assert_allclose(information(known, known, lessons(CONFUSION, 5)), 0, atol=1e-9)


def test_where_the_rest_is_as_one_only_what_tells_the_best_from_it_is_learned() -> None:
    taught, rng = lessons(CONFUSION, 7), np.random.default_rng(1)
    ones, others = np.zeros((4, 7)), np.zeros((3, 7))
    # Of classes only: in a gap an answer also tells whether two are of the same new class.
    ones[:, 1::2], others[:, 1::2] = (rng.dirichlet(np.ones(3), count) for count in (4, 3))
    for start in (2, 4):
        told = information(ones, others, taught, start)
        for (row, column), gain in np.ndenumerate(told):
            joint = ones[row][:, None] * others[column] * taught[:3]
            for axis in (1, 2):
                joint = np.add.reduceat(joint, range(start + 1), axis=axis)
            by_chance = joint.sum(axis=(1, 2))[:, None, None] * joint.sum(axis=0)
            assert gain == pytest.approx((xlogy(joint, joint) - xlogy(joint, by_chance)).sum())
    np.testing.assert_array_less(information(ones, others, taught, 2), told)
    np.testing.assert_allclose(told, information(ones, others, taught))


def situation(
    beliefs: Array, firm: Mask, allowed: Callable[[int, int], bool] = lambda first, second: True
) -> Situation:
    nobody = np.zeros(len(beliefs), dtype=np.bool_)
    doubt = entropy(beliefs)
    opponents, chance = np.flatnonzero(firm), np.zeros(len(beliefs))
    taught = lessons(CONFUSION, beliefs.shape[1])
    width = beliefs.shape[1]
    return Situation(beliefs, taught, firm, nobody, opponents, doubt, width, allowed, chance)


DOUBTFUL = np.array([0.02, 0.46, 0.04, 0.46, 0.02])
UPPER, LOWER = np.eye(5)[1], np.eye(5)[3]


def test_a_doubtful_document_is_measured_by_a_firm_one() -> None:
    beliefs = np.array([UPPER, LOWER, DOUBTFUL, DOUBTFUL])
    firm = np.array([True, True, False, False])
    best = situation(beliefs, firm).best([2])
    assert best is not None
    assert best.pair[0] == 2
    assert best.pair[1] in (0, 1)


def test_a_pair_that_is_not_allowed_is_not_asked() -> None:
    beliefs = np.array([UPPER, LOWER, DOUBTFUL])
    firm = np.array([True, True, False])
    best = situation(beliefs, firm, lambda first, second: second != 0).best([2])
    assert best is not None
    assert best.pair == (2, 1)
    assert situation(beliefs, firm, lambda first, second: False).best([2]) is None


def test_the_least_certain_come_first() -> None:
    rather = np.array([0.0, 0.9, 0.0, 0.1, 0.0])
    beliefs = np.array([UPPER, rather, DOUBTFUL])
    firm = np.ones(3, dtype=np.bool_)
    assert situation(beliefs, firm).least_certain(firm) == [2, 1, 0]
    assert situation(beliefs, firm).least_certain(~firm) == []


def test_opponents_are_a_few_of_each_class_and_of_the_fresh() -> None:
    classes = np.repeat([0, 1, 2], [100, 3, 100])
    firm, fresh = classes < 2, classes == 2
    rng = np.random.default_rng(0)
    drawn = draw_opponents(firm, fresh, classes, rng)
    counts = np.bincount(classes[drawn])
    assert counts[1] == 3
    assert max(counts) <= OPPONENTS
    assert min(counts[[0, 2]]) > OPPONENTS // 2
    assert not np.array_equal(drawn, draw_opponents(firm, fresh, classes, rng))


def test_only_two_fresh_documents_are_measured_by_each_other() -> None:
    beliefs = np.array([UPPER, DOUBTFUL, DOUBTFUL, DOUBTFUL])
    fresh = np.array([False, True, True, False])
    asked = replace(situation(beliefs, np.array([True, False, False, False])), fresh=fresh)
    gains = asked.gains([1, 3], np.arange(4))
    assert (gains >= 0).tolist() == [[True, False, True, False], [True, False, False, False]]
