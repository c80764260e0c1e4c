"""Acquisition: the information of answers, and the most informative pair."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import xlogy

from nextpair.selectors.inference.numerics import Array, Mask, entropy
from nextpair.selectors.inference.ordinal_classes import places
from nextpair.selectors.inference.ordinal_classes.acquisition import (
    OPPONENTS_PER_GROUP,
    ClassAcquisition,
    draw_opponents,
    mutual_information,
    outcome_likelihood,
)

CONFUSION = np.array([[0.8, 0.14, 0.06], [0.1, 0.8, 0.1], [0.06, 0.14, 0.8]])


def enumerated_information(first: Array, second: Array) -> float:
    """Sum the mutual information over both places and all outcomes."""
    width = len(first)
    relations = places.relations_by_place(np.eye(width))
    joint = np.array(
        [
            [
                first[place] * second[other] * (relations[:, other, place] @ CONFUSION)
                for other in range(width)
            ]
            for place in range(width)
        ]
    )
    outcomes = joint.sum(axis=(0, 1))
    # Two documents in one gap may be better, tied or worse: the answer is informative about that.
    noise = 0.0
    for place in range(width):
        for other in range(width):
            expected = relations[:, other, place] @ entropy(CONFUSION)
            noise += first[place] * second[other] * float(expected)
    return float(entropy(outcomes) - noise)


@pytest.mark.parametrize("seed", range(5))
def test_information_is_that_of_the_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet(np.full(7, 0.5), size=4)
    found = mutual_information(posterior[:2], posterior, outcome_likelihood(CONFUSION, 7))
    expected = [
        [enumerated_information(first, second) for second in posterior] for first in posterior[:2]
    ]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_there_is_no_information_about_places_that_are_known() -> None:
    known = np.eye(5)[[1, 3, 3]]
    np.testing.assert_allclose(
        mutual_information(known, known, outcome_likelihood(CONFUSION, 5)), 0, atol=1e-9
    )


def test_below_the_relevant_places_only_what_tells_them_from_the_rest_is_informative() -> None:
    likelihood, rng = outcome_likelihood(CONFUSION, 7), np.random.default_rng(1)
    first, second = np.zeros((4, 7)), np.zeros((3, 7))
    # In classes only: in a gap an answer also tells whether two are of the same new class.
    first[:, 1::2], second[:, 1::2] = (rng.dirichlet(np.ones(3), count) for count in (4, 3))
    for start in (2, 4):
        partial = mutual_information(first, second, likelihood, start)
        for (row, column), gain in np.ndenumerate(partial):
            joint = first[row][:, None] * second[column] * likelihood[:3]
            for axis in (1, 2):
                joint = np.add.reduceat(joint, range(start + 1), axis=axis)
            independent = joint.sum(axis=(1, 2))[:, None, None] * joint.sum(axis=0)
            assert gain == pytest.approx((xlogy(joint, joint) - xlogy(joint, independent)).sum())
    np.testing.assert_array_less(mutual_information(first, second, likelihood, 2), partial)
    np.testing.assert_allclose(partial, mutual_information(first, second, likelihood))


def acquisition(
    posterior: Array,
    reference: Mask,
    is_allowed: Callable[[int, int], bool] = lambda first, second: True,
) -> ClassAcquisition:
    nothing = np.zeros(len(posterior), dtype=np.bool_)
    uncertainty = entropy(posterior)
    opponents, jitter = np.flatnonzero(reference), np.zeros(len(posterior))
    likelihood = outcome_likelihood(CONFUSION, posterior.shape[1])
    width = posterior.shape[1]
    return ClassAcquisition(
        posterior, likelihood, reference, nothing, opponents, uncertainty, width, is_allowed, jitter
    )


UNCERTAIN = np.array([0.02, 0.46, 0.04, 0.46, 0.02])
UPPER, LOWER = np.eye(5)[1], np.eye(5)[3]


def test_an_uncertain_document_is_compared_with_a_reference() -> None:
    posterior = np.array([UPPER, LOWER, UNCERTAIN, UNCERTAIN])
    reference = np.array([True, True, False, False])
    best = acquisition(posterior, reference).best_pair([2])
    assert best is not None
    assert best.pair[0] == 2
    assert best.pair[1] in (0, 1)


def test_a_pair_that_is_not_allowed_is_not_asked() -> None:
    posterior = np.array([UPPER, LOWER, UNCERTAIN])
    reference = np.array([True, True, False])
    best = acquisition(posterior, reference, lambda first, second: second != 0).best_pair([2])
    assert best is not None
    assert best.pair == (2, 1)
    assert acquisition(posterior, reference, lambda first, second: False).best_pair([2]) is None


def test_the_most_uncertain_come_first() -> None:
    rather = np.array([0.0, 0.9, 0.0, 0.1, 0.0])
    posterior = np.array([UPPER, rather, UNCERTAIN])
    reference = np.ones(3, dtype=np.bool_)
    assert acquisition(posterior, reference).most_uncertain(reference) == [2, 1, 0]
    assert acquisition(posterior, reference).most_uncertain(~reference) == []


def test_opponents_are_a_few_of_each_class_and_of_the_unjudged() -> None:
    classes = np.repeat([0, 1, 2], [100, 3, 100])
    reference, unjudged = classes < 2, classes == 2
    rng = np.random.default_rng(0)
    drawn = draw_opponents(reference, unjudged, classes, rng)
    counts = np.bincount(classes[drawn])
    assert counts[1] == 3
    assert max(counts) <= OPPONENTS_PER_GROUP
    assert min(counts[[0, 2]]) > OPPONENTS_PER_GROUP // 2
    assert not np.array_equal(drawn, draw_opponents(reference, unjudged, classes, rng))


def test_only_two_unjudged_documents_are_compared_with_each_other() -> None:
    posterior = np.array([UPPER, UNCERTAIN, UNCERTAIN, UNCERTAIN])
    unjudged = np.array([False, True, True, False])
    acquired = replace(
        acquisition(posterior, np.array([True, False, False, False])), unjudged=unjudged
    )
    gains = acquired.gains([1, 3], np.arange(4))
    assert (gains >= 0).tolist() == [[True, False, True, False], [True, False, False, False]]
