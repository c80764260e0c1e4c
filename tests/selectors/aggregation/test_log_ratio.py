"""Logarithmic least squares: the paper's iteration, the closed form, and least squares itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from nextpair.selectors.aggregation.log_ratio import log_ratio
from nextpair.selectors.errors import BadInput, SelfComparison

RatioResponses = list[tuple[int, int, int, int]]


@st.composite
def ratios(draw: st.DrawFn) -> tuple[int, RatioResponses]:
    """Draw responses that connect all documents, through a chain, and some more."""
    size, number = draw(st.integers(2, 7)), st.integers(0, 100)
    chain = [(place, place + 1, draw(number), draw(number)) for place in range(size - 1)]
    pair = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1), number, number)
    more = draw(st.lists(pair.filter(lambda drawn: drawn[0] != drawn[1]), max_size=15))
    return size, [*chain, *more]


def solve(size: int, responses: RatioResponses) -> NDArray[np.float64]:
    firsts, seconds, x, y = (list(column) for column in zip(*responses, strict=True))
    return log_ratio(firsts, seconds, x, y, size).scores


def known_ratios(size: int, responses: RatioResponses) -> NDArray[np.float64]:
    """Return the matrix of the geometric mean ratios of all pairs, NaN where there is none."""
    cells: dict[tuple[int, int], list[float]] = {}
    for i, j, x, y in responses:
        cells.setdefault((i, j), []).append((x + 1) / (y + 1))
        cells.setdefault((j, i), []).append((y + 1) / (x + 1))
    matrix = np.full((size, size), np.nan)
    np.fill_diagonal(matrix, 1)
    for cell, cell_ratios in cells.items():
        matrix[cell] = np.prod(cell_ratios) ** (1 / len(cell_ratios))
    return matrix


def iterate(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Iterate as the paper does: geometric means of rows, missing cells from them."""
    missing, size = np.isnan(matrix), len(matrix)
    scores = np.ones(size)
    for _ in range(100_000):
        filled = np.where(missing, scores[:, None] / scores, matrix)
        previous, scores = scores, np.exp(np.log(filled).mean(axis=1))
        if np.abs(np.log(scores / previous)).max() < 1e-14:
            break
    return np.asarray(scores / scores.max())


@given(ratios())
def test_scores_are_the_fixed_point_of_the_papers_iteration(
    drawn: tuple[int, RatioResponses],
) -> None:
    size, responses = drawn
    assert solve(size, responses) == pytest.approx(iterate(known_ratios(size, responses)), rel=1e-6)


@given(st.integers(2, 8), st.integers(0, 10**6))
def test_of_complete_ratios_scores_are_geometric_means_of_rows(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    responses = [(i, j, *rng.integers(0, 50, 2).tolist()) for i in range(size) for j in range(i)]
    rows = np.exp(np.log(known_ratios(size, responses)).mean(axis=1))
    assert solve(size, responses) == pytest.approx(rows / rows.max())


@given(ratios())
def test_renaming_documents_renames_scores(drawn: tuple[int, RatioResponses]) -> None:
    size, responses = drawn
    renamed = np.random.default_rng(len(responses)).permutation(size)
    swapped = [(int(renamed[j]), int(renamed[i]), y, x) for i, j, x, y in responses]
    assert solve(size, swapped)[renamed] == pytest.approx(solve(size, responses))


def test_consistent_ratios_are_reproduced() -> None:
    numbers = np.array([0, 1, 3, 9, 7])
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]
    responses = [(i, j, int(numbers[i]), int(numbers[j])) for i, j in pairs]
    assert solve(5, responses) == pytest.approx((numbers + 1) / 10)


def test_components_are_returned_and_each_has_geometric_mean_one_before_scaling() -> None:
    result = log_ratio([0, 2], [1, 3], [7, 1], [1, 0], 5)
    assert (
        result.components[0] == result.components[1] != result.components[2] == result.components[3]
    )
    # Components (2, 1/2) and (sqrt 2, 1 / sqrt 2), then divided by 2; the last has no response.
    assert result.scores[:4] == pytest.approx([1, 0.25, 2**-0.5, 2**-1.5])
    assert np.isnan(result.scores[4])


def test_many_responses_to_one_pair_are_still_one_cell() -> None:
    once = [(0, 1, 3, 0), (1, 2, 0, 1), (0, 2, 0, 0)]
    assert solve(3, once * 3) == pytest.approx(solve(3, once))
    assert solve(3, [*once, once[0], once[0]]) == pytest.approx(solve(3, once))


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(BadInput, match="scores must not be below 0, got -1"):
        log_ratio([0], [1], [-1], [2], 2)
    with pytest.raises(SelfComparison):
        log_ratio([1], [1], [1], [2], 2)
    assert np.isnan(log_ratio([], [], [], [], 2).scores).all()
