"""An invalid pool is refused with a message that names the document."""

import math

import numpy as np
import pytest

from nextpair.selectors.errors import (
    BadFeature,
    DuplicateDocument,
    MismatchedFeatures,
    UnknownDocument,
)
from nextpair.selectors.state.documents import Document, Documents


def test_features_become_one_matrix_with_missing_values() -> None:
    pool = Documents([Document("a", {"x": 1, "y": None}), Document("b", {"y": 2.5, "x": 3})])
    assert pool.feature_names == ("x", "y")
    assert np.array_equal(pool.features, [[1, math.nan], [3, 2.5]], equal_nan=True)
    assert pool.position("b") == 1
    assert len(pool) == 2


def test_the_matrix_cannot_be_changed_from_outside() -> None:
    pool = Documents([Document("a", {"x": 1.0})])
    with pytest.raises(ValueError, match="read-only"):
        pool.features[0, 0] = 2


def test_an_unknown_document_is_named() -> None:
    with pytest.raises(UnknownDocument, match="'nobody'"):
        Documents([Document("a")]).position("nobody")


def test_the_same_id_twice_is_refused_with_both_places() -> None:
    with pytest.raises(DuplicateDocument, match=r"'a' stands at places 0 and 2"):
        Documents([Document("a"), Document("b"), Document("a")])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_feature_that_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(BadFeature, match="'b' has x"):
        Documents([Document("a", {"x": 1.0}), Document("b", {"x": value})])
    with pytest.raises(BadFeature, match="'a' has prior"):
        Documents([Document("a", prior=value)])


def test_a_feature_that_is_text_is_refused() -> None:
    with pytest.raises(BadFeature, match="'a' has x = '1', not a finite number"):
        Documents([Document("a", {"x": "1"})])  # type: ignore[dict-item]  # an untyped caller


def test_documents_with_different_features_are_refused() -> None:
    with pytest.raises(MismatchedFeatures, match=r"'b' differs .* \['x', 'y'\]"):
        Documents([Document("a", {"x": 1.0}), Document("b", {"y": 1.0})])


def test_an_empty_pool_is_a_pool() -> None:
    assert len(Documents([])) == 0
