"""Two orders of the same documents, counted by hand and by the reference libraries."""

from itertools import combinations
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, mannwhitneyu, somersd

from nextpair.selectors.agreement.convergence import convergence
from nextpair.selectors.agreement.rank_correlation import (
    Concordance,
    auc,
    concordance,
    pairwise_agreement,
    tau_b,
)
from nextpair.selectors.errors import BadInput

SCORES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=20)
Scores = list[tuple[int, int]]


@given(SCORES)
def test_pairs_are_counted_as_by_hand(scores: Scores) -> None:
    signs = [(a - c) * (b - d) for (a, b), (c, d) in combinations(scores, 2)]
    counted = Concordance(
        sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs), signs.count(0)
    )
    first, second = zip(*scores, strict=True)
    assert concordance(first, second) == counted
    assert sum(counted.shares) == pytest.approx(1)


def test_counts_of_topics_add_up() -> None:
    both = concordance([1, 2], [1, 2]) + concordance([1, 2, 2], [2, 1, 0])
    assert both == Concordance(1, 2, 1)
    assert both.shares == (0.25, 0.5, 0.25)
    assert isnan(concordance([1], [1]).shares[0])


def test_pairwise_agreement_takes_the_coarser_scale_as_its_baseline() -> None:
    binary, fine = [0, 0, 1, 1], [10, 40, 30, 90]
    # The baseline orders four pairs, and three of them stand alike: 40 is above 30.
    assert pairwise_agreement(binary, fine) == 3 / 6
    assert pairwise_agreement(binary, fine, only_ordered=True) == 3 / 4
    # The other way round all six are ordered.
    assert pairwise_agreement(fine, binary, only_ordered=True) == 3 / 6


@given(SCORES)
def test_agreement_less_disagreement_among_what_the_baseline_orders_is_somers_d(
    scores: Scores,
) -> None:
    first, second = (np.array(column) for column in zip(*scores, strict=True))
    if len(set(first)) < 2 or len(set(second)) < 2:
        return
    gap = pairwise_agreement(first, second, only_ordered=True) - pairwise_agreement(
        first, -second, only_ordered=True
    )
    assert gap == pytest.approx(somersd(first, second).statistic)


@given(SCORES)
def test_tau_b_is_scipys_and_nan_where_nothing_is_ordered(scores: Scores) -> None:
    first, second = zip(*scores, strict=True)
    if len(set(first)) > 1 and len(set(second)) > 1:
        assert tau_b(first, second) == kendalltau(first, second).statistic
    assert isnan(tau_b([1] * len(first), second))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=20))
def test_auc_is_the_share_of_pairs_in_the_right_order(drawn: list[tuple[bool, int]]) -> None:
    relevant = [int(flag) for flag, _ in drawn]
    scores = np.array([score for _, score in drawn], dtype=float)
    yes, no = scores[np.array(relevant) == 1], scores[np.array(relevant) == 0]
    if not len(yes) or not len(no):
        assert isnan(auc(relevant, scores))
        return
    wins = mannwhitneyu(yes, no, method="asymptotic").statistic if len(set(scores)) > 1 else nan
    expected = wins / (len(yes) * len(no)) if len(set(scores)) > 1 else 0.5
    assert auc(relevant, scores) == pytest.approx(expected)


def test_a_ranking_converges_to_its_last_state() -> None:
    found = convergence([[0, 0, 0], [1, 3, 2], [1, 2, 3]])
    assert isnan(found[0])
    assert found[1:] == pytest.approx([1 / 3, 1])
    assert len(convergence([])) == 0


def test_scores_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(BadInput, match="differ in length"):
        concordance([1, 2], [1])
    with pytest.raises(BadInput, match="finite"):
        tau_b([1, nan], [1, 2])
    with pytest.raises(BadInput, match="0 or 1"):
        auc([0, 2], [1, 2])
