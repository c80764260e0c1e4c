"""The posterior over the places of clusters, and the gain of pairs."""

import numpy as np
import pytest
from hypothesis import given
from strategies import Answer, consistent

from nextpair.selectors.inference.exact_classes.acquisition import (
    CERTAIN_TIE,
    bits_per_difference,
    candidate_pairs,
)
from nextpair.selectors.inference.exact_classes.class_chain import ClassChain
from nextpair.selectors.inference.exact_classes.cluster_posterior import (
    TIE_IN_GAP,
    compute_posterior,
    side_probabilities,
    tie_probabilities,
)
from nextpair.selectors.state.judgments import Comparison, Outcome
from nextpair.selectors.state.order import Order


def folded(size: int, answers: list[Answer]) -> tuple[Order, ClassChain]:
    order = Order(size)
    chain = ClassChain(order)
    for first, second, outcome in answers:
        chain.absorb(Comparison(first, second, outcome, ()), order.absorb(first, second, outcome))
    return order, chain


@given(consistent())
def test_the_posterior_excludes_what_the_order_excludes(drawn: tuple[int, list[Answer]]) -> None:
    size, answers = drawn
    order, chain = folded(size, answers)
    for likelihood in (None, np.zeros((size, 2 * len(chain) + 1))):
        posterior = compute_posterior(chain, likelihood, order)
        assert np.allclose(posterior.probabilities.sum(axis=1), 1)
        for row, label in enumerate(posterior.labels):
            cluster = chain.clusters.get(label)
            if cluster is not None:
                inside = posterior.probabilities[row, 2 * cluster.low : 2 * cluster.high + 1]
                assert inside.sum() == pytest.approx(1)


def test_clusters_of_one_kind_share_a_row() -> None:
    answers = [(0, 1, Outcome.TIE), (2, 0, Outcome.BETTER), (3, 2, Outcome.BETTER)]
    order, chain = folded(9, [*answers, (4, 0, Outcome.BETTER), (5, 1, Outcome.BETTER)])
    posterior = compute_posterior(chain, None, order)
    assert sorted(posterior.members(row) for row in range(len(posterior.labels))) == [
        0b110000,
        0b111000000,
    ]


def test_a_document_is_likeliest_where_most_are() -> None:
    order, chain = folded(8, [(0, 1, Outcome.TIE), (0, 2, Outcome.TIE), (3, 0, Outcome.BETTER)])
    (chances,) = compute_posterior(chain, None, order).probabilities
    assert chances.argmax() == 3
    assert chances[3] == pytest.approx(3 * chances[1])


def test_the_better_of_two_is_likelier_to_be_high() -> None:
    answers = [(0, 1, Outcome.BETTER), (2, 3, Outcome.BETTER)]
    order, chain = folded(5, answers)
    posterior = compute_posterior(chain, None, order)
    rows = {label: posterior.probabilities[row] for row, label in enumerate(posterior.labels)}
    assert np.all(np.cumsum(rows[2])[:-1] > np.cumsum(rows[3])[:-1])


def test_features_move_a_document_to_the_class_they_speak_for() -> None:
    order, chain = folded(4, [(0, 1, Outcome.BETTER)])
    likelihood = np.zeros((4, 5))
    likelihood[2, 1] = likelihood[3, 3] = 3.0
    posterior = compute_posterior(chain, likelihood, order)
    assert [
        posterior.probabilities[posterior.labels.index(label)].argmax() for label in (2, 3)
    ] == [
        1,
        3,
    ]


def test_the_three_answers_are_all_there_are() -> None:
    chances = np.random.default_rng(0).dirichlet(np.ones(7), size=5)
    above = chances @ side_probabilities(chances)[0].T
    assert np.allclose(above + above.T + tie_probabilities(chances, chances), 1)
    assert np.allclose(chances @ side_probabilities(chances)[1].T, above.T)
    gap = np.eye(7)[[2]]
    assert tie_probabilities(gap, gap)[0, 0] == TIE_IN_GAP


def test_a_certain_tie_has_the_highest_gain_and_a_certain_difference_none() -> None:
    tie = np.array([1.0, 0.9, 0.5, 0.0])
    found = bits_per_difference(tie, 1 - tie, np.zeros(4))
    assert found[0] == CERTAIN_TIE
    assert np.all(np.diff(found) < 0)
    assert found[-1] == 0


def test_rows_that_are_busy_are_not_offered() -> None:
    order, chain = folded(6, [(0, 1, Outcome.BETTER)])
    posterior = compute_posterior(chain, np.zeros((6, 5)), order)
    busy = posterior.rows_of([2, 3])
    offered = list(candidate_pairs(posterior).best_first(busy))
    sides_of = {row for row, _ in offered} | {each - 2 for _, each in offered if each >= 2}
    assert {posterior.labels[row] for row in sides_of} == {4, 5}
