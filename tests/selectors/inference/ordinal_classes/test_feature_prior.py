"""The likelihood of features given classes."""

import numpy as np
import pytest
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes.feature_prior import FeatureModel
from nextpair.selectors.state.documents import Document, Documents

Array = NDArray[np.float64]


def pool(columns: Array, priors: Array | None = None) -> Documents:
    return Documents(
        [
            Document(
                str(place),
                {f"f{n}": None if np.isnan(x) else float(x) for n, x in enumerate(row)},
                None if priors is None else float(priors[place]),
            )
            for place, row in enumerate(columns)
        ]
    )


def drawn(size: int = 200, seed: int = 0) -> tuple[NDArray[np.int64], Array, np.random.Generator]:
    """Draw classes, 0 the best, and memberships of all but the first quarter."""
    rng = np.random.default_rng(seed)
    classes = rng.choice(3, size=size, p=[0.1, 0.2, 0.7])
    memberships = np.eye(3)[classes]
    memberships[: size // 4] = 0.0
    return classes, memberships, rng


def surprise(found: Array, memberships: Array, classes: NDArray[np.int64]) -> float:
    """Return nats per document whose class is not known."""
    logits = found + np.log(memberships.sum(axis=0))
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    unknown = ~memberships.any(axis=1)
    return float(-logits[unknown, classes[unknown]].mean())


def test_good_features_predict_the_classes_of_others() -> None:
    classes, memberships, rng = drawn()
    model = FeatureModel(pool(classes[:, None] + rng.normal(scale=0.7, size=(200, 5))))
    found = model.log_likelihood(memberships)
    plain = surprise(np.zeros_like(found), memberships, classes)
    assert surprise(found, memberships, classes) < 0.7 * plain


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.statistical
def test_useless_features_are_hardly_used(seed: int) -> None:
    classes, memberships, rng = drawn(seed=seed)
    found = FeatureModel(pool(rng.normal(size=(200, 30)))).log_likelihood(memberships)
    plain = surprise(np.zeros_like(found), memberships, classes)
    assert surprise(found, memberships, classes) < 1.05 * plain


def test_that_a_value_is_missing_is_a_feature() -> None:
    classes, memberships, rng = drawn()
    ranks = rng.integers(1, 100, size=(200, 20)).astype(np.float64)
    ranks[rng.random((200, 20)) < 0.2 + 0.3 * classes[:, None]] = np.nan
    found = FeatureModel(pool(ranks)).log_likelihood(memberships)
    plain = surprise(np.zeros_like(found), memberships, classes)
    assert surprise(found, memberships, classes) < 0.8 * plain


def test_the_class_of_a_document_does_not_count_for_itself() -> None:
    classes, memberships, rng = drawn()
    model = FeatureModel(pool(classes[:, None] + rng.normal(size=(200, 3))))
    before = model.log_likelihood(memberships)[150]
    for claimed in range(3):
        memberships[150] = np.eye(3)[claimed]
        after = model.log_likelihood(memberships)[150]
        # What it claims to be moves the spread of a class a little, never its own score.
        assert np.allclose(after, before, atol=0.5)


def test_a_constant_feature_is_uninformative() -> None:
    _, memberships, _ = drawn()
    model = FeatureModel(pool(np.full((200, 2), 3.0)))
    assert not model.is_informative
    assert not model.log_likelihood(memberships).any()


def test_a_constant_feature_beside_a_good_one_does_no_harm() -> None:
    classes, memberships, rng = drawn()
    good = classes[:, None] + rng.normal(scale=0.7, size=(200, 1))
    alone = FeatureModel(pool(good)).log_likelihood(memberships)
    beside = FeatureModel(pool(np.column_stack([good, np.ones(200)]))).log_likelihood(memberships)
    assert np.allclose(alone, beside)


@pytest.mark.parametrize("classes", [0, 1])
def test_with_fewer_than_two_classes_features_are_uninformative(classes: int) -> None:
    model = FeatureModel(pool(np.random.default_rng(0).normal(size=(9, 2))))
    assert not model.log_likelihood(np.ones((9, classes))).any()


@pytest.mark.parametrize("size", [0, 1, 2])
def test_few_documents_are_no_trouble(size: int) -> None:
    model = FeatureModel(pool(np.arange(2.0 * size).reshape(size, 2)))
    assert model.log_likelihood(np.zeros((size, 2))).shape == (size, 2)


def test_prior_scores_order_documents_before_any_class_is_known() -> None:
    model = FeatureModel(pool(np.zeros((50, 0)), np.arange(50.0)))
    found = model.log_likelihood(np.zeros((50, 3)))
    leaning = found[:, 0] - found[:, 2]
    assert np.all(np.diff(leaning) > 0)
    assert np.abs(leaning).max() < 3


def test_wrong_prior_scores_are_dropped() -> None:
    classes, memberships, _ = drawn(400)
    model = FeatureModel(pool(np.zeros((400, 0)), classes.astype(np.float64)))
    found = model.log_likelihood(memberships)
    best, worst = found[classes == 0], found[classes == 2]
    assert best[:, 0].mean() > best[:, 2].mean()
    assert worst[:, 2].mean() > worst[:, 0].mean()


def test_the_likelihood_in_the_mixture_of_classes_is_1() -> None:
    classes, memberships, rng = drawn()
    model = FeatureModel(pool(classes[:, None] + rng.normal(size=(200, 3))))
    shares = memberships.sum(axis=0) + 0.5
    likelier = np.exp(model.log_likelihood(memberships))
    assert np.allclose(likelier @ shares / shares.sum(), 1)
