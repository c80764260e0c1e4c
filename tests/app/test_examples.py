"""The study that ships with the package."""

from collections import Counter

import pytest

from nextpair.app.examples import load_example
from nextpair.app.formats.pools import Pool
from nextpair.selectors.state.documents import Document, Documents

POOLS, GRADES = load_example()


def test_every_document_has_a_grade_and_every_grade_a_document() -> None:
    assert {pool.topic: {one.id for one in pool.documents} for pool in POOLS} == {
        topic: grades.keys() for topic, grades in GRADES.items()
    }


def test_there_are_four_topics_that_say_what_is_wanted() -> None:
    assert len(POOLS) == 4
    assert all(pool.title and pool.description and pool.narrative for pool in POOLS)


@pytest.mark.parametrize("pool", POOLS, ids=lambda pool: pool.topic)
def test_answers_are_of_different_quality_and_several_of_the_same(pool: Pool) -> None:
    levels = Counter(GRADES[pool.topic].values())
    assert 12 <= len(pool.documents) <= 16
    assert 3 <= len(levels) <= 5
    assert levels.keys() <= set(range(5))
    assert min(levels.values()) >= 2


@pytest.mark.parametrize("pool", POOLS, ids=lambda pool: pool.topic)
def test_answers_are_short_and_none_stands_there_twice(pool: Pool) -> None:
    for one in pool.documents:
        words = len(one.text.split())
        assert one.title
        assert 25 <= words <= 60
        assert one.features["length"] == words
        assert one.features["bm25"] is not None
    assert len({one.text for one in pool.documents}) == len(pool.documents)
    Documents([Document(one.id, one.features, one.prior) for one in pool.documents])


@pytest.mark.parametrize("pool", POOLS, ids=lambda pool: pool.topic)
def test_neither_the_place_nor_a_feature_gives_the_grade_away(pool: Pool) -> None:
    grades = [GRADES[pool.topic][one.id] for one in pool.documents]
    assert grades not in (sorted(grades), sorted(grades, reverse=True))
    for name in ("bm25", "length"):
        by_feature = sorted(pool.documents, key=lambda one: one.features[name] or 0)
        ordered = [GRADES[pool.topic][one.id] for one in by_feature]
        assert ordered not in (sorted(grades), sorted(grades, reverse=True))
