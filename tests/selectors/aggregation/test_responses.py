"""Columns of responses are validated where they come in."""

import numpy as np
import pytest

from nextpair.selectors.aggregation.responses import collect_responses, read_numbers
from nextpair.selectors.errors import BadInput, NegativeCount


def test_responses_are_counted_by_item_and_by_worker() -> None:
    responses = collect_responses([0, 0, 2], [1, 0, 1], [0, 0, 1])
    assert responses.shape == (3, 2, 2)
    assert responses.by_item().tolist() == [[2, 0], [0, 0], [0, 1]]
    # Rows are worker 0 with label 0, worker 0 with label 1, worker 1 with label 0, ...
    assert responses.by_worker().toarray().tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("items", "workers", "labels", "shape"),
    [
        ([0, 1], [0], [0, 0], None),
        ([0.5], [0], [0], None),
        ([[0]], [0], [0], None),
        ([1], [0], [0], (1, 1, 1)),
        ([0], [0], [0], (1, 1)),
    ],
)
def test_columns_that_do_not_fit_together_are_refused(
    items: list[int], workers: list[int], labels: list[int], shape: tuple[int, ...] | None
) -> None:
    with pytest.raises(BadInput):
        collect_responses(items, workers, labels, shape)


def test_a_negative_index_is_refused_as_such() -> None:
    with pytest.raises(NegativeCount, match="labels must not be negative, got -1"):
        collect_responses([0], [0], [-1])


def test_a_number_that_is_none_or_too_small_is_refused() -> None:
    with pytest.raises(BadInput, match="finite"):
        read_numbers([np.nan], "scores")
    with pytest.raises(BadInput, match="scores must not be below 0, got -2"):
        read_numbers([1, -2], "scores", minimum=0)
