"""Kappas and alpha against published worked examples, and against each other."""

from itertools import permutations
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.aggregation.responses import Responses, collect_responses
from nextpair.selectors.agreement.kappas import (
    MeasurementLevel,
    fleiss_kappa,
    krippendorff_alpha,
    weighted_kappa,
)
from nextpair.selectors.errors import BadInput

# Fourteen raters, ten items, five labels: the worked example of Wikipedia's "Fleiss' kappa", which
# gives P = 0.378, P_e = 0.213 and kappa = 0.210.
FLEISS = """0 0 0 0 14
0 2 6 4 2
0 0 3 5 6
0 3 9 2 0
2 2 8 1 1
7 7 0 0 0
3 2 6 3 0
2 5 3 2 2
6 5 2 1 0
0 2 2 3 7"""

# Four observers, twelve units, missing values: Krippendorff (2011), Computing Krippendorff's
# Alpha-Reliability, sections C to E.
OBSERVERS = """1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 ."""
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}


def responses_of(rows: str) -> Responses:
    table = np.array([[int(cell) for cell in row.split()] for row in rows.split("\n")])
    items, labels = np.nonzero(table)
    often = table[items, labels]
    return collect_responses(
        np.repeat(items, often), [0] * int(often.sum()), np.repeat(labels, often)
    )


def observed() -> tuple[list[int], list[int]]:
    cells = [
        (unit, int(cell))
        for row in OBSERVERS.split("\n")
        for unit, cell in enumerate(row.split())
        if cell != "."
    ]
    return [unit for unit, _ in cells], [value for _, value in cells]


def test_fleiss_kappa_of_the_worked_example() -> None:
    assert fleiss_kappa(responses_of(FLEISS)) == pytest.approx(0.210, abs=5e-4)


def test_an_item_with_one_answer_carries_no_information_on_agreement() -> None:
    more = FLEISS + "\n1 0 0 0 0"
    assert fleiss_kappa(responses_of(more)) == fleiss_kappa(responses_of(FLEISS))
    assert isnan(fleiss_kappa(collect_responses([0, 1], [0, 0], [0, 1])))
    assert isnan(fleiss_kappa(collect_responses([0, 0], [0, 1], [1, 1])))


def test_fleiss_kappa_of_two_raters_is_scotts_pi() -> None:
    # Scott's pi by hand: they agree on 3 of 4, and 5 of 8 responses are 0: (3/4 - 34/64) / (30/64).
    responses = collect_responses([0, 0, 1, 1, 2, 2, 3, 3], [0, 1] * 4, [0, 0, 0, 0, 1, 1, 0, 1])
    assert fleiss_kappa(responses) == pytest.approx((3 / 4 - 34 / 64) / (30 / 64))


@pytest.mark.parametrize("level", list(MeasurementLevel))
def test_alpha_is_krippendorffs_own(level: MeasurementLevel) -> None:
    assert krippendorff_alpha(*observed(), level) == pytest.approx(PUBLISHED[level], abs=5e-4)


def naive_alpha(units: list[int], values: list[int], level: str) -> float:
    """Go through all pairs of values, as the definition has it."""
    paired = [(u, v) for u, v in zip(units, values, strict=True) if units.count(u) > 1]
    numbers = [v for _, v in paired]

    def apart(c: int, k: int) -> float:
        if level == "nominal":
            return float(c != k)
        if level == "ordinal":
            between = sum(min(c, k) <= v <= max(c, k) for v in numbers)
            return (between - (numbers.count(c) + numbers.count(k)) / 2) ** 2 if c != k else 0.0
        return float(
            (c - k) ** 2 if level == "interval" else ((c - k) / (c + k)) ** 2 if c + k else 0
        )

    seen = sum(
        apart(v, w) / (len([1 for u, _ in paired if u == unit]) - 1)
        for (unit, v), (other, w) in permutations(paired, 2)
        if unit == other
    )
    chance = sum(apart(v, w) for v, w in permutations(numbers, 2)) / (len(numbers) - 1)
    return 1 - seen / chance


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=4, max_size=16),
    st.sampled_from(list(MeasurementLevel)),
)
def test_alpha_is_that_of_all_pairs_of_values(
    drawn: list[tuple[int, int]], level: MeasurementLevel
) -> None:
    units, values = [unit for unit, _ in drawn], [value for _, value in drawn]
    alpha = krippendorff_alpha(units, values, level)
    if isnan(alpha):
        paired = {v for u, v in drawn if units.count(u) > 1}
        assert len(paired) < 2
    else:
        assert alpha == pytest.approx(naive_alpha(units, values, level))
        assert alpha <= 1 + 1e-12


def test_alpha_of_many_distinct_values_needs_no_table_of_them_all() -> None:
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(400), 2)
    values = np.exp(rng.normal(size=400))[units] * np.exp(rng.normal(0, 0.1, size=800))
    assert 0.9 < krippendorff_alpha(units, values, "ratio") < 1
    shuffled = rng.permutation(values)
    assert abs(krippendorff_alpha(units, shuffled, "ratio")) < 0.15


def test_weighted_kappa_by_hand() -> None:
    # Grades (0, 1, 2) twice; one item off by one, one by two. Squared differences: 5 of 6 items
    # observed, and by chance the mean of (a - b)² over all pairs of grades, which is 4/3.
    first, second = [0, 0, 1, 1, 2, 2], [0, 2, 1, 2, 1, 0]
    observed_apart = (0 + 4 + 0 + 1 + 1 + 4) / 6
    by_chance = np.mean([(a - b) ** 2 for a in first for b in second])
    assert weighted_kappa(first, second) == pytest.approx(1 - observed_apart / by_chance)
    assert weighted_kappa(first, first) == 1
    assert isnan(weighted_kappa([1, 1], [1, 1]))
    assert isnan(weighted_kappa([], []))


def test_a_grade_nobody_gave_does_not_change_squared_weights_but_their_distance_does() -> None:
    assert weighted_kappa([0, 0, 2], [0, 2, 2], labels=3) == pytest.approx(
        weighted_kappa([0, 0, 1], [0, 1, 1])
    )
    near, far = weighted_kappa([0, 1, 3], [1, 1, 3], labels=4), weighted_kappa([0, 1, 3], [3, 1, 3])
    assert near > far


def test_invalid_scales_are_refused() -> None:
    with pytest.raises(BadInput, match="no level 'cardinal'; there are nominal"):
        krippendorff_alpha([0, 0], [1, 2], "cardinal")
    with pytest.raises(BadInput, match="must not be negative, got -1"):
        krippendorff_alpha([0, 0], [1, -1], "ratio")
    with pytest.raises(BadInput, match="beyond 2 labels"):
        weighted_kappa([0, 1], [0, 2], labels=2)
    assert isnan(krippendorff_alpha([], []))
