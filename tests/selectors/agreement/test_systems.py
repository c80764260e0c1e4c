"""Measures against ir-measures' numbers, and systems distinguished as SciPy's t-test does."""

from itertools import combinations

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from nextpair.selectors.agreement.systems import (
    Discrimination,
    compare_systems,
    evaluate,
    ndcg,
    p_values,
    rbp,
    scale,
)
from nextpair.selectors.errors import BadInput, BadOption

DOCUMENTS = [f"d{place}" for place in range(11)]


@pytest.mark.parametrize(
    ("persistence", "theirs"),
    [(0.5, 0.58642578125), (0.8, 0.44183963647999985), (0.9, 0.31996094400999997)],
)
def test_rbp_is_that_of_ir_measures(persistence: float, theirs: float) -> None:
    # RBP(rel=1, p=...) of ir-measures 0.4.3 with cwl-eval 1.0.12, of this very ranking.
    gains = {document: float(flag) for document, flag in zip(DOCUMENTS, "10010110001", strict=True)}
    assert rbp(DOCUMENTS, gains, persistence) == pytest.approx(theirs)


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=25))
def test_ndcg_is_that_of_ir_measures(grades: list[int]) -> None:
    documents = [f"d{place:02}" for place in range(len(grades))]
    comparison = [*documents[::2], "unjudged", *documents[1::4]]
    run = [
        ir_measures.ScoredDoc("q", document, -float(place))
        for place, document in enumerate(comparison)
    ]
    qrels = [
        ir_measures.Qrel("q", document, grade)
        for document, grade in zip(documents, grades, strict=True)
    ]
    (theirs,) = ir_measures.iter_calc([ir_measures.nDCG @ 10], qrels, run)
    gains = {document: float(grade) for document, grade in zip(documents, grades, strict=True)}
    assert ndcg(comparison, gains) == pytest.approx(theirs.value)


def test_gains_may_be_any_numbers_up_to_one() -> None:
    gains = {"a": 0.25, "b": 1.0, "c": 0.5}
    assert rbp(["b", "x", "a"], gains, 0.5) == pytest.approx(0.5 * (1 + 0.25 * 0.25))
    best = 1 + 0.5 / np.log2(3) + 0.25 / 2
    assert ndcg(["a", "b"], gains) == pytest.approx((0.25 + 1 / np.log2(3)) / best)
    assert ndcg(["a"], {"a": 0.0}) == 0
    with pytest.raises(BadInput, match="at most 1, got 2"):
        rbp(["a"], {"a": 2.0})
    assert scale({"t": {"a": 4.0, "b": -2.0}, "u": {"c": 1.0}}) == {
        "t": {"a": 1.0, "b": 0.0},
        "u": {"c": 0.25},
    }
    assert scale({"t": {"a": 0.0}}) == {"t": {"a": 0.0}}


def test_systems_are_measured_topic_by_topic_and_a_missing_ranking_gets_nothing() -> None:
    qrels = {"t": {"a": 1.0}, "u": {"b": 1.0}}
    table = evaluate({"one": {"t": ["a"], "u": ["x", "b"]}, "two": {"u": ["b"]}}, qrels, rbp)
    assert table == pytest.approx(np.array([[0.1, 0.09], [0.0, 0.1]]))


def test_p_values_are_scipys() -> None:
    table = np.random.default_rng(0).random((6, 9))
    theirs = [ttest_rel(table[i], table[j]).pvalue for i, j in combinations(range(6), 2)]
    assert p_values(table) == pytest.approx(theirs)


def test_systems_that_never_differ_are_not_told_apart_and_those_that_always_do_are() -> None:
    row = np.linspace(0.1, 0.9, 5)
    assert p_values(np.array([row, row, row + 0.1])).tolist() == [1, 0, 0]


def test_systems_told_apart_are_counted_against_the_reference() -> None:
    rng = np.random.default_rng(3)
    reference = rng.random((12, 9)) * 0.3 + np.linspace(0, 0.5, 12)[:, None]
    other = reference + rng.normal(0, 0.15, reference.shape)
    comparison = compare_systems(reference, other, level=0.05)
    counted = [0, 0, 0, 0]
    for i, j in combinations(range(12), 2):
        here = ttest_rel(reference[i], reference[j]).pvalue < 0.05
        there = ttest_rel(other[i], other[j]).pvalue < 0.05
        counted[0 if here and there else 1 if there else 2 if here else 3] += 1
    assert comparison.discrimination == Discrimination(*counted)
    assert min(counted) > 0
    turned = compare_systems(other, reference, level=0.05)
    assert turned.discrimination == Discrimination(counted[0], counted[2], counted[1], counted[3])
    assert comparison.tau == pytest.approx(
        comparison.concordance.shares[0] - comparison.concordance.shares[1]
    )
    assert comparison.concordance == turned.concordance


def test_a_stricter_level_tells_fewer_apart() -> None:
    table = np.random.default_rng(1).random((10, 9)) + np.linspace(0, 0.6, 10)[:, None]
    loose, strict = (
        compare_systems(table, table, level=level).discrimination for level in (0.05, 0.001)
    )
    assert loose.true_positive > strict.true_positive
    assert loose.false_positive == loose.false_negative == 0


def test_tables_that_cannot_be_compared_are_refused() -> None:
    table = np.ones((3, 4))
    with pytest.raises(BadInput, match="not those of one table"):
        compare_systems(table, table[:2])
    with pytest.raises(BadInput, match="two topics"):
        compare_systems(table[:, :1], table[:, :1])
    with pytest.raises(BadOption, match="level"):
        compare_systems(table, table, level=0)
    with pytest.raises(BadOption, match="persistence"):
        rbp(["a"], {}, 1.0)
    with pytest.raises(BadOption, match="depth"):
        ndcg(["a"], {}, 0)
